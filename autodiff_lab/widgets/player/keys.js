/** Keys: what each does, and when it belongs to somebody else. */

export const KEYS = { ArrowLeft: "back", ArrowRight: "forward", PageUp: "back", PageDown: "forward", Home: "first", End: "last", " ": "toggle" };

/**
 * What a key does when `target` has the focus; null leaves the key to the browser. A slider keeps its
 * own arrows, a button its own space. The page keys are those of a clicker, and step wherever one is.
 * @param {{key: string, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean, shiftKey?: boolean}} event
 * @param {{tag: string, role?: string, type?: string}} target
 */
export function keyAction(event, target) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return null;
  const action = KEYS[event.key] ?? null;
  if (event.key.startsWith("Page")) return action;
  const tag = target.tag.toLowerCase();
  if (tag === "select" || (tag === "input" && (action !== "toggle" || target.type !== "range"))) return null;
  if (action === "toggle" && (tag === "button" || target.role === "button")) return null;
  return action;
}
