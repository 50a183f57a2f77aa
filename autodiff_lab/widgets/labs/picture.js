// The picture of a lab. Its handles are dragged by mouse, finger or arrow keys, and each moves one or two sliders of
// the lab. The SVG itself has the scale of each handle. If a page is too narrow, the picture is cut into strips.

/** @typedef {[number, number, number, number]} Frame left, top, width, height on the canvas */
/** @typedef {{ x: number, y: number }} Place on the canvas */
/**
 * How a handle moves one slider; see `Drag` in canvas.py.
 * @typedef {object} Move
 * @property {string} control
 * @property {"x" | "y" | "turn" | "distance"} along
 * @property {[number, number][]} scale
 * @property {[number, number]} center
 * @property {number[] | null} stops the values that the keys go through, instead of the slider's steps
 */
/**
 * A slider of the lab, as it is now.
 * @typedef {object} Slider
 * @property {string} label
 * @property {number} value
 * @property {string} text the value as a reader sees it
 * @property {number} low
 * @property {number} high
 * @property {number} step
 */
/** @typedef {Record<string, Slider>} Sliders by their names */

const SMALLEST = 0.86; // of the picture's own size: its type of 14 px is then 12 px
const PAGE = 10; // Page Up and Page Down move a slider by this many steps

/** The keys that move a handle: which of its moves, and how many steps. @type {Record<string, [number, number]>} */
const KEYS = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowDown: [1, -1],
  ArrowUp: [1, 1],
  PageDown: [0, -PAGE],
  PageUp: [0, PAGE],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/** Reads how a handle moves sliders. @param {Element} handle @returns {Move[]} */
const readMoves = (handle) => JSON.parse(handle.getAttribute("data-moves") ?? "[]");

/** Reads the name of a handle. @param {Element} handle */
const readName = (handle) => handle.getAttribute("data-grip") ?? "";

/** Finds the middle of a handle on the canvas. @param {Element} handle @returns {Place} */
function findMiddle(handle) {
  const knob = handle.querySelector(".knob");
  return { x: Number(knob?.getAttribute("cx")), y: Number(knob?.getAttribute("cy")) };
}

/** Measures a place as a move needs it: a coordinate, a direction in degrees or a distance. @param {Move} move @param {Place} at */
function measure({ along, center }, at) {
  const right = at.x - center[0];
  const up = center[1] - at.y;
  if (along === "turn") return (Math.atan2(up, right) * 180) / Math.PI;
  if (along === "distance") return Math.hypot(right, up);
  return at[along];
}

/** Finds the value at a place of a scale, by linear interpolation; extrapolates beyond its ends. @param {Move["scale"]} scale @param {number} place */
function interpolate(scale, place) {
  const after = scale.findIndex(([there]) => there > place);
  const last = after < 0 ? scale.length - 1 : Math.max(after, 1);
  const [x0, y0] = scale[last - 1];
  const [x1, y1] = scale[last];
  if (x1 === x0) return y1;
  return y0 + ((place - x0) * (y1 - y0)) / (x1 - x0);
}

/** Finds how much a whole turn changes the slider: 360 if it counts degrees. @param {Move} move */
const measureTurn = ({ scale }) => interpolate(scale, 360) - interpolate(scale, 0);

/** Adds or subtracts a whole turn if that brings an angle closer to the slider's range. @param {number} angle @param {number} whole @param {Slider} slider */
function turnInto(angle, whole, { low, high }) {
  const outside = (/** @type {number} */ x) => Math.max(low - x, x - high, 0);
  const turned = [angle, angle + whole, angle - whole];
  return turned.reduce((best, next) => (outside(next) < outside(best) ? next : best));
}

/** Finds the values of the sliders for a handle that was dragged to a place. @param {Move[]} moves @param {Sliders} sliders @param {Place} at */
export function findValues(moves, sliders, at) {
  /** @type {Record<string, number>} */
  const values = {};
  for (const move of moves) {
    const { low, high } = sliders[move.control];
    let value = interpolate(move.scale, measure(move, at));
    if (move.along === "turn") value = turnInto(value, measureTurn(move), sliders[move.control]);
    values[move.control] = Math.min(Math.max(value, low), high);
  }
  return values;
}

/** Finds the stop some steps after the one that a value has reached. @param {number[]} stops @param {number} value @param {number} steps */
function stepThrough(stops, value, steps) {
  const different = [...new Set(stops)];
  const here = different.findLastIndex((stop) => stop <= value);
  return different[Math.min(Math.max(here + steps, 0), different.length - 1)];
}

/** Finds the value of the slider that a key moves, or nothing for another key. @param {Move[]} moves @param {Sliders} sliders @param {string} key */
export function stepValue(moves, sliders, key) {
  if (!(key in KEYS)) return null;
  const [which, steps] = KEYS[key];
  const move = moves[Math.min(which, moves.length - 1)];
  const { control, along, stops } = move;
  const { value, low, high, step } = sliders[control];
  if (stops) return { [control]: stepThrough(stops, value, steps) };
  const next = value + steps * step;
  const hasWholeTurn = along === "turn" && high - low + step >= measureTurn(move);
  const goesRound = hasWholeTurn && Number.isFinite(steps); // Home and End stop at the ends
  if (goesRound && next < low) return { [control]: high };
  if (goesRound && next > high) return { [control]: low };
  return { [control]: Math.min(Math.max(next, low), high) };
}

/** Gives a handle its role, name and value for screen readers. @param {Element} handle @param {Sliders} sliders */
function describeHandle(handle, sliders) {
  const moved = readMoves(handle).map((move) => sliders[move.control]);
  if (moved.some((slider) => !slider)) return;
  const attributes = {
    tabindex: "0",
    role: "slider",
    "aria-label": readName(handle),
    "aria-valuemin": moved[0].low,
    "aria-valuemax": moved[0].high,
    "aria-valuenow": moved[0].value,
    "aria-valuetext": moved.map(({ label, text }) => `${label} ${text}`).join(", "),
    "aria-description": "the arrow keys move it",
    "data-lm-suppress-shortcuts": "true", // JupyterLab would take the arrow keys
  };
  for (const [name, value] of Object.entries(attributes)) handle.setAttribute(name, String(value));
}

/** Whether a point of the canvas lies in a part of it. @param {Place} at @param {Frame} frame */
const isInside = ({ x, y }, [left, top, width, height]) =>
  x >= left && x <= left + width && y >= top && y <= top + height;

/** Copies a part of a picture to a place in a strip. @param {SVGSVGElement} svg @param {Frame} frame @param {number} at from the strip's left end */
function copyPart(svg, frame, at) {
  const part = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const [left, top, width, height] = frame;
  for (const name of ["role", "aria-label", "data-strips"]) part.removeAttribute(name);
  const place = { x: at, y: 0, width, height, viewBox: `${left} ${top} ${width} ${height}` };
  for (const [name, value] of Object.entries(place)) part.setAttribute(name, String(value));
  for (const handle of part.querySelectorAll("[data-grip]"))
    if (!isInside(findMiddle(handle), frame)) handle.remove();
  return part;
}

/** Makes a strip from parts of a picture, side by side. @param {SVGSVGElement} svg @param {Frame[]} frames */
function makeStrip(svg, frames) {
  const strip = /** @type {SVGSVGElement} */ (svg.cloneNode(false));
  const width = frames.reduce((sum, frame) => sum + frame[2], 0);
  const height = Math.max(...frames.map((frame) => frame[3]));
  strip.removeAttribute("data-strips");
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  for (const [name, value] of Object.entries(size)) strip.setAttribute(name, String(value));
  strip.style.setProperty("--strip", String(width));
  let at = 0;
  for (const frame of frames) {
    strip.append(copyPart(svg, frame, at));
    at += frame[2];
  }
  return strip;
}

/** Whether two parts of a picture are the same. @param {Frame} one @param {Frame} other */
const isSame = (one, other) => one.every((side, k) => side === other[k]);

/** Whether two parts of a picture have the same top and height. @param {Frame} one @param {Frame} other */
const isLevel = (one, other) => one[1] === other[1] && one[3] === other[3];

/** Joins consecutive strips while they fit into a width; a part that both have appears once. @param {Frame[][]} strips @param {number} room */
function mergeStrips(strips, room) {
  /** @type {Frame[][]} */
  const merged = [];
  for (const strip of strips) {
    const last = merged.at(-1) ?? [];
    const more = strip.filter((frame) => !last.some((other) => isSame(frame, other)));
    const both = [...last, ...more];
    const width = both.reduce((sum, frame) => sum + frame[2], 0);
    const fits = last.length > 0 && isLevel(strip[0], last[0]) && width * SMALLEST <= room;
    if (fits) merged.pop();
    merged.push(fits ? both : strip);
  }
  return merged;
}

/** Cuts a picture into strips. A screen reader gets the first one, and those with handles. @param {SVGSVGElement} svg @param {Frame[][]} strips @param {number} room */
function cutIntoStrips(svg, strips, room) {
  const made = mergeStrips(strips, room).map((frames) => makeStrip(svg, frames));
  for (const strip of made.slice(1)) {
    const hasHandle = strip.querySelector("[data-grip]") !== null;
    if (!hasHandle) strip.setAttribute("aria-hidden", "true");
  }
  svg.replaceWith(...made);
}

/**
 * Shows a picture, and returns the focus to the handle that had it.
 * @param {HTMLElement} el
 * @param {string} text the SVG
 * @param {Sliders} sliders
 */
function show(el, text, sliders) {
  const active = document.activeElement;
  const held = active && el.contains(active) ? readName(active) : "";
  el.innerHTML = text;
  const svg = el.querySelector("svg");
  if (!svg) return;
  const { width, height } = svg.viewBox.baseVal;
  el.style.setProperty("--width", String(width));
  el.style.setProperty("--height", String(height));
  const strips = JSON.parse(svg.getAttribute("data-strips") ?? "[]");
  const isNarrow = strips.length > 0 && el.clientWidth > 0 && el.clientWidth < SMALLEST * width;
  el.classList.toggle("in-strips", isNarrow);
  if (isNarrow) cutIntoStrips(svg, strips, el.clientWidth);
  for (const handle of el.querySelectorAll("[data-grip]")) {
    describeHandle(handle, sliders);
    handle.closest("svg[role]")?.setAttribute("role", "group"); // screen readers don't enter an image
    if (held && readName(handle) === held)
      /** @type {SVGElement} */ (handle).focus({ preventScroll: true });
  }
}

/** Finds where a pointer is on the canvas of a handle. @param {Element} handle @param {PointerEvent} event @returns {Place} */
function locate(handle, event) {
  const svg = /** @type {SVGSVGElement} */ (/** @type {SVGElement} */ (handle).ownerSVGElement);
  const matrix = svg.getScreenCTM()?.inverse();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
}

/**
 * Lets mouse and finger drag the handles of a picture.
 * @param {HTMLElement} el
 * @param {(handle: Element, at: Place) => void} move
 */
function followPointer(el, move) {
  let held = "";
  let [right, down] = [0, 0]; // from the middle of the handle to the point where it was grasped
  const find = () => el.querySelector(`[data-grip="${CSS.escape(held)}"]`);
  el.addEventListener("pointerdown", (event) => {
    const handle = /** @type {Element} */ (event.target).closest("[data-grip]");
    if (!handle || event.button > 0) return;
    held = readName(handle);
    const at = locate(handle, event);
    const middle = findMiddle(handle);
    [right, down] = [at.x - middle.x, at.y - middle.y];
    el.setPointerCapture(event.pointerId);
    el.classList.add("is-dragging");
    /** @type {SVGElement} */ (handle).focus({ preventScroll: true });
    event.preventDefault();
  });
  el.addEventListener("pointermove", (event) => {
    const handle = held && el.hasPointerCapture(event.pointerId) ? find() : null;
    if (!handle) return;
    const at = locate(handle, event);
    move(handle, { x: at.x - right, y: at.y - down });
  });
  const letGo = () => {
    held = "";
    el.classList.remove("is-dragging");
  };
  el.addEventListener("lostpointercapture", letGo);
}

/**
 * Lets the arrow keys move the handle that has the focus.
 * @param {HTMLElement} el
 * @param {(handle: Element, key: string) => boolean} move returns whether the key moves the handle
 */
function followKeys(el, move) {
  el.addEventListener("keydown", (event) => {
    const handle = /** @type {Element} */ (event.target).closest("[data-grip]");
    if (handle && move(handle, event.key)) event.preventDefault();
  });
}

/** @param {{ model: any, el: HTMLElement }} view */
function render({ model, el }) {
  let turn = 0; // counts the drags, because a model sends no change for a drag to the same place
  const send = (/** @type {Record<string, number>} */ values) => {
    turn += 1;
    model.set("drag", { turn, values });
    model.save_changes(); // while Python works on one place, only the latest of the next ones is kept
  };
  const sliders = () => /** @type {Sliders} */ (model.get("sliders"));
  followPointer(el, (handle, at) => send(findValues(readMoves(handle), sliders(), at)));
  followKeys(el, (handle, key) => {
    const values = stepValue(readMoves(handle), sliders(), key);
    if (!values) return false;
    // The next key may come before Python has answered, and has to start from these values.
    for (const [name, value] of Object.entries(values)) sliders()[name].value = value;
    send(values);
    return true;
  });
  const update = () => show(el, model.get("svg"), sliders());
  model.on("change:svg change:sliders", update);
  let width = 0;
  const size = new ResizeObserver(() => {
    if (el.clientWidth !== width) update();
    width = el.clientWidth;
  });
  size.observe(el);
  update();
  return () => size.disconnect();
}

export default { render };
