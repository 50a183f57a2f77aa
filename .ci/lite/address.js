// Removes all parameters of the address except those that name a file and its viewer, before JupyterLite reads them:
// its console would run a program from the address. Each page of the site runs this script first.
{
  const ALLOWED = ["path", "factory"];
  const given = new URLSearchParams(location.search);
  const kept = new URLSearchParams([...given].filter(([name]) => ALLOWED.includes(name)));
  if (String(kept) !== String(given)) {
    const search = String(kept) ? `?${kept}` : "";
    history.replaceState(null, "", location.pathname + search + location.hash);
  }
}
