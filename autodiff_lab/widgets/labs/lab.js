// The page's half of every lab. It knows controls, a picture, a sentence and a table; what they mean, Python knows.

import { announce } from "../live.js";

const PATIENCE = 2000; // milliseconds until the page says that nobody answers
const QUIET = 700; // a moving slider is not read aloud; where it comes to rest is

const NARROWEST = 700; // a picture a little too wide for the page shrinks; in a narrow page it scrolls

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

// Sends the latest wish only, and only when the last one was answered.
export function sender(send, late) {
  let wish = null;
  let sent = 0;
  let waiting = false;
  let timer = 0;
  const flush = () => {
    if (waiting || !wish) return;
    sent += 1;
    const message = { ...wish, message: sent };
    wish = null;
    waiting = true;
    clearTimeout(timer);
    timer = setTimeout(() => {
      waiting = false; // who asks again may be heard: the message may have been lost with a kernel
      late(true);
    }, PATIENCE);
    send(message); // the last thing, since it throws where there is no way to the kernel
  };
  return {
    ask(what) {
      // Of a place only the latest counts; of presses, each.
      const press = [...(wish?.press ?? []), ...(what.press ?? [])];
      wish = { ...wish, ...what, set: { ...wish?.set, ...what.set }, press };
      flush();
    },
    answered(number) {
      if (number < sent) return;
      waiting = false;
      clearTimeout(timer);
      late(false);
      flush();
    },
    get busy() {
      return waiting || wish !== null;
    },
  };
}

const CONTROLS = {
  slider(control, ask) {
    const input = make("input");
    Object.assign(input, { type: "range", min: control.low, max: control.high, step: control.step });
    const output = make("output");
    const label = make("label");
    label.append(make("span", "", control.label), input, output);
    input.addEventListener("input", () => ask({ set: { [control.name]: Number(input.value) } }));
    const show = (value, state, busy) => {
      if (!busy) input.value = value;
      output.textContent = state.texts[control.name];
      input.setAttribute("aria-valuetext", state.texts[control.name]);
    };
    return { node: label, focusable: [input], show };
  },
  choice(control, ask) {
    const select = make("select");
    for (const option of control.options) select.append(new Option(option, option));
    const label = make("label");
    label.append(make("span", "", control.label), select);
    select.addEventListener("change", () => ask({ set: { [control.name]: select.value } }));
    return { node: label, focusable: [select], show: (value, _, busy) => busy || (select.value = value) };
  },
  toggle(control, ask) {
    const input = make("input");
    input.type = "checkbox";
    const label = make("label");
    label.append(input, make("span", "", control.label));
    input.addEventListener("change", () => ask({ set: { [control.name]: input.checked } }));
    return { node: label, focusable: [input], show: (value, _, busy) => busy || (input.checked = value) };
  },
  entry(control, ask) {
    const input = make("input");
    Object.assign(input, { type: "text", placeholder: control.hint, autocomplete: "off" });
    const label = make("label");
    label.append(make("span", "", control.label), input);
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      ask({ set: { [control.name]: input.value } });
      input.select(); // to be typed over
    });
    return { node: label, focusable: [input], show: () => {} };
  },
  button(control, ask) {
    const button = make("button", "", control.label);
    button.type = "button";
    button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || ask({ press: [control.name] }));
    const show = (_, state) => {
      // Not `disabled`: that would take the focus away from under the fingers.
      button.setAttribute("aria-disabled", String(state.off.includes(control.name)));
    };
    return { node: button, focusable: [button], show };
  },
};

CONTROLS.play = (control, ask) => {
  const button = make("button", "", control.label);
  button.type = "button";
  let timer = 0;
  let over = false;
  let answered = true; // a slow kernel is not asked again before it has answered
  const press = () => {
    if (!answered) return;
    answered = false;
    ask({ press: [control.name] });
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    button.textContent = control.label;
  };
  button.addEventListener("click", () => {
    if (timer || over) return stop();
    button.textContent = "Pause";
    press();
    timer = setInterval(() => (button.isConnected ? press() : stop()), control.every);
  });
  const show = (_, state, busy) => {
    answered = !busy;
    over = state.off.includes(control.name);
    button.setAttribute("aria-disabled", String(over));
    if (over && timer) stop();
  };
  const late = () => {
    answered = true; // another press asks again
    stop();
  };
  return { node: button, focusable: [button], show, late };
};

function dragging(place, ask) {
  let handle = "";
  const at = (event) => {
    const svg = place.querySelector("svg");
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    ask({ drag: [handle, x, y] });
  };
  place.addEventListener("pointerdown", (event) => {
    const held = event.target.closest("[data-drag]");
    if (!held) return;
    handle = held.dataset.drag;
    place.setPointerCapture(event.pointerId);
    event.preventDefault();
    at(event);
  });
  place.addEventListener("pointermove", (event) => place.hasPointerCapture(event.pointerId) && at(event));
}

export function mount(root, head, send) {
  root.className = "adl-lab";
  for (const [name, colour] of Object.entries(head.colours)) root.style.setProperty(name, colour);
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", head.title);
  const late = make("p", "adl-lab-error");
  late.setAttribute("role", "status");
  let error = "";
  const talk = sender(send, (isLate) => {
    late.textContent = isLate ? "The kernel does not answer. If it is busy, wait; if it is gone, run the cell again." : error;
    if (isLate) for (const control of controls) control.late?.(); // nothing plays
  });
  const controls = head.controls.map((control) => ({ ...control, ...CONTROLS[control.kind](control, talk.ask) }));
  const bar = make("div", "adl-lab-controls");
  for (const { node, focusable } of controls) {
    // JupyterLab takes arrow keys and letters from whatever does not say this of itself.
    for (const one of focusable) one.setAttribute("data-lm-suppress-shortcuts", "true");
    bar.append(node);
  }
  const picture = make("div", "adl-lab-picture");
  const sentence = make("p", "adl-lab-sentence");
  const spoken = make("p", "adl-lab-spoken");
  spoken.setAttribute("aria-live", "polite");
  const more = make("details");
  const summary = make("summary", "", "The same as a table");
  summary.setAttribute("data-lm-suppress-shortcuts", "true");
  const table = make("div", "adl-lab-table");
  more.append(summary, table);
  root.replaceChildren(
    make("p", "adl-lab-title", head.title), make("p", "adl-lab-about", head.about),
    bar, picture, sentence, late, spoken, more,
  );
  dragging(picture, talk.ask);
  let quiet = 0;
  return (state) => {
    error = state.error;
    talk.answered(state.answer);
    for (const { name, show } of controls) show(state.values[name], state, talk.busy);
    picture.innerHTML = state.picture;
    const svg = picture.firstElementChild;
    if (svg) svg.style.minWidth = `${Math.min(svg.width.baseVal.value, NARROWEST)}px`;
    picture.classList.toggle("can-drag", picture.querySelector("[data-drag]") !== null);
    sentence.textContent = state.sentence;
    table.innerHTML = state.table;
    more.hidden = !state.table;
    if (error) late.textContent = error;
    clearTimeout(quiet);
    quiet = setTimeout(() => (spoken.textContent = state.sentence), QUIET);
  };
}

function render({ model, el }) {
  const root = make("div");
  el.append(root);
  const show = mount(root, model.get("head"), (message) => model.send(message));
  const update = () => show(model.get("state"));
  model.on("change:state", update);
  update();
  return () => model.off("change:state", update);
}

export default { initialize: ({ model }) => announce(model, render), render };
