import { html, put, set } from "../dom.js";
import { nameWithKeys } from "../speech.js";

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
    pane.scrollBy({
      left: after.left + across * scale() - atX,
      top: after.top + down * scale() - atY,
      behavior: "instant",
    });
    if (x === undefined && drawing.contains(document.activeElement))
      document.activeElement.scrollIntoView({
        block: "nearest",
        inline: "nearest",
        behavior: "instant",
      });
  }
  /** Shows the whole graph; asked again, the part about the step, at a size that can be read. */
  function turn() {
    Object.assign(lens, { scale: null, held: false, whole: !lens.whole });
    tell();
    fit();
    follow();
  }
  pane.addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      !(event.key in ZOOM_KEYS || event.key === "0")
    )
      return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "0") turn();
    else zoom(ZOOM_KEYS[event.key]);
  });
  pane.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) {
        lens.held = true;
        return;
      }
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
    },
    { passive: false },
  );
  let grip = null;
  pane.addEventListener("pointerdown", (event) => {
    if (
      event.button !== 0 ||
      event.pointerType === "touch" ||
      event.target.closest(".adl-node, .adl-edge")
    )
      return;
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
  const by = (sign, name, factor) =>
    html(
      "button",
      { type: "button", ...nameWithKeys(say, say(name), sign), onclick: () => zoom(factor) },
      sign,
    );
  const fitting = html("button", { type: "button", class: "adl-fit", onclick: turn });
  function tell() {
    put(fitting, say(lens.whole ? "follow" : "fit"));
    for (const [name, value] of Object.entries(
      nameWithKeys(say, say(lens.whole ? "follow the steps" : "fit the graph"), "0"),
    ))
      set(fitting, name, value);
  }
  tell();
  return html(
    "div",
    { class: "adl-lens", role: "group", "aria-label": say("zoom") },
    by("\u2212", "zoom out", 1 / ZOOM),
    fitting,
    by("+", "zoom in", ZOOM),
  );
}

/** The buttons that open all groups of a graph, or close them. @param {(open: boolean) => void} onAll */
export const groupTools = ({ say }, onAll) =>
  [
    ["open all", "open all hint"],
    ["close all", "close all hint"],
  ].map(([name, hint], k) =>
    html("button", { type: "button", title: say(hint), onclick: () => onAll(k === 0) }, say(name)),
  );
