// An address says which file to open, and with which viewer. Nothing else of it reaches JupyterLite, which would take
// more: of its console, the program to run. Each page of the site runs this first.
{
  const OPENS = ["path", "factory"];
  const asked = new URLSearchParams(location.search);
  const kept = new URLSearchParams([...asked].filter(([name]) => OPENS.includes(name)));
  if (String(kept) !== String(asked)) {
    const search = String(kept) && `?${kept}`;
    history.replaceState(null, "", location.pathname + search + location.hash);
  }
}
