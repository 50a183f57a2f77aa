// Removes all parameters of the address but those that name a file to open and its viewer, before JupyterLite reads them.
// Its console would run a program given in the address. Each page of the site runs this first.
{
  const OPENS = ["path", "factory"];
  const asked = new URLSearchParams(location.search);
  const kept = new URLSearchParams([...asked].filter(([name]) => OPENS.includes(name)));
  if (String(kept) !== String(asked)) {
    const search = String(kept) ? `?${kept}` : "";
    history.replaceState(null, "", location.pathname + search + location.hash);
  }
}
