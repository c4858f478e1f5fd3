/* The page of an item, made quicker: one key a label, saved with every click, the next item without a new page.
   Without this script the same page works by plain forms. */
"use strict";
(function () {
  const $ = (name, root = document) => root.querySelector(name);
  const $$ = (name, root = document) => [...root.querySelectorAll(name)];
  const TYPING = 2500;
  let queue = null;
  let marker = "";
  let page = null;

  function isText(node) {
    if (!node || !node.tagName) return false;
    if (node.isContentEditable || node.tagName === "TEXTAREA" || node.tagName === "SELECT") return true;
    return node.tagName === "INPUT" && !["radio", "checkbox", "button", "submit"].includes(node.type);
  }
  function localTime(iso) {
    const at = iso ? new Date(iso) : new Date();
    return Number.isNaN(at.getTime()) ? "" : at.toTimeString().slice(0, 8);
  }
  function announce(text) { const node = $("#saved"); if (node) node.textContent = text; }
  function notice(part, kind) {
    const place = $("#notices");
    $$(`[data-from="${kind}"]`, place).forEach((old) => old.remove());
    if (!part) return;
    const box = document.createElement("div");
    box.dataset.from = kind;
    if (kind !== "incomplete") box.setAttribute("role", "alert");
    box.append(...(typeof part === "string" ? [Object.assign(document.createElement("p"), { textContent: part, className: "notice" })] : [...part.childNodes]));
    place.append(box);
  }

  /* ---- what the form says ---- */
  function given(set) {
    if (set.dataset.kind === "text") { const node = $("textarea", set); return node.value.trim() ? [node.value] : []; }
    return $$("input:checked", set).map((node) => node.value);
  }
  function settle(form) {
    const answers = new Map();
    let complete = true;
    for (const set of $$("fieldset[data-question]", form)) {
      const values = set.dataset.values ? JSON.parse(set.dataset.values) : null;
      const asked = !values || (answers.get(set.dataset.when) ?? []).some((value) => values.includes(value));
      set.hidden = !asked;
      $$(".hang", set).forEach((node) => { node.hidden = true; });
      const now = asked ? given(set) : [];
      answers.set(set.dataset.question, now);
      if (asked && set.dataset.required && !now.length && set.dataset.kind !== "flags") complete = false;
    }
    return complete;
  }
  function fields(form) {
    const found = [];
    for (const set of $$("fieldset[data-question]", form)) {
      if (set.hidden) continue;
      for (const node of $$("input, textarea", set)) {
        if ((node.type === "radio" || node.type === "checkbox") && !node.checked) continue;
        found.push([node.name, node.value]);
      }
    }
    found.push(["comment", $("#comment").value]);
    return found;
  }
  function fill(form, list) {
    for (const set of $$("fieldset[data-question]", form)) {
      for (const node of $$("input[type=radio], input[type=checkbox]", set)) node.checked = list.some(([name, value]) => name === node.name && value === node.value);
      for (const node of $$("textarea", set)) node.value = list.find(([name]) => name === node.name)?.[1] ?? "";
    }
    $("#comment").value = list.find(([name]) => name === "comment")?.[1] ?? "";
  }

  /* ---- time that the page was seen ---- */
  const clock = {
    spent: 0, since: 0, paused: false,
    start() { this.spent = 0; this.paused = false; this.since = document.hidden ? 0 : performance.now(); },
    stop() { if (this.since) { this.spent += performance.now() - this.since; this.since = 0; } },
    go() { if (!this.since && !this.paused && !document.hidden) this.since = performance.now(); },
    seconds() { return (this.spent + (this.since ? performance.now() - this.since : 0)) / 1000; },
  };
  document.addEventListener("visibilitychange", () => { if (document.hidden) { clock.stop(); page?.typed(); } else clock.go(); });
  addEventListener("pagehide", () => page?.typed());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  addEventListener("online", () => queue?.retry());
  addEventListener("beforeunload", (event) => { if (queue && queue.count() && !queue.durable()) event.preventDefault(); });
  setInterval(() => {
    const node = $("#clock");
    if (node && !node.hidden) { const all = Math.floor(clock.seconds()); node.textContent = `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`; }
  }, 1000);

  /* ---- what the queue tells ---- */
  function heard(news) {
    const waiting = $("#waiting");
    if (waiting) {
      waiting.hidden = !news.count;
      waiting.textContent = news.count ? `${news.count} waiting` : "";
    }
    if (news.kind === "waiting" && news.lost) announce("Not sent yet; kept in this browser");
    if (news.kind === "stopped") { notice(news.part, "stopped"); return; }
    if (!page || news.public !== page.id) {
      if (news.kind === "refused") notice("An answer to another item was not saved, because that item was changed elsewhere. It is offered again when you open the item.", "other");
      return;
    }
    if (news.kind === "saved") page.saved(news);
    if (news.kind === "refused") {
      page.refused = true;
      notice(news.part ?? "This was not saved.", "refused");
      announce("Not saved");
    }
  }

  /* ---- one item ---- */
  function begin(root) {
    const form = $("#answers", root);
    const data = root.dataset;
    const next = $("#next", root);
    const locked = next.tagName === "A";
    let last = JSON.stringify(fields(form));
    let timer = 0;
    let leaving = false;
    const self = {
      id: data.public, known: Number(data.number), complete: false, refused: false, root, form,
      look() {
        self.complete = settle(form);
        if (!locked) next.disabled = !self.complete;
      },
      press() {
        clearTimeout(timer);
        timer = 0;
        self.look();
        const now = fields(form);
        const text = JSON.stringify(now);
        if (locked || text === last) return queue.flush();
        last = text;
        return queue.push(self.id, self.known, [...now, ["seconds", clock.seconds().toFixed(1)]]);
      },
      typed() { if (timer) self.press(); },
      saved(news) {
        self.known = news.mine;
        self.refused = false;
        data.standing = news.part.dataset.standing;
        queue.forget(self.id);
        notice(null, "refused");
        $("#incomplete", root)?.remove();
        const undo = $("#undo", root);
        if (undo) undo.disabled = news.part.dataset.undo !== "yes";
        announce(`Saved ${localTime()}`);
        if (data.practice === "yes" && data.standing === "complete" && !news.more && !$("#explanation")) again();
      },
      async onwards() {
        await self.press();
        if (leaving) return;
        if (queue.count()) { announce("Kept in this browser. The next item comes when the connection is back."); return; }
        if (self.refused || !self.complete) return;
        leaving = true;
        go("/desk");
        setTimeout(() => { leaving = false; }, 4000);
      },
    };
    form.addEventListener("change", async (event) => {
      const one = event.target.type === "radio";
      await self.press();
      if (one && data.onwards === "on" && self.complete) self.onwards();
    });
    form.addEventListener("input", (event) => {
      if (!isText(event.target)) return;
      clearTimeout(timer);
      timer = setTimeout(() => self.press(), TYPING);
      self.look();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      const button = event.submitter;
      const typed = !button || button.id !== "next" || document.activeElement !== button;
      if (typed && data.onwards === "on") return;
      self.onwards();
    }, true);
    for (const other of $$("form", root)) {
      if (other === form || other.method === "dialog") continue;
      other.addEventListener("submit", (event) => {
        if (other.dataset.ready === "yes") { other.dataset.ready = ""; return; }
        event.preventDefault();
        event.stopImmediatePropagation();
        const button = event.submitter;
        self.press().then(() => {
          if (queue.count()) { announce("This needs the connection; what you entered is kept in this browser."); return; }
          if ($("[name=after]", other)) $("[name=after]", other).value = String(self.known);
          if ($("[name=press]", other)) $("[name=press]", other).value = window.deskQueue.pressId();
          if ($("[name=seconds]", other)) $("[name=seconds]", other).value = clock.seconds().toFixed(1);
          other.dataset.ready = "yes";
          other.requestSubmit(button ?? undefined);
        });
      }, true);
    }
    return self;
  }

  function go(path) {
    const link = document.createElement("a");
    link.href = path;
    link.hidden = true;
    $("#page").append(link);
    window.htmx?.process(link);
    link.click();
  }
  function again() { go(location.pathname); }

  function find(root) {
    const box = $(".find", root);
    const field = $("#find", root);
    const told = $("#found", root);
    const content = $(".content", root);
    if (!window.CSS?.highlights || !window.Highlight) return;
    box.hidden = false;
    let ranges = [];
    let at = -1;
    function show(step) {
      if (!ranges.length) return;
      at = (at + step + ranges.length) % ranges.length;
      CSS.highlights.set("found-here", new Highlight(ranges[at]));
      ranges[at].startContainer.parentElement.scrollIntoView({ block: "center" });
      told.textContent = `${at + 1} of ${ranges.length}`;
    }
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      ranges = [];
      at = -1;
      const walk = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
      while (wanted && walk.nextNode()) {
        const text = walk.currentNode.data.toLowerCase();
        for (let place = text.indexOf(wanted); place >= 0 && ranges.length < 1000; place = text.indexOf(wanted, place + wanted.length)) {
          const range = new Range();
          range.setStart(walk.currentNode, place);
          range.setEnd(walk.currentNode, Math.min(place + wanted.length, walk.currentNode.length));
          ranges.push(range);
        }
      }
      CSS.highlights.set("found", new Highlight(...ranges));
      CSS.highlights.delete("found-here");
      told.textContent = wanted ? (ranges.length ? `${ranges.length} found` : "not found") : "";
      if (ranges.length) show(1);
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); show(event.shiftKey ? -1 : 1); }
    });
  }

  function pausing(root) {
    const button = $("#pause", root);
    button.hidden = false;
    button.addEventListener("click", () => {
      clock.paused = !clock.paused;
      if (clock.paused) clock.stop(); else clock.go();
      $(".columns", root).hidden = clock.paused;
      $(".bottom", root).hidden = clock.paused;
      button.textContent = clock.paused ? "Go on" : "Pause";
      button.setAttribute("aria-pressed", String(clock.paused));
    });
  }

  function offer(self) {
    const kept = queue.unsaved(self.id);
    if (!kept) return;
    const box = document.createElement("div");
    const text = Object.assign(document.createElement("p"), { className: "notice", textContent: "Answers to this item were not saved, because it was changed elsewhere. What is saved is shown. " });
    const take = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: "Use mine instead" });
    const drop = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: "Forget mine" });
    take.addEventListener("click", () => { fill(self.form, kept); notice(null, "offer"); self.press(); });
    drop.addEventListener("click", () => { queue.forget(self.id); notice(null, "offer"); });
    text.append(take, " ", drop);
    box.append(text);
    notice(box, "offer");
  }

  /* ---- keys ---- */
  function onKey(event) {
    if (!page || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const node = event.target;
    if (event.key === "Escape" && isText(node)) { node.blur(); $("h1", page.root)?.focus({ preventScroll: true }); event.preventDefault(); return; }
    if (isText(node) || $("dialog[open]") || clock.paused) return;
    if (event.key === "Enter") {
      if (["BUTTON", "A", "SUMMARY"].includes(node.tagName)) return;
      event.preventDefault();
      if (page.root.dataset.onwards !== "on" && page.complete && !$("#next").hasAttribute("href")) page.onwards();
      return;
    }
    if (event.repeat || page.root.dataset.keys !== "on" || event.key.length !== 1) return;
    const key = event.key.toLowerCase();
    const commands = JSON.parse(page.root.dataset.commands);
    const name = Object.keys(commands).find((one) => commands[one] === key);
    if (name) { event.preventDefault(); command(name); return; }
    const input = $$("input[data-key]", page.form).find((one) => one.dataset.key === key);
    if (!input || input.closest("fieldset").hidden || input.matches(":disabled")) return;
    event.preventDefault();
    input.focus({ preventScroll: true });
    input.scrollIntoView({ block: "nearest" });
    input.checked = input.type === "checkbox" ? !input.checked : true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function command(name) {
    const act = {
      back: () => $("a#back")?.click(),
      forward: () => $("a#forward")?.click(),
      undo: () => { const node = $("#undo"); if (node && !node.disabled) node.click(); else announce("Nothing to undo here"); },
      missing: () => {
        const set = $('fieldset[data-kind="fields"]', page.form);
        if (set && !set.hidden) $("input[type=checkbox]", set).focus();
        else announce(set ? "The missing fields are asked for only with another answer" : "This study does not ask for missing fields");
      },
      comment: () => $("#comment").focus(),
      skip: () => { const node = $("#skipping"); if (node) { node.open = true; $("#reason").focus(); } },
      help: () => $("#help").showModal(),
    }[name];
    act();
  }
  document.addEventListener("keydown", onKey);

  /* ---- start, and after every swap ---- */
  function start() {
    const main = $("#main");
    if (!main || main.dataset.ready === "yes") return;
    main.dataset.ready = "yes";
    document.body.dataset.page = main.dataset.page;
    const before = page;
    page = null;
    const root = $("#page", main);
    if (!root) { $("h1", main)?.focus({ preventScroll: true }); return; }
    const token = $("#answers [name=csrf]", root).value;
    if (!queue || marker !== root.dataset.marker) {
      queue?.stop();
      marker = root.dataset.marker;
      queue = window.deskQueue.make(marker, token, heard);
    }
    const waiting = queue.pending(root.dataset.public);
    if (waiting) fill($("#answers", root), waiting);
    page = begin(root);
    page.look();
    if (!before || before.id !== page.id) { clock.start(); scrollTo(0, 0); }
    else for (const name of [".content", ".ask"]) $(name, root).scrollTop = before.scroll?.[name] ?? 0;
    clock.go();
    const show = $("#clock", root);
    show.hidden = root.dataset.clock !== "on";
    if (!show.hidden) show.textContent = "0:00";
    const saved = $("#saved time", root);
    if (saved) announce(`Saved ${localTime(saved.dateTime)}`);
    find(root);
    pausing(root);
    offer(page);
    const target = $("#explanation h2", root) ?? $("h1", root);
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    heard({ kind: "waiting", count: queue.count() });
    queue.flush();
  }
  document.addEventListener("htmx:beforeSwap", () => {
    if (page) page.scroll = Object.fromEntries([".content", ".ask"].map((name) => [name, $(name, page.root)?.scrollTop ?? 0]));
  });
  document.addEventListener("htmx:afterSettle", start);
  document.addEventListener("htmx:sendError", () => announce("No connection. Try again when it is back."));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
