import { svg } from "../dom.js";

/** Dots that run along edges. @param {SVGElement} layer where they are drawn */
export function pulsesIn(layer) {
  let stopped = 0; // how often they were stopped
  return {
    /** @param {SVGPathElement[]} paths @param {string} kind "value", "tangent" or "adjoint" @param {boolean} backwards @param {number} duration */
    run(paths, kind, backwards, duration) {
      const round = stopped;
      for (const path of paths) {
        const dot = svg("circle", { r: 5, class: `adl-pulse is-${kind}` });
        let start, length;
        const step = (now) => {
          if (stopped !== round) return dot.remove();
          start ??= now;
          length ??= path.getTotalLength();
          if (!dot.isConnected) layer.append(dot);
          const t = Math.min(1, (now - start) / duration);
          const eased = t * t * (3 - 2 * t);
          const point = path.getPointAtLength(length * (backwards ? 1 - eased : eased));
          dot.setAttribute("cx", point.x);
          dot.setAttribute("cy", point.y);
          if (t < 1) requestAnimationFrame(step);
          else dot.remove();
        };
        requestAnimationFrame(step); // measuring a path now would delay the step
      }
    },
    stop() {
      stopped += 1;
      layer.querySelectorAll(".adl-pulse").forEach((dot) => dot.remove());
    },
  };
}
