// Says on a page of the site that Python is starting, how long that takes, and what to do where it does not.
(() => {
  const KEPT = "autodiff-lab-seconds-to-start";
  const STARTING = new Set(["unknown", "starting", "restarting", "autorestarting", undefined]);
  const expected = () => Math.ceil(Number(localStorage.getItem(KEPT)) || 0);

  const box = document.createElement("div");
  box.id = "adl-starting";
  box.setAttribute("role", "status");
  box.innerHTML = "<b></b><progress></progress><span></span>";
  const [title, bar, words] = box.children;
  const style = document.createElement("style");
  style.textContent = `
    #adl-starting { position: fixed; z-index: 1000; right: 16px; bottom: 40px; width: min(340px, calc(100vw - 32px)); box-sizing: border-box;
      padding: 12px 16px; border: 1px solid #b04a00; border-radius: 10px; background: #fff; color: #1d1d1d; font: 15px/1.4 system-ui, sans-serif;
      box-shadow: 0 2px 12px #0003; }
    #adl-starting > * { display: block; width: 100%; }
    #adl-starting progress { margin: 6px 0; accent-color: #b04a00; }
    [data-jp-theme-light="false"] #adl-starting { background: #222; color: #eee; border-color: #e8915b; }`;

  let begun = 0;
  function say(seconds, failed) {
    const usual = expected();
    title.textContent = failed ? "Python did not start" : "Python is starting in your browser";
    bar.hidden = failed;
    if (usual) [bar.max, bar.value] = [usual, Math.min(seconds, usual * 0.97)];
    words.textContent = failed
      ? "Is cdn.jsdelivr.net reachable, from which it comes? Reload the page to try again."
      : `Python, NumPy, Matplotlib and the tutorial${usual ? "" : ": about 40 MB the first time"}. ${Math.floor(seconds)} s, ` +
        (usual ? `last time ${usual} s. ` : "usually less than a minute. ") +
        "Cells that you run wait for it." +
        (seconds > Math.max(90, 3 * usual)
          ? " It takes long: is the network slow, or does it refuse cdn.jsdelivr.net?"
          : "");
  }

  function look() {
    const widget = window.jupyterapp?.shell?.currentWidget;
    const session = widget?.sessionContext ?? widget?.console?.sessionContext;
    const status = session?.session?.kernel?.status;
    const failed = status === "dead";
    const starting =
      Boolean(session) &&
      (failed || STARTING.has(status)) &&
      session.kernelPreference?.shouldStart !== false;
    if (starting) {
      begun ||= performance.now();
      if (!box.isConnected) document.body.append(style, box);
      say((performance.now() - begun) / 1000, failed);
    } else if (box.isConnected) {
      if (session) localStorage.setItem(KEPT, (performance.now() - begun) / 1000);
      box.remove();
      begun = 0;
    }
  }
  setInterval(look, 300);
})();
