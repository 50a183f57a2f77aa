/**
 * The picture of a lab. It says where its handles are moved to; what that means, Python knows.
 *
 * @typedef {import("../live.js").Render} Render
 */

const STEP = 10; // in the picture's units, for an arrow key
/** @type {Record<string, [right: number, down: number]|undefined>} */
const ARROWS = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** @param {HTMLElement} el @param {string} text of the picture */
function show(el, text) {
  const held = /** @type {SVGElement|null} */ (document.activeElement)?.dataset.drag;
  const had = held && el.contains(document.activeElement);
  el.innerHTML = text;
  const svg = el.querySelector("svg");
  if (!svg) return;
  el.style.setProperty("--width", svg.viewBox.baseVal.width.toString());
  el.style.setProperty("--height", svg.viewBox.baseVal.height.toString());
  /** @type {NodeListOf<SVGElement>} */
  const handles = svg.querySelectorAll("[data-drag]");
  el.classList.toggle("can-drag", handles.length > 0);
  if (handles.length) svg.setAttribute("role", "group"); // in an image nothing can be reached
  for (const handle of handles) {
    const name = handle.dataset.drag ?? "";
    const says = {
      tabindex: "0",
      role: "button",
      "aria-label": name,
      "aria-description": "the arrow keys move it",
    };
    for (const [attribute, value] of Object.entries(says)) handle.setAttribute(attribute, value);
    if (had && name === held) handle.focus({ preventScroll: true });
  }
}

/** @type {Render} */
function render({ model, el }) {
  /** @param {string} handle @param {number} x @param {number} y */
  const drag = (handle, x, y) => {
    model.set("drag", [handle, x, y]);
    model.save_changes(); // sends the latest place, once the one before is answered
  };
  let held = "";
  /** @param {PointerEvent} event */
  const follow = (event) => {
    const there = el.querySelector("svg")?.getScreenCTM()?.inverse();
    if (!there) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(there);
    drag(held, x, y);
  };
  el.addEventListener("pointerdown", (event) => {
    /** @type {SVGElement|null} */
    const handle = /** @type {Element} */ (event.target).closest("[data-drag]");
    if (!handle) return;
    held = handle.dataset.drag ?? "";
    el.setPointerCapture(event.pointerId);
    event.preventDefault();
    follow(event);
  });
  el.addEventListener("pointermove", (event) => {
    if (el.hasPointerCapture(event.pointerId)) follow(event);
  });
  el.addEventListener("keydown", (event) => {
    const circle = /** @type {SVGCircleElement} */ (event.target);
    const arrow = ARROWS[event.key];
    if (!circle.dataset.drag || !arrow) return;
    const [right, down] = arrow;
    drag(circle.dataset.drag, circle.cx.baseVal.value + right, circle.cy.baseVal.value + down);
    event.preventDefault();
  });
  const update = () => show(el, model.get("svg"));
  model.on("change:svg", update);
  update();
  return () => model.off("change:svg", update);
}

export default { render };
