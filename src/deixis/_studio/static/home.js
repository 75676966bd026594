// The first page while a demo is being made: how far it is, and a new look whenever something is ready.
import { ask } from "./studio.js";

const panel = document.querySelector("#preparing");
const bar = panel.querySelector("progress"), words = panel.querySelector("#stage");

async function follow() {
  const stage = await ask("/preparing").catch(() => null);
  if (stage && (stage.is_over || String(stage.entries) !== panel.dataset.entries)) return location.reload();
  if (stage) {
    if (stage.total) Object.assign(bar, { max: stage.total, value: stage.done });
    else bar.removeAttribute("value");
    const said = stage.total ? `${stage.name}: ${stage.done.toLocaleString("en")} of ${stage.total.toLocaleString("en")}` : stage.name;
    if (words.textContent !== said) words.textContent = said;
  }
  setTimeout(follow, 1000);
}
follow();
