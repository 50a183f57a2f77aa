/**
 * The pane of the graph: the scale of the graph, the part in view, and the open groups.
 *
 * @import { Actions } from "../actions.js"
 * @import { Side, Sides } from "../dom.js"
 * @import { Moment } from "../moment.js"
 * @import { ShownRun, State } from "../state.js"
 * @import { Store } from "../store.js"
 * @import { Size, Step } from "../trace_types.js"
 * @import { BoxPart } from "./drawing.js"
 * @import { Group } from "./groups.js"
 */

import { calm, edgeSigns, html, scrollInside, sideBeyond } from "../dom.js";
import { ghostsAt } from "../feel.js";
import { changedLines, looksLike } from "../moment.js";
import { momentOf } from "../state.js";
import { whenChanged } from "../store.js";
import { wholeLine } from "../trace.js";
import { FIT } from "../trace_types.js";
import { curveView } from "./curve.js";
import { drawingOf } from "./drawing.js";
import { bestOf, fitOf, freeSpotAmong, PAD } from "./fit.js";
import { allTurned, holding, openGroups, toggledGroup } from "./groups.js";
import { groupTools, lensTools } from "./lens.js";

const FADE = FIT.FOLLOW_MARGIN; // pixels between the faded sides of the pane and the boxes of a step
const CLOSE = 3; // the same where there isn't enough space
const MIN_SCALE = 0.05; // of a graph that is shown whole
const OPENING_MS = 180; // the time that a group takes to open

/** The smallest rectangle around two others. @param {Sides} a @param {Sides} b @returns {Sides} */
const around = (a, b) => ({
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
});
/** A rectangle that is `by` larger on each side. @param {Sides} box @param {number} by @returns {Sides} */
const wideBy = ({ left, top, right, bottom }, by) => ({
  left: left - by,
  top: top - by,
  right: right + by,
  bottom: bottom + by,
});

/**
 * The view of a run's graph, whose groups open.
 * @param {ShownRun} run its layouts have the same boxes; the one that can be shown largest is used
 * @param {Store<State>} store @param {Actions} actions
 * @param {string} prefix makes ids unique among the players of the page
 */
export function graphView(run, store, actions, prefix) {
  const { trace, layouts, whole, root, allGroups } = run;
  const drawing = drawingOf(run, actions, prefix, toggle);
  const element = html("div", { class: "adl-graph-body" }, drawing.element);
  const signs = edgeSigns(element);
  const curve = curveView(run, drawing.placeOfEdge);
  const tools = lensTools(element, drawing.element, store, trace.say, () => scale);
  if (allGroups.length) tools.element.prepend(...groupTools(trace.say, turnAll));

  /** @type {Moment|null} */
  let shown = null; // the moment that is written
  let { lens } = store.get();
  let scale = 1;
  let room = { width: 0, height: 0 };
  /** @type {number[]} */
  let partners = []; // the lines that this step reads from or sends to
  let layout = whole ?? layouts[0]; // the one that suits the available space
  let isOpening = false; // while a group opens, `toggle` draws it
  let drawnOpen = "none yet"; // the ids of the groups that are open

  /** The size of the drawing, at scale 1. */
  const sizeOfDrawing = () => ({
    width: drawing.scene.width + 2 * PAD,
    height: drawing.scene.height + 2 * PAD,
  });
  const unitOf = () => parseFloat(getComputedStyle(element).fontSize) / 14;

  /** Scales the drawing: to fit, or as the learner zoomed it. */
  function fit() {
    if (room.width <= 0) return;
    const fitted = fitOf(layout, room, unitOf()).scale;
    const { width, height } = sizeOfDrawing();
    if (lens.isWhole) {
      const whole = Math.min(fitted, room.width / width, room.height / height);
      scale = Math.max(MIN_SCALE, whole);
    } else {
      scale = lens.scale ?? fitted;
    }
    resize();
  }
  function resize() {
    const { width, height } = sizeOfDrawing();
    drawing.element.style.width = `${Math.floor(width * scale)}px`;
    drawing.element.style.height = `${Math.floor(height * scale)}px`;
    drawing.leave(PAD + Math.max(0, (room.height / scale - height) / 2));
    sign();
  }
  /** Adapts the scale to opened groups: a graph that is shown whole gets larger. */
  const rescale = () => (lens.isWhole ? fit() : resize());

  /**
   * The position of a box on screen, for a drawing at `frame`.
   * @param {BoxPart} part @param {Sides} frame
   * @returns {Sides}
   */
  function placeOf({ place: { x, y, w, h } }, frame) {
    const left = frame.left + (x - w / 2 + PAD) * scale;
    const top = frame.top + (y - h / 2 + PAD) * scale;
    return { left, top, right: left + w * scale, bottom: top + h * scale };
  }

  /** The names of this step's partners that are out of view, by the side of the pane. */
  function partnersBeyond() {
    /** @type {Record<Side, string[]>} */
    const beyond = { left: [], right: [], top: [], bottom: [] };
    if (!partners.length) return beyond;
    const view = element.getBoundingClientRect();
    const frame = drawing.element.getBoundingClientRect();
    for (const i of partners) {
      const part = drawing.standIn(i);
      const side = part && sideBeyond(placeOf(part, frame), view);
      const { assigned_name, display_name } = trace.lines[i];
      if (side) beyond[side].push(assigned_name || display_name);
    }
    return beyond;
  }
  /** Updates the signs at the sides and the titles of open groups, which depend on what is in view. */
  function sign() {
    signs.show(partnersBeyond());
    drawing.slideTitles(element.scrollLeft / scale - PAD);
  }
  element.addEventListener("scroll", sign, { passive: true });

  /** The groups that contain the step. @param {Moment} moment */
  const groupsAround = ({ step }) => (step ? holding(root, wholeLine(trace, step.line)) : []);
  /** How far each group is open. @param {State} state */
  const openAt = (state) => openGroups(allGroups, groupsAround(momentOf(state)), state.groups);

  /** Opens all groups, or closes them. @param {boolean} open */
  function turnAll(open) {
    store.update((state) => ({
      ...state,
      groups: allTurned(allGroups, groupsAround(momentOf(state)), open),
      lens: { ...state.lens, isHeld: false },
    }));
  }
  /**
   * Opens or closes a group that the learner clicked. Its head stays in place, and the rest moves.
   * @param {Group} group
   */
  function toggle(group) {
    if (!group.layout) return actions.openGroup(group); // its content belongs to another excerpt
    const wasOpen = openAt(store.get()).has(group.id);
    isOpening = true;
    store.update((state) => ({
      ...state,
      groups: toggledGroup(state.groups, group, wasOpen, groupsAround(momentOf(state))),
    }));
    const start = performance.now();
    const frame = () => {
      const t = calm() ? 1 : Math.min(1, (performance.now() - start) / OPENING_MS);
      const share = t * t * (3 - 2 * t);
      const open = openAt(store.get());
      if (t < 1) open.set(group.id, Math.max(0.01, wasOpen ? 1 - share : share));
      const before = cornerOf(group);
      redraw(open);
      const after = cornerOf(group);
      const shift = { left: after.left - before.left, top: after.top - before.top };
      element.scrollBy({ ...shift, behavior: "instant" });
      if (t < 1) requestAnimationFrame(frame);
      else isOpening = false;
    };
    frame();
  }
  /** The position of a group's corner on screen. @param {Group} group */
  function cornerOf(group) {
    const part = drawing.boxOfGroup(group);
    if (!part) return { left: 0, top: 0 };
    return placeOf(part, drawing.element.getBoundingClientRect());
  }
  /** Draws the graph with these groups open, and writes the boxes that appeared. @param {Map<string, number>} open */
  function redraw(open) {
    const come = drawing.arrange(layout, open, element);
    rescale();
    if (shown) drawing.write(shown, come);
  }

  /**
   * Scrolls the current node into view, with as many of its partners as fit, nearest first.
   * @param {Step} step @param {boolean} smooth
   */
  function follow(step, smooth) {
    const operands = trace.lines[step.line].operands.map(({ line }) => line);
    const receivers = step.sends.map(({ parent }) => parent);
    const talks = new Set(step.phase === "sweep" ? receivers : operands);
    partners = [...talks].filter((line) => line !== null).filter((line) => drawing.standIn(line));
    const node = drawing.standIn(step.line);
    if (!node) return;
    const frame = drawing.element.getBoundingClientRect();
    const own = placeOf(node, frame);
    /** @param {Sides} box */
    const far = (box) => Math.abs(box.left - own.left) + Math.abs(box.top - own.top);
    const isTall = element.scrollHeight > element.clientHeight;
    /** Whether a whole box fits into the pane with this margin around it. @param {Sides} box @param {number} margin */
    const fitsWithin = (box, margin) => {
      const across = element.clientWidth - 2 * margin;
      const down = isTall ? element.clientHeight - 2 * margin : Infinity;
      return box.right - box.left < across && box.bottom - box.top < down;
    };
    const others = [...drawing.besides(step.line), ...partners.map(drawing.standIn)]
      .flatMap((part) => (part ? [placeOf(part, frame)] : []))
      .sort((a, b) => far(a) - far(b));
    const labels = drawing.labels().map((text) => text.getBoundingClientRect());
    let target = own;
    let margin = FADE;
    const clear = wideBy(own, FADE - CLOSE);
    for (const box of [...others, ...labels]) {
      const wider = around(target, box);
      if (fitsWithin(wider, margin)) {
        target = wider;
        continue;
      }
      // Better in the faded margin than out of view; only the step's own box must stay clear of it.
      const closer = around(wider, clear);
      if (!fitsWithin(closer, CLOSE)) continue;
      target = closer;
      margin = CLOSE;
    }
    if (lens.isHeld) {
      partners.unshift(step.line); // the learner looks elsewhere: a sign at the side says where the step is
    } else {
      scrollInside(element, target, smooth, margin);
    }
    sign();
  }

  /**
   * The layout that is shown largest in a space of this size, with its scale and height.
   * @param {Size} given
   */
  const best = (given) => ({
    ...bestOf(whole || allGroups.length ? [layout] : layouts, given, unitOf()),
    opens: allGroups.length > 0,
  });

  const look = whenChanged(
    (state) => [state.lens],
    (state) => {
      if (lens === state.lens) return; // the first render
      lens = state.lens;
      fit();
      const { step } = momentOf(state);
      if (step && !lens.isHeld) follow(step, false);
    },
  );
  const drawTokens = whenChanged(
    (state) => [momentOf(state).s, momentOf(state).u],
    (state) => drawing.drawTokens(momentOf(state), Math.max(1, (0.9 * unitOf()) / scale)),
  );
  const drawGhosts = whenChanged(
    (state) => [ghostsAt(state), state.felt?.isFaint, momentOf(state).landed, drawnOpen, layout],
    (state) => drawing.drawGhosts(momentOf(state), ghostsAt(state), Boolean(state.felt?.isFaint)),
  );
  const light = whenChanged(
    (state) => [state.hover],
    (state) => drawing.link(state.hover),
  );
  /**
   * Draws the open groups, and rewrites the lines whose look has changed.
   * @param {State} state
   */
  function write(state) {
    const moment = momentOf(state);
    const lines = new Set(looksLike(shown, moment) ? [] : changedLines(shown, moment));
    const open = openAt(state);
    const ids = [...open.keys()].join();
    const isRearranged = ids !== drawnOpen && !isOpening;
    if (isRearranged) {
      for (const line of drawing.arrange(layout, open, element)) lines.add(line);
      if (shown) rescale();
    }
    if (isRearranged || !looksLike(shown, moment)) drawing.write(moment, lines);
    drawnOpen = ids;
    shown = moment;
  }

  return {
    element,
    signs: signs.elements,
    tools: tools.element,
    curve: curve.element,
    best,
    follow,
    /** @param {State} state */
    render(state) {
      write(state);
      look(state);
      drawTokens(state);
      drawGhosts(state);
      light(state);
      curve.render(state);
      tools.render(state);
    },
    /** Fits the graph into the space that the pane has. @param {Size} given */
    place(given) {
      room = given;
      const { layout: suited, whole: isWhole } = best(given);
      if (suited !== layout) {
        layout = suited;
        const come = drawing.arrange(layout, openAt(store.get()), element);
        if (shown) drawing.write(shown, come);
      }
      element.classList.toggle("is-whole", isWhole);
      fit();
      drawing.label(shown?.step);
    },
    /**
     * The place near the centre where a square of this size hides the least of the graph, in pixels
     * from the corner of the pane.
     * @param {number} size
     */
    freeSpot(size) {
      const { clientWidth: width, clientHeight: height, offsetTop: below } = element;
      const drawn = sizeOfDrawing();
      // A graph that is larger than the pane starts at its corner.
      const left = Math.max(0, (width - drawn.width * scale) / 2) - element.scrollLeft;
      const top = Math.max(0, (height - drawn.height * scale) / 2) - element.scrollTop;
      const boxes = [...drawing.scene.boxes.values()].map(({ x, y, w, h }) => ({
        x: left + (x + PAD) * scale,
        y: top + (y + PAD) * scale,
        w: w * scale,
        h: h * scale,
      }));
      const { x, y } = freeSpotAmong(boxes, { width, height }, size);
      return { x, y: y + below }; // the buttons of a graph that scrolls are above it
    },
  };
}
