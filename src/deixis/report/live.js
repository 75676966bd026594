// Live sentences: each part becomes a button that switches it off and on, and the board shows what fits what is left.
// A classic script, so that pages opened from the disk run it, too.
(() => {
  for (const live of document.querySelectorAll("[data-live]")) start(live);

  function start(live) {
    const { names, fits, texts } = JSON.parse(live.dataset.live);
    const $ = (selector) => live.querySelector(selector);
    const off = new Set();
    const buttons = [...live.querySelectorAll("span[data-part]")].map((span) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = span.className;
      button.textContent = span.textContent;
      Object.assign(button.dataset, span.dataset);
      span.replaceWith(button);
      return button;
    });
    const pieces = live.querySelectorAll("[data-inside]");
    const inside = (piece) => (piece.dataset.inside ? piece.dataset.inside.split(" ").map(Number) : []);

    function show() {
      live.classList.toggle("tried", off.size > 0);
      for (const piece of pieces) {
        const isGone = inside(piece).some((part) => off.has(part));
        const isOff = piece.dataset.part !== undefined && off.has(Number(piece.dataset.part));
        piece.classList.toggle("live-off", isGone || isOff);
        if (piece.dataset.part === undefined) continue;
        piece.disabled = isGone;
        piece.setAttribute("aria-pressed", String(!isGone && !isOff));
      }
      const choice = [...off].reduce((sum, part) => sum + 2 ** part, 0);
      const found = fits[choice];
      for (const thing of live.querySelectorAll(".live-picture [data-object]")) {
        thing.classList.toggle("fits", found.includes(Number(thing.dataset.object)));
      }
      const headline = $(".live-headline");
      headline.classList.toggle("several", found.length !== 1);
      headline.textContent = say(found);
      $(".live-text").textContent = `Left: ‘${texts[choice]}’`;
      $(".live-names").replaceChildren(...found.map((number) => {
        const item = document.createElement("li");
        item.textContent = names[number];
        return item;
      }));
      $(".live-text").hidden = $(".live-back").hidden = !off.size;
      $(".live-names").hidden = found.length < 2;
      $(".live-hint").hidden = off.size > 0;
    }

    function say(found) {
      if (!off.size) return `All words together pick out one object: the ${names[found[0]]}.`;
      if (found.length > 1) return `${found.length} objects fit: what is left is ambiguous.`;
      if (!found.length) return "Nothing fits what is left.";
      if (found[0] === fits[0][0]) return "The same object: these words could be spared.";
      return `Another object: the ${names[found[0]]}.`;
    }

    for (const button of buttons) {
      button.addEventListener("click", () => {
        const part = Number(button.dataset.part);
        if (!off.delete(part)) off.add(part);
        show();
      });
    }
    $(".live-back").addEventListener("click", () => {
      off.clear();
      show();
      buttons[0].focus();
    });
    show();
  }
})();
