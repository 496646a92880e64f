"use strict";
// The item explorer. Whatever a model wrote enters the page as text (textContent, text nodes): there is no
// innerHTML here, and the page's policy (require-trusted-types-for) would refuse one.
(() => {
  const PAGE = 50; // rows of the list at a time
  const CLIP = 20000; // characters of a text shown before a person asks for the rest
  const KEPT = 12; // unpacked chunks kept in memory
  const WORDS = {
    c: ["✓", "correct", "good"], w: ["✗", "wrong", "bad"], u: ["?", "unparsed", "odd"],
    t: ["…", "truncated", "odd"], f: ["⊘", "filtered", "odd"], e: ["!", "error", "odd"],
    n: ["–", "not asked yet", ""], " ": ["", "not in this block", ""],
  };
  const LETTER = { wrong: "w", truncated: "t", unparsed: "u", filtered: "f", error: "e" };
  const LANG = { en: "en", hi: "hi", bn: "bn", cm: "hi", "cm-rom": "hi-Latn", "hi-rom": "hi-Latn" };
  const FILTERS = ["q", "deep", "show", "form", "arm", "suite", "topic", "tier", "tmin", "tmax", "sort"];
  const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

  const $ = (id) => document.getElementById(id);
  const number = new Intl.NumberFormat("en");
  let index, rows = [], page = 0, wanted = 0, opened = null, lastLink = null;
  const rowOf = new Map(), unpacked = new Map();

  function el(tag, props, ...kids) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(props || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "on") node.addEventListener("click", value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...kids.flat().filter((kid) => kid !== null && kid !== undefined));
    return node;
  }

  // Marks that turn text round and control characters are shown by number instead of being obeyed.
  function shown(text) {
    const parts = [];
    let from = 0;
    for (const match of String(text).matchAll(OBEYED)) {
      if (match.index > from) parts.push(text.slice(from, match.index));
      const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      parts.push(el("span", { class: "mark" }, "U+" + code));
      from = match.index + 1;
    }
    if (from < text.length) parts.push(String(text).slice(from));
    return parts;
  }

  // --- data -------------------------------------------------------------------------------------

  async function unpack(text) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  async function chunk(n) {
    if (!unpacked.has(n)) {
      if (unpacked.size >= KEPT) unpacked.delete(unpacked.keys().next().value);
      unpacked.set(n, await unpack($("chunk-" + n).textContent));
    }
    return unpacked.get(n);
  }

  async function load() {
    if (typeof DecompressionStream === "undefined") {
      say("This browser cannot unpack the texts: it needs to be of 2023 or later.");
      return;
    }
    index = await unpack($("index-data").textContent);
    index.place = [];
    for (const [file, n, length] of index.chunks) {
      for (let at = 0; at < length; at++) index.place.push([file, n, at]);
    }
    for (let i = 0; i < index.item.length; i++) rowOf.set(name(i), i);
    options("form", index.forms.filter((form) => form !== "en").map((form) => [form, form]));
    options("arm", index.arms.map((arm) => [arm.id, arm.label]));
    for (const key of ["suite", "topic", "tier"]) {
      options(key, [...index[key + "s"]].sort().map((value) => [value, value]));
    }
    if (index.chunks.some(([file]) => file !== null)) {
      $("f-deep").disabled = true;
      $("f-deep").nextElementSibling.textContent = "texts are searched in their own files";
    }
    $("filters").addEventListener("input", () => { clearTimeout(wanted); wanted = setTimeout(change, 150); });
    $("filters").addEventListener("submit", (event) => { event.preventDefault(); change(); });
    $("reset").addEventListener("click", () => { $("filters").reset(); change(); $("f-q").focus(); });
    $("before").addEventListener("click", () => turn(-1));
    $("after").addEventListener("click", () => turn(1));
    addEventListener("hashchange", follow);
    await follow();
    document.body.dataset.ready = String(Math.round(performance.now())); // milliseconds since the page was asked for
  }

  function options(key, pairs) {
    const select = $("f-" + key);
    for (const [value, label] of pairs) select.append(el("option", { value }, shown(label)));
    if (pairs.length < 2 && key !== "form") select.parentElement.hidden = true;
  }

  function name(i) {
    const [suite, item] = index.items[index.item[i]];
    const parts = [index.suites[suite], item, index.arms[index.arm[i]].id, String(index.sample[i])];
    return parts.map(encodeURIComponent).join("/");
  }

  const outcome = (i, form) => index.cells[form].outcome[i];

  function tax(i, form) {
    const base = index.cells.en, other = index.cells[form];
    if (!base || form === "en" || "fen ".includes(base.outcome[i]) || "fen ".includes(other.outcome[i])) return null;
    const a = base.tokens[i], b = other.tokens[i];
    return a > 0 && b !== null ? b / a : null;
  }

  // --- filters ----------------------------------------------------------------------------------

  function state() {
    const found = {};
    for (const key of FILTERS) {
      const field = $("f-" + key);
      const value = field.type === "checkbox" ? (field.checked && !field.disabled ? "1" : "") : field.value.trim();
      if (value) found[key] = value;
    }
    return found;
  }

  // A hash of filters and, perhaps, the pair that is open.
  function hash(pair, at) {
    const parts = Object.entries(state()).map(([key, value]) => key + "=" + encodeURIComponent(value));
    if (at) parts.push("page=" + (at + 1));
    if (pair !== null) parts.unshift("pair=" + name(pair));
    return "#" + (parts.join("&") || "explorer");
  }

  function read() {
    const found = {};
    for (const part of location.hash.slice(1).split("&")) {
      const cut = part.indexOf("=");
      if (cut < 0) continue;
      let value = part.slice(cut + 1);
      try { if (!part.startsWith("pair=")) value = decodeURIComponent(value); } catch { continue; }
      found[part.slice(0, cut)] = value;
    }
    return found;
  }

  async function follow() {
    const asked = read();
    if (location.hash.length > 1 && !Object.keys(asked).length && location.hash !== "#explorer") return; // a heading
    for (const key of FILTERS) {
      const field = $("f-" + key);
      if (field.type === "checkbox") field.checked = asked[key] === "1";
      else field.value = asked[key] || "";
    }
    page = Math.max(0, (parseInt(asked.page, 10) || 1) - 1);
    await filter();
    if (asked.pair) await open(asked.pair);
    else close();
  }

  function change() {
    page = 0;
    history.replaceState(null, "", hash(null, 0));
    close();
    return filter();
  }

  function turn(by) {
    page += by;
    history.replaceState(null, "", hash(opened, page));
    list();
    $("list").scrollTop = 0;
    $("list").focus({ preventScroll: false });
  }

  function matcher(asked) {
    const forms = index.forms.filter((form) => form !== "en" && (!asked.form || form === asked.form));
    const sides = asked.form ? ["en", asked.form].filter((form) => index.cells[form]) : index.forms;
    const right = (i, form) => index.cells[form] !== undefined && outcome(i, form) === "c";
    const judged = (i, form) => index.cells[form] !== undefined && !"en ".includes(outcome(i, form));
    const lost = (i) => right(i, "en") && forms.some((form) => judged(i, form) && !right(i, form));
    const won = (i) => judged(i, "en") && !right(i, "en") && forms.some((form) => right(i, form));
    const low = asked.tmin ? parseFloat(asked.tmin) : null, high = asked.tmax ? parseFloat(asked.tmax) : null;
    const tests = [];
    if (asked.show === "lost") tests.push(lost);
    else if (asked.show === "won") tests.push(won);
    else if (asked.show === "flipped") tests.push((i) => lost(i) || won(i));
    else if (asked.show === "cut") tests.push((i) => sides.some((form) => index.cells[form].cut[i] === "1"));
    else if (LETTER[asked.show]) tests.push((i) => sides.some((form) => outcome(i, form) === LETTER[asked.show]));
    if (asked.arm) { const arm = index.arms.findIndex((a) => a.id === asked.arm); tests.push((i) => index.arm[i] === arm); }
    for (const [key, at] of [["suite", 0], ["topic", 2], ["tier", 3]]) {
      if (!asked[key]) continue;
      const n = index[key + "s"].indexOf(asked[key]);
      tests.push((i) => index.items[index.item[i]][at] === n);
    }
    if (asked.form) tests.push((i) => outcome(i, asked.form) !== " ");
    if (low !== null || high !== null) {
      tests.push((i) => forms.some((form) => {
        const value = tax(i, form);
        return value !== null && (low === null || value >= low) && (high === null || value <= high);
      }));
    }
    return (i) => tests.every((test) => test(i));
  }

  async function filter() {
    const asked = state(), turnOf = ++filter.turn;
    const fits = matcher(asked);
    let found = [];
    for (let i = 0; i < index.item.length; i++) if (fits(i)) found.push(i);
    if (asked.q) {
      found = asked.deep ? await searchTexts(found, asked.q.toLowerCase(), turnOf) : searchIndex(found, asked.q.toLowerCase());
      if (turnOf !== filter.turn) return; // another filter was set meanwhile
    }
    const forms = index.forms.filter((form) => form !== "en" && (!asked.form || form === asked.form));
    const highest = (i) => Math.max(...forms.map((form) => tax(i, form) ?? -Infinity));
    const lowest = (i) => Math.min(...forms.map((form) => tax(i, form) ?? Infinity));
    const most = (i) => Math.max(...index.forms.map((form) => index.cells[form].tokens[i] ?? -1));
    const by = { "tax-down": [highest, -1], "tax-up": [lowest, 1], "tokens-down": [most, -1] }[asked.sort];
    if (by) {
      const keys = new Map(found.map((i) => [i, by[0](i)]));
      found.sort((a, b) => by[1] * (keys.get(a) - keys.get(b)) || a - b);
    }
    rows = found;
    list();
  }
  filter.turn = 0;

  function searchIndex(found, words) {
    const fits = index.items.map(([suite, item, topic, tier]) =>
      [index.suites[suite], item, index.topics[topic], index.tiers[tier]].some(
        (text) => text !== undefined && text.toLowerCase().includes(words)));
    const parsed = index.parsed.map((text) => text.toLowerCase().includes(words));
    return found.filter((i) => fits[index.item[i]] || index.forms.some((form) => parsed[index.cells[form].parsed[i]]));
  }

  async function searchTexts(found, words, turnOf) {
    const kept = [];
    for (const i of found) {
      const [, n, at] = index.place[i];
      if (at === 0) say("Searching the texts: " + number.format(i) + " of " + number.format(index.item.length) + " blocks.");
      const block = (await chunk(n))[at];
      if (turnOf !== filter.turn) return [];
      const texts = [block.item, block.topic, block.tier];
      for (const side of Object.values(block.forms)) texts.push(side.question, side.output, side.reasoning, side.parsed);
      if (texts.some((text) => typeof text === "string" && text.toLowerCase().includes(words))) kept.push(i);
    }
    return kept;
  }

  // --- list -------------------------------------------------------------------------------------

  function say(text) { $("status").textContent = text; }

  function list() {
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    page = Math.min(page, pages - 1);
    const part = rows.slice(page * PAGE, page * PAGE + PAGE);
    const total = number.format(index.item.length);
    say(rows.length === 0 ? "No block fits, of " + total + "." :
      number.format(page * PAGE + 1) + " to " + number.format(page * PAGE + part.length) + " of " + number.format(rows.length) +
      (rows.length === 1 ? " block" : " blocks") + (rows.length < index.item.length ? " (of " + total + ")" : "") + ".");
    $("before").disabled = page === 0;
    $("after").disabled = page >= pages - 1;
    const head = el("tr", {}, el("th", { scope: "col" }, "Item"), index.forms.map((form) => el("th", { scope: "col" }, shown(form))));
    const body = el("tbody", {}, part.map(line));
    $("list").replaceChildren(el("table", {}, el("caption", { class: "unseen" }, "Blocks that fit the filters"), el("thead", {}, head), body));
  }

  function line(i) {
    const [suite, item, topic, tier] = index.items[index.item[i]];
    const about = [
      index.suites.length > 1 ? index.suites[suite] : null,
      index.arms.length > 1 ? index.arms[index.arm[i]].label : null,
      topic === null ? null : index.topics[topic], tier === null ? null : index.tiers[tier],
      index.sample[i] ? "sample " + index.sample[i] : null,
    ].filter(Boolean).join(" · ");
    const file = index.place[i][0];
    const link = el("a", { href: (file || "") + (file ? "#pair=" + name(i) : hash(i, page)), "data-row": i }, el("bdi", {}, shown(item)));
    const cells = index.forms.map((form) => {
      const tokens = index.cells[form].tokens[i], value = tax(i, form);
      const said = [tokens === null ? null : number.format(tokens) + " tokens", value === null ? null : value.toFixed(2) + "x"];
      return el("td", {}, badge(outcome(i, form)), el("span", { class: "soft" }, said.filter(Boolean).join(" · ")));
    });
    return el("tr", { class: i === opened ? "open" : null }, el("th", { scope: "row" }, link, el("span", { class: "soft" }, el("bdi", {}, shown(about)))), cells);
  }

  function badge(letter) {
    const [sign, word, tone] = WORDS[letter] || WORDS.n;
    return el("span", { class: "out " + tone }, el("span", { "aria-hidden": "true" }, sign + " "), word);
  }

  // --- one pair ---------------------------------------------------------------------------------

  function close() {
    opened = null;
    $("pair").hidden = true;
    $("pair").replaceChildren();
  }

  async function open(key) {
    const i = rowOf.get(key) ?? rowOf.get(key.split("/").map((part) => encodeURIComponent(decoded(part))).join("/"));
    if (i === undefined) {
      close();
      $("pair").hidden = false;
      $("pair").append(el("h3", { id: "pair-title", tabindex: "-1" }, "This file has no such item"), el("p", {}, shown(decoded(key))));
      $("pair-title").focus();
      return;
    }
    const [file, n, at] = index.place[i];
    if (file !== null) { location.href = file + "#pair=" + key; return; }
    const block = (await chunk(n))[at];
    opened = i;
    list();
    show(i, block);
  }

  function decoded(text) { try { return decodeURIComponent(text); } catch { return text; } }

  function show(i, block) {
    const arm = index.arms[index.arm[i]];
    const at = rows.indexOf(i);
    const step = (by, label) => {
      const to = at < 0 ? undefined : rows[at + by];
      return el("button", { type: "button", disabled: to === undefined, on: () => { location.hash = hash(to, Math.floor((at + by) / PAGE)); } }, label);
    };
    const told = el("span", { role: "status", class: "note" });
    const forms = index.forms.filter((form) => block.forms[form]);
    const about = [block.suite, arm.label, block.topic, block.tier, "gold " + [block.gold].flat().join(" or "), index.sample.some(Boolean) ? "sample " + block.sample : null];
    const copied = { arm: arm.label, arm_id: arm.id, ...block };
    $("pair").replaceChildren(
      el("h3", { id: "pair-title", tabindex: "-1" }, el("bdi", {}, shown(block.item))),
      el("p", { class: "soft" }, el("bdi", {}, shown(about.filter((word) => word !== null && word !== undefined).join(" · ")))),
      el("div", { class: "bar" },
        step(-1, "Previous item"), step(1, "Next item"),
        el("button", { type: "button", id: "copy-json", on: () => copy(JSON.stringify(copied, null, 2), told, "JSON copied.") }, "Copy as JSON"),
        el("button", { type: "button", id: "copy-link", on: () => copy(location.href.split("#")[0] + "#pair=" + name(i), told, "Link copied.") }, "Copy link"),
        el("button", { type: "button", on: back }, "Back to the list"), told),
      el("div", { class: "sides" }, forms.map((form) => side(form, block.forms[form], tax(i, form), index.cells[form].cut[i] === "1"))),
    );
    $("pair").hidden = false;
    $("pair-title").focus();
    $("pair").scrollIntoView({ block: "start" });
  }

  function back() {
    const was = opened;
    close();
    history.replaceState(null, "", hash(null, page));
    list();
    const link = document.querySelector('[data-row="' + was + '"]');
    (link || $("list")).focus();
  }

  function side(form, cell, ratio, cut) {
    const letter = { correct: "c", wrong: "w", unparsed: "u", truncated: "t", filtered: "f", error: "e" }[cell.outcome] || "n";
    return el("article", { class: "side", "aria-label": form },
      el("header", {}, el("h4", {}, shown(form)), badge(letter)),
      el("h5", {}, "Question"), text(cell.question, "question", LANG[form]),
      cell.reasoning ? el("details", {}, el("summary", {}, "Reasoning (" + number.format(cell.reasoning.length) + " characters)"), text(cell.reasoning, "reasoning")) : null,
      el("h5", {}, "Reply"),
      cell.output ? text(cell.output, "reply") : el("p", { class: "soft" }, cell.outcome ? "No text." : "Not asked yet."),
      facts(cell, ratio, cut), attempts(cell));
  }

  function text(value, what, lang) {
    const box = el("div", { class: what === "question" ? "text" : "text answer", dir: "auto", lang: lang || null, tabindex: "0", role: "group", "aria-label": what });
    box.append(...shown(value.slice(0, CLIP)));
    if (value.length <= CLIP) return box;
    const all = el("button", { type: "button", on: () => { box.replaceChildren(...shown(value)); all.remove(); box.focus(); } },
      "Show all " + number.format(value.length) + " characters");
    return el("div", {}, box, el("div", { class: "bar" }, all));
  }

  // As the tables print dollars: two places from $1 up, else three figures.
  function usd(value) {
    if (value === undefined || value === null) return null;
    if (value === 0) return "$0";
    const places = value >= 1 ? 2 : Math.min(12, Math.max(4, 2 - Math.floor(Math.log10(value))));
    return "$" + value.toFixed(places);
  }

  function facts(cell, ratio, cut) {
    const tokens = [
      cell.completion_tokens === undefined ? "unknown" : number.format(cell.completion_tokens) + " out",
      cell.reasoning_tokens ? number.format(cell.reasoning_tokens) + " of them reasoning" : null,
      cell.prompt_tokens === undefined ? null : number.format(cell.prompt_tokens) + " in",
      cell.cached_tokens ? number.format(cell.cached_tokens) + " cached" : null,
    ].filter(Boolean).join(", ");
    const pairs = [
      ["Parsed", cell.parsed ?? "nothing"], ["Method", cell.method],
      ["Tokens", cell.outcome ? tokens : null], ["Tax", ratio === null ? null : ratio.toFixed(2) + "x English"],
      ["Cost", cell.outcome ? usd(cell.cost_usd) ?? "unknown: " + (cell.unpriced_reason || "not known") : null],
      ["Attempts", cell.attempts ? String(cell.attempts.length) : null],
      ["Ended by", cell.finish_reason ? cell.finish_reason + (cut ? " (the token limit)" : "") : null],
      ["Error", cell.error ? cell.error + (cell.message ? ": " + cell.message : "") : null],
      ["Asked", cell.asked_at ? cell.asked_at.replace("T", " ") + " UTC" + (cell.seconds === undefined ? "" : ", " + cell.seconds.toFixed(1) + " s") : null],
    ];
    return el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined)
      .flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, el("bdi", {}, shown(value)))]));
  }

  function attempts(cell) {
    if (!cell.attempts || (cell.attempts.length < 2 && !cell.error)) return null;
    const heads = ["Sent (UTC)", "Seconds", "Status", "Error", "Billed", "Tokens out", "Cost"];
    const body = cell.attempts.map((a) => el("tr", {},
      [a.sent_at.replace("T", " "), a.seconds?.toFixed(1), a.status, a.error, a.billed, a.completion_tokens, usd(a.cost_usd)]
        .map((value) => el("td", {}, value === null || value === undefined ? "-" : shown(String(value))))));
    return el("details", {}, el("summary", {}, "Every attempt"),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Every attempt" },
        el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, body))));
  }

  async function copy(value, told, done) {
    try {
      await navigator.clipboard.writeText(value);
    } catch { // no permission, or a page that came over plain http
      const area = el("textarea", { class: "unseen", "aria-hidden": "true" });
      area.value = value;
      document.body.append(area);
      area.select();
      const worked = document.execCommand("copy");
      area.remove();
      if (!worked) { told.textContent = "The browser refused to copy."; return; }
    }
    told.textContent = done;
  }

  const start = () => load().catch((error) => { say("The explorer could not start: " + error.message); throw error; });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
