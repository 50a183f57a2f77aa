/**
 * The groups of a graph: which there are, which hold a line, which are open. No browser is needed here.
 *
 * All numbers of lines are those of the whole run; a stretch of a long run has its own, see `state.js`.
 *
 * @typedef {{id: string, first: number, end: number, title: string, said: string, outs: (number|Array)[], more?: number,
 *            input?: boolean, layout?: import("../trace.js").Layout, parent: Group|null, child: function, key: function}} Group
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
 * Which groups are open: those the learner has opened, and those that hold the step, as long as it is there. What is
 * remembered is `kept`: {opened: Set, shut: Set} of ids; it outlives the drawing.
 */
export function opening(all, root, kept) {
  let now = [];
  return {
    /** The step has come to a line; undefined: there is none yet. */
    follow(line) {
      now = line === undefined ? [] : holding(root, line);
      for (const id of kept.shut) if (!now.some((group) => group.id === id)) kept.shut.delete(id);
    },
    /** @returns {Map<string, number>} */
    get open() {
      const open = all.filter(
        (group) =>
          group.layout &&
          (kept.opened.has(group.id) || (now.includes(group) && !kept.shut.has(group.id))),
      );
      return new Map(open.map(({ id }) => [id, 1]));
    },
    toggle(group) {
      if (this.open.has(group.id)) {
        kept.opened.delete(group.id);
        if (now.includes(group)) kept.shut.add(group.id);
      } else {
        kept.opened.add(group.id);
        kept.shut.delete(group.id);
      }
    },
    /** Opens all that are there, or closes all. */
    all(open) {
      kept.shut.clear();
      kept.opened.clear();
      for (const group of open ? all : now)
        if (group.layout) (open ? kept.opened : kept.shut).add(group.id);
    },
  };
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
