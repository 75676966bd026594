// The first page: the share of needed words of each dataset, counted on a small sample once the page is there.
import { ask } from "./studio.js";

for (const place of document.querySelectorAll("[data-needed]")) {
  const told = await ask(place.dataset.needed).catch(() => null);
  if (!told || told.share === null) continue;
  place.textContent = `${told.words} of words needed`;
  place.title = `measured on ${told.examples.toLocaleString("en")} examples`;
  place.hidden = false;
}
