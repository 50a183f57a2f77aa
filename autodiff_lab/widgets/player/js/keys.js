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

/**
 * Lets keys act on a player. @param {HTMLElement} root @param {Object<string, () => void>} actions
 * @param {(key: string) => boolean|undefined} beyond whether a key has nothing left to do
 */
export function listenTo(root, actions, beyond) {
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (root.closest(".reveal")) event.stopPropagation(); // there it would open the overview
      document.activeElement.blur();
      root.closest(".jp-Cell")?.focus(); // back to the slides, or to the notebook and its shortcuts
    }
    const over = beyond(event.key);
    if (event.key in KEYS && !over) event.stopPropagation(); // slides and notebooks around us have plans for these keys
    if (event.key === "Enter" && event.target.tagName === "BUTTON") {
      event.preventDefault(); // JupyterLab takes this key, so the browser would not press the button
      event.stopPropagation();
      event.target.click();
      return;
    }
    const action = keyAction(event, { tag: event.target.tagName, role: event.target.getAttribute("role"), type: event.target.type });
    if (!action || over) return;
    event.preventDefault();
    actions[action]();
  });
}
