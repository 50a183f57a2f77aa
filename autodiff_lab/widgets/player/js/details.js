import { html, put } from "./dom.js";
import { counted } from "./speech.js";
import { metersAt } from "./state.js";

const KEPT = "autodiff-lab details"; // what is open stays open, on this page and on the next
const SPEEDS = [0.5, 1, 2, 4];
const COLUMNS = [
  "cost operations",
  "cost products",
  "cost kept",
  "cost passes",
  "cost operations",
  "cost products",
  "cost kept",
];
const number = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

/** What the learner had open last; a page may not let us remember. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}
function remember(what) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...remembered(), ...what }));
  } catch {
    // Then it is asked for again.
  }
}

/**
 * The fold with all that one can do without: the other modes, predict, the names on the tape, the source, speed, costs.
 * @param {{say: function, modes: HTMLElement, predict: HTMLElement, open?: boolean, onChange: () => void}} given
 */
export function detailsView({ say, modes, predict, open, onChange }) {
  const kept = remembered();
  const box = (name, usual) => {
    const choose = () => {
      remember({ [name]: input.checked });
      onChange();
    };
    const input = html("input", { type: "checkbox", name, onchange: choose });
    input.checked = kept[name] ?? usual;
    return input;
  };
  const [names, source] = [box("names", false), box("source", true)];
  const speed = html(
    "select",
    { "aria-label": say("speed"), title: say("speed of play") },
    SPEEDS.map((x) => html("option", { value: x, selected: x === 1 ? "" : null }, `${x}×`)),
  );
  const cost = costView(say);
  const labels = [
    [names, say("names on the tape")],
    [source, say("your function")],
    [say("speed"), speed],
  ].map((parts) => html("label", {}, parts));
  const element = html(
    "div",
    { class: "adl-details", role: "region", "aria-label": say("details") },
    html("div", { class: "adl-options" }, modes, labels, predict),
    cost.element,
  );
  const turn = () => {
    show(element.hidden);
    remember({ open: !element.hidden });
    onChange();
  };
  const button = html(
    "button",
    {
      type: "button",
      class: "adl-more-button",
      "aria-label": say("details"),
      title: say("details hint"),
      onclick: turn,
    },
    "⋯",
  );
  function show(wanted) {
    element.hidden = !wanted;
    button.setAttribute("aria-expanded", wanted);
  }
  show(open ?? kept.open ?? false);
  return {
    element,
    button,
    load: cost.load,
    update: cost.update,
    get names() {
      return names.checked;
    },
    get source() {
      return source.checked;
    },
    get speed() {
      return Number(speed.value);
    },
  };
}

/** What the run has cost so far in each mode that is shown, and what the whole gradient costs. */
function costView(say) {
  const kept = (numbers, bytes) =>
    say("cost of keeping", { n: number(numbers), bytes: number(bytes) });
  // In a narrow player it scrolls: then the arrows are its own.
  const scroll = (event) =>
    /Left|Right/.test(event.key) &&
    element.scrollWidth > element.clientWidth &&
    event.stopPropagation();
  const element = html("div", {
    class: "adl-meter adl-scroll",
    tabindex: 0,
    role: "group",
    "aria-label": say("cost"),
    onkeydown: scroll,
  });
  const cell = (tag, k, attributes, text) =>
    html(tag, { class: k === 3 ? "is-first" : null, ...attributes }, text);
  let rows = [];
  return {
    element,
    load(trace) {
      rows = trace.costs
        .filter(([, cost]) => cost)
        .map(([name]) => {
          const cells = COLUMNS.map((_, k) => cell("td", k));
          return {
            cells,
            row: html(
              "tr",
              { class: `is-${name}` },
              html("th", { scope: "row" }, say(`mode ${name}`)),
              cells,
            ),
          };
        });
      const groups = [
        ["so far", 0, 3],
        ["the whole gradient", 3, 4],
      ].map(([name, k, colspan]) => cell("th", k, { scope: "colgroup", colspan }, say(name)));
      const heads = COLUMNS.map((name, k) => cell("th", k, { scope: "col" }, say(name)));
      const head = html(
        "thead",
        {},
        [groups, heads].map((cells) => html("tr", {}, html("td"), cells)),
      );
      element.hidden = !rows.length;
      element.replaceChildren(
        html(
          "table",
          { "aria-label": say("cost") },
          head,
          html(
            "tbody",
            {},
            rows.map(({ row }) => row),
          ),
        ),
      );
    },
    update(trace, s) {
      const meters = metersAt(trace, s).filter(([, , cost]) => cost);
      const most = Math.max(1, ...meters.map(([, , cost]) => cost.kept));
      meters.forEach(([name, meter, cost], k) => {
        const passes =
          name === "reverse"
            ? say("run and sweep")
            : counted(say, "runs", cost.passes, { n: number(cost.passes) });
        const texts = [
          number(meter.operations),
          number(meter.products),
          kept(meter.kept, meter.bytes),
          passes,
          number(cost.operations),
          number(cost.products),
          kept(cost.kept, cost.bytes),
        ];
        texts.forEach((text, c) => put(rows[k].cells[c], text));
        rows[k].cells[2].style.setProperty("--adl-share", meter.kept / most);
      });
    },
  };
}
