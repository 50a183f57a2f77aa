import { html, put, set } from "../dom.js";

const [SMALLEST, LARGEST, ZOOM] = [0.1, 4, 1.25];
const ZOOM_KEYS = { "+": ZOOM, "=": ZOOM, "-": 1 / ZOOM, "\u2212": 1 / ZOOM };

/**
 * Zoom, pan and fit of a drawing in a scrolling pane: buttons, keys, Ctrl and the wheel, and dragging. Once the
 * learner has moved it, the pane stays where it is, until all of it is asked for, or to follow the steps again.
 * @param {HTMLElement} pane the scrolling element
 * @param {SVGElement} drawing
 * @param {{lens: {scale: number|null, held: boolean, whole: boolean}, say: function}} host `scale` null: as the pane
 *   wants it; `whole`: as small as all of it needs
 * @param {() => number} scale what it is now
 * @param {() => void} fit gives the drawing its size
 * @param {() => void} follow brings the step into the pane again
 * @returns {HTMLElement} the buttons
 */
export function lensTools(pane, drawing, { lens, say }, scale, fit, follow) {
  function zoom(by, x, y) {
    const view = pane.getBoundingClientRect();
    const [atX, atY] = [x ?? view.left + view.width / 2, y ?? view.top + view.height / 2];
    const [before, old] = [drawing.getBoundingClientRect(), scale()];
    const [across, down] = [(atX - before.left) / old, (atY - before.top) / old];
    lens.scale = Math.min(LARGEST, Math.max(SMALLEST, old * by));
    Object.assign(lens, { held: true, whole: false });
    tell();
    fit();
    const after = drawing.getBoundingClientRect();
    pane.scrollBy({ left: after.left + across * scale() - atX, top: after.top + down * scale() - atY, behavior: "instant" });
    if (x === undefined && drawing.contains(document.activeElement)) document.activeElement.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }
  /** Shows the whole graph; asked again, the part about the step, at a size that can be read. */
  function turn() {
    Object.assign(lens, { scale: null, held: false, whole: !lens.whole });
    tell();
    fit();
    follow();
  }
  pane.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in ZOOM_KEYS || event.key === "0")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "0") turn();
    else zoom(ZOOM_KEYS[event.key]);
  });
  pane.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) {
      lens.held = true;
      return;
    }
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
  }, { passive: false });
  let grip = null;
  pane.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch" || event.target.closest(".adl-node, .adl-edge")) return;
    grip = { x: event.clientX, y: event.clientY, left: pane.scrollLeft, top: pane.scrollTop };
  });
  pane.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [x, y] = [event.clientX - grip.x, event.clientY - grip.y];
    if (!pane.matches(".is-dragged")) {
      if (Math.hypot(x, y) < 4) return;
      pane.classList.add("is-dragged");
      pane.setPointerCapture(event.pointerId);
      lens.held = true;
    }
    pane.scrollTo({ left: grip.left - x, top: grip.top - y, behavior: "instant" });
  });
  for (const end of ["pointerup", "pointercancel"])
    pane.addEventListener(end, () => {
      grip = null;
      pane.classList.remove("is-dragged");
    });
  const button = (text, label, keys, act) => {
    const node = html("button", { type: "button", "aria-label": label, title: say("button", { label, keys }) }, text);
    node.addEventListener("click", act);
    return node;
  };
  const fitting = button("", "", "0", turn);
  fitting.classList.add("adl-fit");
  function tell() {
    const label = say(lens.whole ? "follow the steps" : "fit the graph");
    put(fitting, say(lens.whole ? "follow" : "fit"));
    set(fitting, "aria-label", label);
    set(fitting, "title", say("button", { label, keys: "0" }));
  }
  tell();
  return html("div", { class: "adl-lens", role: "group", "aria-label": say("zoom") }, button("\u2212", say("zoom out"), "\u2212", () => zoom(1 / ZOOM)),
              fitting, button("+", say("zoom in"), "+", () => zoom(ZOOM)));
}

/** The buttons that open all groups of a graph, or close them. @param {(open: boolean) => void} onAll */
export const groupTools = ({ say }, onAll) => [true, false].map((open) => {
  const node = html("button", { type: "button", title: say(open ? "open all hint" : "close all hint") }, say(open ? "open all" : "close all"));
  node.addEventListener("click", () => onAll(open));
  return node;
});
