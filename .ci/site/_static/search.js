// Sphinx takes the excerpt of a search result from all of `role="main"`, which in this theme includes the buttons above a
// page and the contents at its side. So we give it only the article, without players, drawings and buttons.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const textOf = Search.htmlToText;
  const noProse = ".adl-player, svg, style, script, summary, .launch, .of-reference, [hidden]";
  Search.htmlToText = (page, anchor) => {
    const article = new DOMParser().parseFromString(page, "text/html").querySelector("article");
    if (!article) return textOf(page, anchor);
    for (const part of article.querySelectorAll(noProse)) part.remove();
    for (const block of article.querySelectorAll("h1, h2, h3, p, li, dt, td, pre"))
      block.append(" ");
    return textOf(`<div role="main">${article.innerHTML}</div>`, anchor).replace(/\s+/g, " ");
  };
});
