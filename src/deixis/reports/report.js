"use strict";
for (const article of document.querySelectorAll(".example")) {
  const picture = article.querySelector(".picture");
  if (!picture) continue;
  const show = (event) => {
    const name = event.target.closest("[data-objects]");
    const wanted = new Set(name ? name.dataset.objects.split(" ") : []);
    picture.classList.toggle("pointing", wanted.size > 0);
    for (const thing of picture.querySelectorAll("g.object")) thing.classList.toggle("lit", wanted.has(thing.dataset.object));
  };
  for (const kind of ["mouseover", "mouseleave", "focusin", "focusout", "click"]) article.addEventListener(kind, show);
}
for (const link of document.querySelectorAll('a[href^="#code-"]')) {
  link.addEventListener("click", () => { document.getElementById("codes").open = true; });
}
