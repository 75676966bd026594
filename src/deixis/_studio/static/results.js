// The results: filters that apply at once.

// A form with data-at-once goes to its address as soon as something is chosen; the button is for those without scripts.
for (const form of document.querySelectorAll("form[data-at-once]")) {
  for (const button of form.querySelectorAll("[data-without-script]")) button.hidden = true;
  form.addEventListener("change", (event) => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    keepFocus(event.target.id);
    location.assign(`${form.getAttribute("action")}?${query}${form.dataset.atOnce}`);
  });
}

// Where somebody was stays where somebody is when the page comes again.
function keepFocus(id) {
  if (id) sessionStorage.setItem("results-focus", id);
}
const before = sessionStorage.getItem("results-focus");
if (before) {
  sessionStorage.removeItem("results-focus");
  document.getElementById(before)?.focus({ preventScroll: true });
}
