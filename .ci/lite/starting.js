// Shows that Python is starting in the page, how long that usually takes, and what to do if it fails.
(() => {
  const KEPT = "autodiff-lab-seconds-to-start";
  const FAILED =
    "Python is loaded from cdn.jsdelivr.net. Can you reach it? Reload the page to try again.";
  const SLOW = "This is taking long. Is your network slow, or does it block cdn.jsdelivr.net?";
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
  /** Updates the box. @param {number} seconds so far @param {boolean} failed */
  function say(seconds, failed) {
    const usual = expected();
    title.textContent = failed ? "Python did not start" : "Python is starting in your browser";
    bar.hidden = failed;
    if (usual) {
      bar.max = usual;
      bar.value = Math.min(seconds, usual * 0.97);
    }
    words.textContent = failed ? FAILED : progress(seconds, usual);
  }

  /** Writes what is loading, and how long it takes. @param {number} seconds so far @param {number} usual 0 the first time */
  function progress(seconds, usual) {
    const size = usual ? "" : ": about 40 MB the first time";
    const expected = usual ? `last time ${usual} s` : "usually less than a minute";
    const sentences = [
      `Python, NumPy, Matplotlib and the tutorial${size}.`,
      `${Math.floor(seconds)} s, ${expected}.`,
      "Cells that you run wait for it.",
    ];
    const isSlow = seconds > Math.max(90, 3 * usual);
    if (isSlow) sentences.push(SLOW);
    return sentences.join(" ");
  }

  /** Shows the box while the kernel of the open document starts, or if it has failed; removes it afterwards. */
  function look() {
    const widget = window.jupyterapp?.shell?.currentWidget;
    const session = widget?.sessionContext ?? widget?.console?.sessionContext;
    const status = session?.session?.kernel?.status;
    const failed = status === "dead";
    const isWanted = Boolean(session) && session.kernelPreference?.shouldStart !== false;
    if (isWanted && (failed || STARTING.has(status))) {
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
