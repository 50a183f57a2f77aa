/**
 * The groups of a graph: which there are, which hold a line, which are open. No browser is needed here.
 *
 * All numbers of lines are those of the whole run; a stretch of a long run has its own, see `trace.js`.
 *
 * @import { ShownTrace as Trace } from "../trace.js"
 * @import { GroupNote, Layout, Num } from "../trace_types.js"
 */

import { ownLine, phaseLengths, wholeLine, wholeStep } from "../trace.js";

/**
 * The groups of a layout; without any, a graph is one group that is open.
 * @param {Trace} trace @param {Layout} layout @param {Layout} [whole] of the whole run, if this is a stretch of it
 * @returns {{root: Group, all: Group[]}} `all` without the root, in the order of the tape, outer ones first
 */
export function groupsOf(trace, layout, whole) {
  const own = layout.groups ?? {};
  const ids = [...new Set([...Object.keys(whole?.groups ?? {}), ...Object.keys(own)])];
  const root = nest(
    { id: "", first: 0, end: Infinity, layout: whole ?? layout, parent: null },
    (line) => (whole ? line : wholeLine(trace, line)),
  );
  const all = ids
    .map((id) => {
      const [first, end] = id.slice(1).split("_").map(Number);
      return nest(
        {
          outs: [],
          ...own[id],
          ...whole?.groups[id],
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
    group.parent = around.at(-1);
    group.parent.inside.set(group.first, group);
    around.push(group);
  }
  return { root, all };
}

/** A group knows which others are directly inside; boxes are called after their first line, as `line` reads it. */
function nest(group, line) {
  const inside = new Map();
  return Object.assign(group, {
    inside,
    line,
    child: (name) => (name[0] === "g" ? inside.get(line(Number(name.slice(1)))) : undefined),
    key: (name) =>
      name[0] === "g"
        ? group.child(name).id
        : "fm".includes(name[0])
          ? `${group.id}/${name}`
          : name,
  });
}

/** The groups that hold a line, the outermost first. @param {Group} root @param {number} line */
export function holding(root, line) {
  const found = [];
  for (let group = root; group;) {
    group = [...group.inside.values()].find(({ first, end }) => first <= line && line < end);
    if (group) found.push(group);
  }
  return found;
}

/**
 * What the learner has opened and closed by hand, by id.
 * @typedef {{opened: ReadonlySet<string>, shut: ReadonlySet<string>}} KeptGroups
 */

/**
 * Which groups are open: those the learner has opened, and those around the step, as long as it is there.
 * @param {Group[]} all @param {Group[]} around the groups that hold the step @param {KeptGroups} kept
 * @returns {Map<string, number>} how far each is open: 1
 */
export function openGroups(all, around, { opened, shut }) {
  const open = all.filter(
    (group) =>
      group.layout && (opened.has(group.id) || (around.includes(group) && !shut.has(group.id))),
  );
  return new Map(open.map(({ id }) => [id, 1]));
}

/**
 * A group that the learner has closed around the step may open again, once the step has left it.
 * @param {KeptGroups} kept @param {Group[]} around @returns {KeptGroups} the same, if nothing was left behind
 */
export function leftBehind(kept, around) {
  const shut = [...kept.shut].filter((id) => around.some((group) => group.id === id));
  return shut.length === kept.shut.size ? kept : { ...kept, shut: new Set(shut) };
}

/**
 * The learner closes a group that is open, or opens it.
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

/** All groups that are at hand are opened, or closed. @param {Group[]} all @param {Group[]} around @param {boolean} open @returns {KeptGroups} */
export function allTurned(all, around, open) {
  const ids = (open ? all : around).filter(({ layout }) => layout).map(({ id }) => id);
  return open
    ? { opened: new Set(ids), shut: new Set() }
    : { opened: new Set(), shut: new Set(ids) };
}

/** How many lines of the whole run are recorded at step `s`. */
export function recordedAt(trace, s) {
  const { record, forward } = phaseLengths(trace);
  return Math.min(s < 0 ? 0 : wholeStep(trace, s) + 1, record + forward);
}

/**
 * What a closed group shows at step `s`: how far the run has come in it, and the values that leave it.
 * @param {Trace} trace @param {Group} group @param {number} s @param {(line: number) => Num|null} adjoint of a line of this trace
 * @returns {{recorded: boolean, swept: boolean, rows: {name: string, value: string, line: number|null, adjoint: string|null}[]}}
 *   `adjoint` "" is one that nothing has reached; null stands for a line that is not recorded
 */
export function progress(trace, group, s, adjoint, recorded = recordedAt(trace, s)) {
  const at = wholeStep(trace, s);
  const step = trace.steps[s];
  const swept = step?.phase === "sweep" && wholeLine(trace, step.line) < group.first;
  const rows = group.outs.map((out) => {
    const [line, name, value, final, reached, complete] = Array.isArray(out) ? out : [out];
    const own = ownLine(trace, line);
    const known = line < recorded;
    if (own === null)
      return {
        name,
        value: known ? value : "",
        line: null,
        adjoint: !known
          ? null
          : at < reached || final === undefined
            ? ""
            : at < complete
              ? "…"
              : final,
      };
    const told = trace.lines[own];
    const reachedNow = adjoint(own);
    return {
      name: name ?? (told.label || told.display_name),
      value: known ? told.value.short || told.value.text : "",
      line: own,
      adjoint: known ? (reachedNow ? reachedNow.short || reachedNow.text : "") : null,
    };
  });
  return { recorded: group.first < recorded, swept, rows };
}
