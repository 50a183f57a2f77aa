/**
 * The groups of a graph: which exist, which contain a line, and which are open. Needs no browser.
 *
 * Line numbers are those of the whole run; an excerpt of a long run has different ones, see `trace.js`.
 *
 * @import { ShownTrace as Trace } from "../trace.js"
 * @import { GroupLayout, Layout, Num } from "../trace_types.js"
 */

import { ownLine, phaseLengths, wholeLine, wholeStep } from "../trace.js";

/**
 * A group: its data from Python, and its place among the others. The name of a box contains the number of its first
 * line; `line` converts it.
 * @typedef {object} Nesting
 * @property {string} id
 * @property {string} title
 * @property {string} said its size, in words
 * @property {number} first its first line
 * @property {number} end the line after its last one
 * @property {Out[]} outs its values that are used outside
 * @property {Group|null} parent
 * @property {Map<number, Group>} inside the groups that are directly inside, by their first lines
 * @property {(line: number) => number} line converts a line number of its layout to one of the whole run
 * @property {(name: string) => Group|undefined} child the group that a box stands for
 * @property {(name: string) => string} key makes the name of a box or an edge unique in the whole graph
 */
/** @typedef {Omit<GroupLayout, "title"|"said"|"outs"> & Nesting} Group */
/**
 * @typedef {number|[line: number, name: string, value: string, adjoint?: string, reached?: number,
 *   complete?: number]} Out a value of a group that is used outside: its line, or for a long run the
 *   texts to show; `reached` and `complete` are steps
 */

/** @type {Pick<Nesting, "title"|"said"|"outs">} */
const UNTOLD = { title: "", said: "", outs: [] };

/**
 * The groups of a layout. A graph without groups is a single open group, the root.
 * @param {Trace} trace @param {Layout} layout @param {Layout} [whole] of the whole run, if this trace is an excerpt
 * @returns {{root: Group, all: Group[]}} `all` without the root, in the order of the tape, outer ones first
 */
export function groupsOf(trace, layout, whole) {
  const own = layout.groups ?? {};
  const ids = [...new Set([...Object.keys(whole?.groups ?? {}), ...Object.keys(own)])];
  const root = nest(
    { ...UNTOLD, id: "", first: 0, end: Infinity, layout: whole ?? layout },
    (line) => (whole ? line : wholeLine(trace, line)),
  );
  const all = ids
    .map((id) => {
      const [first, end] = id.slice(1).split("_").map(Number);
      return nest(
        {
          ...UNTOLD,
          ...own[id],
          ...whole?.groups?.[id],
          ...(own[id] ? { layout: own[id].layout } : {}),
          id,
          first,
          end,
        },
        (line) => (own[id] ? wholeLine(trace, line) : line),
      );
    })
    .sort((a, b) => a.first - b.first || b.end - a.end);
  let around = [root];
  for (const group of all) {
    around = around.filter(({ end }) => group.end <= end);
    const parent = around.at(-1) ?? root;
    group.parent = parent;
    parent.inside.set(group.first, group);
    around.push(group);
  }
  return { root, all };
}

/**
 * Makes a group from its data, without a parent or children yet.
 * @param {Omit<Group, "parent"|"inside"|"line"|"child"|"key">} told @param {Nesting["line"]} line
 * @returns {Group}
 */
function nest(told, line) {
  /** @type {Map<number, Group>} */
  const inside = new Map();
  /** @param {string} name */
  const child = (name) => (name[0] === "g" ? inside.get(line(Number(name.slice(1)))) : undefined);
  /** @param {string} name */
  function key(name) {
    if (name[0] === "g") return child(name)?.id ?? name;
    return "fm".includes(name[0]) ? `${told.id}/${name}` : name;
  }
  return { ...told, parent: null, inside, line, child, key };
}

/** The groups that contain a line, outermost first. @param {Group} root @param {number} line */
export function holding(root, line) {
  /** @type {Group[]} */
  const found = [];
  /** @type {Group|undefined} */
  let group = root;
  while (group) {
    /** @type {Group[]} */
    const inside = [...group.inside.values()];
    group = inside.find(({ first, end }) => first <= line && line < end);
    if (group) found.push(group);
  }
  return found;
}

/**
 * What the learner has opened and closed by hand, by id.
 * @typedef {{opened: ReadonlySet<string>, shut: ReadonlySet<string>}} KeptGroups
 */

/**
 * The groups that are open: those that the learner opened, and those that contain the step, unless the learner closed
 * them.
 * @param {Group[]} all @param {Group[]} around the groups that hold the step @param {KeptGroups} kept
 * @returns {Map<string, number>} how far each is open: 1
 */
export function openGroups(all, around, { opened, shut }) {
  /** @param {Group} group */
  const isOpen = (group) => {
    if (!group.layout) return false; // its content belongs to another excerpt
    if (opened.has(group.id)) return true;
    return around.includes(group) && !shut.has(group.id);
  };
  return new Map(all.filter(isOpen).map(({ id }) => [id, 1]));
}

/**
 * Forgets that the learner closed a group around the step once the step has left it, so it may open again.
 * @param {KeptGroups} kept @param {Group[]} around @returns {KeptGroups} the same object if nothing changed
 */
export function leftBehind(kept, around) {
  const shut = [...kept.shut].filter((id) => around.some((group) => group.id === id));
  return shut.length === kept.shut.size ? kept : { ...kept, shut: new Set(shut) };
}

/**
 * Closes a group if it is open, else opens it.
 * @param {KeptGroups} kept @param {Group} group @param {boolean} isOpen @param {Group[]} around
 * @returns {KeptGroups}
 */
export function toggledGroup(kept, group, isOpen, around) {
  const opened = new Set(kept.opened);
  const shut = new Set(kept.shut);
  if (isOpen) {
    opened.delete(group.id);
    if (around.includes(group)) shut.add(group.id);
  } else {
    opened.add(group.id);
    shut.delete(group.id);
  }
  return { opened, shut };
}

/**
 * Opens all groups whose content is available, or closes all.
 * @param {Group[]} all @param {Group[]} around @param {boolean} open
 * @returns {KeptGroups}
 */
export function allTurned(all, around, open) {
  const groups = open ? all : around;
  const ids = new Set(groups.filter(({ layout }) => layout).map(({ id }) => id));
  if (open) return { opened: ids, shut: new Set() };
  return { opened: new Set(), shut: ids };
}

/**
 * How many lines of the whole run are recorded at step `s`.
 * @param {Trace} trace @param {number} s
 */
export function recordedAt(trace, s) {
  if (s < 0) return 0;
  const { record, forward } = phaseLengths(trace);
  return Math.min(wholeStep(trace, s) + 1, record + forward);
}

/**
 * A value of a group that is used outside. Its `adjoint` is "" before the first contribution, and null for a line
 * that isn't recorded.
 * @typedef {{name: string, value: string, line: number|null, adjoint: string|null}} GroupRow
 */

/**
 * The state of a closed group at step `s`: whether it's recorded and swept, and its values that are used outside.
 * @param {Trace} trace @param {Group} group @param {number} s @param {(line: number) => Num|null} adjoint of a line of this trace
 * @param {number} [recorded] how many lines are
 * @returns {{recorded: boolean, swept: boolean, rows: GroupRow[]}}
 */
export function progress(trace, group, s, adjoint, recorded = recordedAt(trace, s)) {
  const at = wholeStep(trace, s);
  const step = trace.steps[s];
  const swept = step?.phase === "sweep" && wholeLine(trace, step.line) < group.first;
  const rows = group.outs.map((out) => {
    const [line, name, value, final, reached, complete] = Array.isArray(out) ? out : [out];
    const own = ownLine(trace, line);
    const isKnown = line < recorded;
    if (own !== null) return rowOf(trace, own, name, isKnown, adjoint(own));
    if (!isKnown) return { name: name ?? "", value: "", line: null, adjoint: null };
    const known = { name: name ?? "", value: value ?? "", line: null };
    const hasAdjoint = final !== undefined && reached !== undefined && at >= reached;
    if (!hasAdjoint) return { ...known, adjoint: "" };
    const isComplete = complete === undefined || at >= complete;
    return { ...known, adjoint: isComplete ? final : "…" };
  });
  return { recorded: group.first < recorded, swept, rows };
}

/**
 * A row for a value of this excerpt.
 * @param {Trace} trace @param {number} line @param {string|undefined} name @param {boolean} isKnown @param {Num|null} reached
 * @returns {GroupRow}
 */
function rowOf(trace, line, name, isKnown, reached) {
  const { label, display_name, value } = trace.lines[line];
  const named = { name: name ?? (label || display_name), line };
  if (!isKnown) return { ...named, value: "", adjoint: null };
  const adjoint = reached ? reached.short || reached.text : "";
  return { ...named, value: value.short || value.text, adjoint };
}
