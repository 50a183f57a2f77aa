// Adds to the link "I did not understand something here" where the reader is: the page, and the section in view.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("a.feedback");
  if (!link) return;
  const above = [...document.querySelectorAll("article :is(h1, h2, h3)")].filter(
    (heading) => heading.getBoundingClientRect().top < innerHeight / 2,
  );
  const section = above.at(-1)?.firstChild?.textContent?.trim();
  const address = new URL(link.href);
  const page = address.searchParams.get("where").split(", ")[0];
  address.searchParams.set("where", section && section !== page ? `${page}, ${section}` : page);
  link.href = address.href;
});
