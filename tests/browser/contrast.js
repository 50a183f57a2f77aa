/* Every visible text of an element with its contrast against what lies behind it (WCAG 2.2, 1.4.3). */
(root) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map(); // a page has few colours, and to ask a canvas takes long
  const rgba = (color) => {
    if (!known.has(color)) known.set(color, ask(color));
    return known.get(color);
  };
  const ask = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) =>
    [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3])).concat(1);
  const luminance = (color) => {
    const [r, g, b] = color.map((c) =>
      c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const isShape = (element) => element instanceof SVGGeometryElement;
  const paint = (element) => {
    const style = getComputedStyle(element);
    if (isShape(element)) return style.fill === "none" ? [0, 0, 0, 0] : rgba(style.fill);
    return element instanceof SVGElement ? [0, 0, 0, 0] : rgba(style.backgroundColor);
  };
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (
      !text ||
      element.closest("title, option") ||
      !element.checkVisibility({ visibilityProperty: true })
    )
      continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = [...range.getClientRects()].find((r) => r.width > 0 && r.height > 0);
    if (!box) continue;
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!stack.includes(element)) continue; // scrolled out of its pane
    let behind = [255, 255, 255, 1];
    for (const one of stack.slice(stack.indexOf(element)).reverse())
      behind = over(paint(one), behind);
    const style = getComputedStyle(element);
    const ink = over(rgba(element instanceof SVGElement ? style.fill : style.color), behind);
    const [low, high] = [luminance(ink), luminance(behind)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize);
    found.push({
      text,
      ratio: (high + 0.05) / (low + 0.05),
      size,
      ink: ink.map(Math.round),
      behind: behind.map(Math.round),
    });
  }
  return found;
};
