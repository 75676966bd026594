// A participant's way through a study: consent, instructions, practice, items, breaks, end.
// The page is the same with a server and without one; `served` and `alone` below are the two ways to keep answers.
"use strict";

(() => {
  const study = window.DEIXIS_STUDY;
  const SEVERAL = "several fit", NONE = "none fits";
  const MOST_CLICKS = 50;
  const query = new URLSearchParams(location.search);
  const place = (id) => document.getElementById(id);
  const began = performance.now();

  // ------------------------------------------------------------------ small things

  function make(tag, values = {}, ...inside) {
    const one = document.createElement(tag);
    for (const [name, value] of Object.entries(values)) {
      if (name === "class") one.className = value;
      else if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
      else if (name === "style") Object.assign(one.style, value);
      else one.setAttribute(name, value);
    }
    one.append(...inside);
    return one;
  }

  // Headings, lists, paragraphs and **bold** of a text; nothing else, and never as markup.
  function prose(text) {
    const whole = make("div", { class: "words" });
    for (const block of text.replace(/\r/g, "").split(/\n\s*\n/)) {
      const lines = block.split("\n").map((line) => line.trim()).filter(Boolean);
      if (!lines.length) continue;
      const head = /^(#{1,3})\s+(.*)$/.exec(lines[0]);
      if (head) {
        whole.append(make(head[1].length === 1 ? "h1" : "h2", {}, head[2]));
        lines.shift();
        if (!lines.length) continue;
      }
      if (/^[-*] /.test(lines[0])) {
        const points = lines.join("\n").split(/^[-*] /m).filter((point) => point.trim());
        whole.append(make("ul", {}, ...points.map((point) => make("li", {}, ...bold(point.replace(/\n/g, " "))))));
      } else whole.append(make("p", {}, ...bold(lines.join(" "))));
    }
    return whole;
  }

  const bold = (text) => text.split("**").map((part, n) => (n % 2 ? make("strong", {}, part) : part));

  function show(...inside) {
    place("content").replaceChildren(...inside);
    window.scrollTo(0, 0);
  }

  function foot(...inside) {
    const bar = place("foot");
    bar.hidden = !inside.length;
    bar.replaceChildren(...inside);
    document.documentElement.style.setProperty("--foot", `${inside.length ? bar.offsetHeight : 0}px`);
  }

  function head(ask, far) {
    place("head").hidden = !ask;
    place("ask").textContent = ask;
    place("far").textContent = far;
  }

  function alert(text) {
    place("alert").hidden = !text;
    place("alert").textContent = text;
  }

  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  // Show something with one button, and go on when it is pressed.
  function step(content, label) {
    return new Promise((done) => {
      head("", "");
      const button = make("button", { type: "button", class: "main", id: "onwards", onclick: done }, label);
      show(content);
      foot(button);
      place("content").focus({ preventScroll: true });
    });
  }

  // ------------------------------------------------------------------ the order of items: as deixis/_study/order.py

  function scramble(word) {
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b) >>> 0;
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35) >>> 0;
    return (word ^ (word >>> 16)) >>> 0;
  }

  function hash(text) {
    let state = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
    return scramble(state);
  }

  function orderFor(items, seed, participant) {
    const found = [...items];
    let state = hash(`${seed}/${participant}`);
    for (let last = found.length - 1; last > 0; last--) {
      state = (state + 0x9e3779b9) >>> 0;
      const other = scramble(state) % (last + 1);
      [found[last], found[other]] = [found[other], found[last]];
    }
    return found;
  }

  // ------------------------------------------------------------------ keeping answers

  class Refusal extends Error {}

  // With a server: nothing counts before the server says that it is on its disk.
  const served = {
    async ask(address, values) {
      for (let times = 0; ; times++) {
        let answer;
        try {
          answer = await fetch(address, {
            method: "POST",
            headers: { "content-type": "application/json", accept: "application/json" },
            body: JSON.stringify(values),
          });
        } catch {
          alert("The server cannot be reached. Your last answer is kept here and sent again; please leave this page open.");
          await wait(Math.min(500 * 2 ** times, 8000));
          continue;
        }
        if (answer.status === 429 || answer.status >= 500) {
          await wait(Math.min(500 * 2 ** times, 8000));
          continue;
        }
        alert("");
        const told = await answer.json().catch(() => ({ error: "The server gave no answer that can be understood." }));
        if (!answer.ok && answer.status !== 409) throw new Refusal(told.error);
        return told;
      }
    },
    async enter() {
      const names = ["token", "PROLIFIC_PID", "STUDY_ID", "SESSION_ID"];
      const told = await this.ask("enter", Object.fromEntries(names.map((name) => [name, query.get(name) || ""])));
      if (told.token && !query.get("token")) {  // a link of one's own, so that a reload finds it
        query.set("token", told.token);
        history.replaceState(null, "", `?${query}`);
      }
      this.key = told.key;
      return told;
    },
    keep(row) { return this.ask("answer", { key: this.key, row }); },
    async finish() { return (await this.ask("finish", { key: this.key })).code; },
    close() {},
  };

  // Without one: answers are kept in the browser, and sent or saved as a file in the end.
  const alone = {
    async enter() {
      const given = query.get("PROLIFIC_PID") || query.get("token") || query.get("participant") || "";
      this.name = `deixis-study-${study.study}`;
      let kept = {};
      try { kept = JSON.parse(localStorage.getItem(`${this.name}-${hash(given)}`)) || {}; } catch { /* as if new */ }
      this.slot = `${this.name}-${hash(given)}`;
      this.participant = kept.participant || (given ? this.code(given) : this.chance());
      this.rows = Array.isArray(kept.rows) ? kept.rows : [];
      const practice = study.items.filter((item) => item.practice);
      const others = study.items.filter((item) => !item.practice);
      const order = [...practice, ...orderFor(others, study.order_seed, this.participant)].map((item) => item.id);
      return { participant: this.participant, items: study.items, order, answered: this.rows.length };
    },
    code(text) { return [0, 1, 2, 3].map((n) => hash(`${study.study}/${n}/${text}`).toString(16).padStart(8, "0")).join(""); },
    chance() { return [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join(""); },
    async keep(row) {
      this.rows.push({ ...row, participant: this.participant, study: study.study, form: "static" });
      try { localStorage.setItem(this.slot, JSON.stringify({ participant: this.participant, rows: this.rows })); } catch { /* then not over a reload */ }
      return {};
    },
    async finish() {
      if (study.post) {
        for (let times = 0; times < 5; times++) {
          try {
            const answer = await fetch(study.post, {
              method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(this.rows),
            });
            if (answer.ok) return study.code;
          } catch { /* tried again */ }
          await wait(500 * 2 ** times);
        }
        alert("Your answers could not be sent. Please save them as a file and send it to the experimenter.");
      }
      const file = new Blob([JSON.stringify(this.rows, null, 1)], { type: "application/json" });
      const link = make("a", { href: URL.createObjectURL(file), download: `deixis-${study.study}-${this.participant}.json`, id: "file" }, "Save my answers");
      this.link = link;
      return study.code;
    },
    close() { if (this.link) { place("content").append(make("p", { class: "words" }, "Your answers are in a file: ", this.link)); this.link.click(); } },
  };

  // ------------------------------------------------------------------ one item

  function parts(item, chosen, clicks, since) {
    const pictures = make("div", { class: "pictures" });
    const rest = [];
    let number = -1;
    for (const part of item.shown) {
      if (part.text !== undefined) { rest.push(make("pre", { class: "whole", tabindex: "0" }, part.text)); continue; }
      number += 1;
      const here = number;
      const picture = make("div", { class: "picture" }, make("img", { src: `images/${part.image}`, alt: part.title, draggable: "false" }));
      picture.addEventListener("pointerdown", (event) => {
        const box = picture.getBoundingClientRect();
        const share = (at, from, size) => Math.round(1e4 * (at - from) / size) / 1e4;
        if (clicks.length < MOST_CLICKS)
          clicks.push([since(), here, share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height)]);
      });
      const areas = item.areas.filter((area) => area[1] === here);
      const size = (area) => (area[4] - area[2]) * (area[5] - area[3]);
      const rank = new Map([...areas].sort((one, other) => size(other) - size(one)).map((area, n) => [area, n + 1]));
      for (const area of areas) {  // in the given order for the keyboard, small ones on top for the pointer
        const [answer, , left, top, right, bottom] = area;
        const share = (part) => `${100 * part}%`;
        picture.append(make("button", {
          type: "button", class: "area", "aria-pressed": "false", "data-answer": answer, "aria-label": `${part.title}: ${answer}`,
          style: { left: share(left), top: share(top), width: share(right - left), height: share(bottom - top), zIndex: String(rank.get(area)) },
          onclick: () => chosen(answer),
        }));
      }
      const caption = item.shown.filter((one) => one.image).length > 1 ? [make("figcaption", {}, part.title)] : [];
      pictures.append(make("figure", {}, picture, ...caption));
    }
    return [...(number >= 0 ? [pictures] : []), ...rest];
  }

  async function painted(inside) {
    await Promise.all([...inside.querySelectorAll("img")].map((one) => one.decode().catch(() => {})));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }

  // Ask one item; the answer, how long it took, and where was clicked.
  async function askItem(item, far) {
    const clicks = [], choices = [];
    let answer = "", first = null, blurs = 0, begins = NaN, ended = () => {};
    const since = () => Math.round(performance.now() - begins);
    const typed = !item.choices.length;
    const buttons = [];
    const mark = () => {
      for (const one of document.querySelectorAll("[data-answer]"))
        one.setAttribute("aria-pressed", String(one.dataset.answer === answer));
      confirm.disabled = typed ? !field.value.trim() : !answer;
    };
    const chosen = (value) => {
      if (Number.isNaN(begins)) return;
      answer = value;
      first ??= since();
      if (choices.length < MOST_CLICKS) choices.push([since(), value]);
      mark();
    };
    const confirm = make("button", { type: "button", class: "main", id: "answer", disabled: "", onclick: () => {
      if (Number.isNaN(begins) || confirm.disabled) return;
      ended();
    } }, "Answer");
    const field = make("textarea", { id: "typed", "aria-label": "Your answer", maxlength: "600", oninput: () => { first ??= since(); mark(); } });
    const shown = parts(item, chosen, clicks, since);
    const own = item.choices.filter((one) => !item.areas.some((area) => area[0] === one));
    if (own.length) shown.push(make("div", { class: "choices", role: "group", "aria-label": "Answers" }, ...own.map((one) => choice(one, one))));
    if (typed) shown.push(field);
    else buttons.push(choice(SEVERAL, study.labels.several), choice(NONE, study.labels.none));
    function choice(value, label) {
      return make("button", { type: "button", "aria-pressed": "false", "data-answer": value, onclick: () => chosen(value) }, label);
    }
    head(item.ask, far);
    show(...shown);
    foot(...buttons, confirm);
    const away = () => { if (document.hidden) blurs += 1; };
    document.addEventListener("visibilitychange", away);
    place("ask").focus({ preventScroll: true });
    const done = new Promise((resolve) => { ended = resolve; });
    await painted(place("content"));
    begins = performance.now();
    document.body.dataset.ready = item.id;
    await done;
    const rt = since();
    delete document.body.dataset.ready;
    document.removeEventListener("visibilitychange", away);
    return {
      item: item.id, trial_type: typed ? "deixis-typed" : "deixis-choice", response: typed ? field.value.trim() : answer, rt, first, choices, clicks, blurs,
      stimulus: item.shown.filter((one) => one.image).map((one) => `images/${one.image}`),
      time_elapsed: Math.round(performance.now() - began),
      screen: [screen.width, screen.height], window: [innerWidth, innerHeight], pixel_ratio: devicePixelRatio,
    };
  }

  // Practice alone is followed by what would have been right.
  function feedback(item, row) {
    return new Promise((done) => {
      const right = item.right, is = row.response === right;
      const label = (one) => (one === SEVERAL ? study.labels.several : one === NONE ? study.labels.none : one);
      for (const one of document.querySelectorAll("[data-answer]")) {
        one.disabled = true;
        one.setAttribute("aria-pressed", String(one.dataset.answer === right));
      }
      const words = item.choices.length ? (is ? "That is right." : `That is not right. It is: ${label(right)}`) : `For example: ${right}`;
      foot(
        make("p", { class: `said ${is || !item.choices.length ? "right" : "wrong"}`, role: "status" }, words),
        make("button", { type: "button", class: "main", id: "onwards", onclick: done }, "Go on"),
      );
      document.querySelector(`.area[aria-pressed="true"]`)?.scrollIntoView({ block: "center" });
      document.body.dataset.told = item.id;
    });
  }

  // ------------------------------------------------------------------ the whole way

  async function run() {
    if (!study) { show(prose("# There is nothing here\n\nThe data of this study could not be loaded.")); return; }
    document.title = study.title;
    const keeper = study.served ? served : alone;
    const consented = `deixis-consent-${study.study}-${hash(location.search)}`;
    let before = null;
    try { before = sessionStorage.getItem(consented); } catch { /* asked again */ }
    if (!before) await step(prose(study.texts.consent), "I agree and take part");
    show(make("p", { class: "loading" }, "One moment …"));
    foot();
    const told = await keeper.enter();
    try { sessionStorage.setItem(`deixis-consent-${study.study}-${hash(location.search)}`, "yes"); } catch { /* asked again */ }
    const items = new Map(told.items.map((item) => [item.id, item]));
    const count = told.order.length;
    const practice = told.order.filter((id) => items.get(id).practice).length;
    if (told.answered < count && !before) await step(prose(study.texts.instructions), practice > told.answered ? "Begin with practice" : "Begin");
    for (let at = told.answered; at < count; at++) {
      const item = items.get(told.order[at]);
      const main = at - practice;
      if (main === 0 && practice && at > told.answered)
        await step(prose("# Practice is over\n\nFrom now on you will not be told whether an answer was right."), "Begin");
      if (main > 0 && study.break_every && main % study.break_every === 0 && at > told.answered)
        await step(prose(`# A break\n\nYou have answered ${main} of ${count - practice}. Go on when you are ready.`), "Go on");
      const row = await askItem(item, item.practice ? `Practice ${at + 1} of ${practice}` : `${main + 1} of ${count - practice}`);
      place("answer")?.setAttribute("disabled", "");
      const kept = await keeper.keep({ ...row, trial_index: at });
      if (typeof kept.next === "number" && kept.next > at + 1) at = kept.next - 1;  // answered in another window
      if (item.practice) await feedback(item, row);
      delete document.body.dataset.told;
    }
    head("", "");
    show(make("p", { class: "loading" }, "One moment …"));
    foot();
    const code = await keeper.finish();
    const end = prose(study.texts.end);
    if (code) end.append(make("p", {}, "Your completion code: "), make("p", { class: "code", id: "code" }, code));
    show(end);
    foot();
    keeper.close();
    document.body.dataset.over = "yes";
  }

  window.deixisOrder = orderFor;  // for the test that holds it against the one in Python
  run().catch((error) => {
    head("", "");
    foot();
    show(prose(`# This cannot go on\n\n${error instanceof Refusal ? error.message : "Something went wrong on this page. Please reload it."}`));
    if (!(error instanceof Refusal)) console.error(error);
  });
})();
