/* Presses that the server has not acknowledged yet: kept in this browser, sent in order, sent again until they arrive.
   A press keeps its id, and the server counts an id once, so that sending again is harmless. */
"use strict";
(function () {
  const memory = new Map();
  const store = {
    get(key) { try { return localStorage.getItem(key); } catch { return memory.get(key) ?? null; } },
    set(key, value) { try { localStorage.setItem(key, value); memory.delete(key); } catch { memory.set(key, value); } },
    drop(key) { memory.delete(key); try { localStorage.removeItem(key); } catch { /* there is no store */ } },
    keys() {
      let found = [];
      try { found = Object.keys(localStorage); } catch { /* there is no store */ }
      return [...new Set([...found, ...memory.keys()])];
    },
  };

  /** Random id of a press. */
  function pressId() {
    const bytes = crypto.getRandomValues(new Uint8Array(12));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /** The queue of one rater in this browser. `tell` hears of every change: {kind, public, ...}. */
  function makeQueue(marker, csrf, tell) {
    const waitingKey = (id) => `desk:${marker}:waiting:${id}`;
    const unsavedKey = (id) => `desk:${marker}:unsaved:${id}`;
    let running = null;
    let again = 0;
    let timer = 0;
    let stopped = "";

    function entries(id) {
      try { return JSON.parse(store.get(waitingKey(id)) ?? "[]"); } catch { return []; }
    }
    function keep(id, list) {
      if (list.length) store.set(waitingKey(id), JSON.stringify(list));
      else store.drop(waitingKey(id));
    }
    function items() {
      const head = waitingKey("");
      return store.keys().filter((key) => key.startsWith(head)).map((key) => key.slice(head.length));
    }
    function count() { return items().reduce((sum, id) => sum + entries(id).length, 0); }

    /** Puts a press at the end. `after` counts only for the first one of an item; the others follow the one before. */
    function push(id, after, fields) {
      const list = entries(id);
      list.push({ press: pressId(), after: list.length ? null : after, fields });
      keep(id, list);
      tell({ kind: "waiting", count: count() });
      return flush();
    }

    async function send(id, entry) {
      const body = new URLSearchParams(entry.fields);
      body.set("csrf", csrf);
      body.set("press", entry.press);
      body.set("after", String(entry.after ?? 0));
      const answer = await fetch(`/desk/items/${encodeURIComponent(id)}/answer`, {
        method: "POST", body, credentials: "same-origin", redirect: "error", cache: "no-store",
        keepalive: body.toString().length < 30000, headers: { "HX-Request": "true" },
      });
      const text = await answer.text();
      const found = new DOMParser().parseFromString(text, "text/html").querySelector(".outcome");
      return { status: answer.status, part: found };
    }

    async function run() {
      for (const id of items()) {
        let list = entries(id);
        while (list.length) {
          const entry = list[0];
          let answer;
          try { answer = await send(id, entry); } catch { return later(); }
          list = entries(id).filter((one) => one.press !== entry.press);
          if (answer.status === 200 && answer.part) {
            const mine = Number(answer.part.dataset.mine);
            if (list.length && list[0].after === null) list[0].after = mine;
            keep(id, list);
            again = 0;
            tell({ kind: "saved", public: id, mine, part: answer.part, more: list.length > 0, count: count() });
          } else if ([404, 409, 415, 422].includes(answer.status)) {
            const last = list.length ? list[list.length - 1] : entry;
            store.set(unsavedKey(id), JSON.stringify(last.fields));
            keep(id, []);
            tell({ kind: "refused", public: id, status: answer.status, part: answer.part, count: count() });
            break;
          } else if (answer.status === 401 || answer.status === 403) {
            stopped = String(answer.status);
            tell({ kind: "stopped", public: id, part: answer.part, count: count() });
            return undefined;
          } else {
            return later();
          }
        }
      }
      tell({ kind: "waiting", count: count() });
      return undefined;
    }

    function later() {
      again = Math.min(again ? again * 2 : 2, 30);
      clearTimeout(timer);
      timer = setTimeout(flush, again * 1000);
      tell({ kind: "waiting", count: count(), lost: true });
    }

    /** Sends what waits; resolves when all was tried. Two windows take turns where the browser can do that. */
    function flush() {
      if (stopped) return Promise.resolve();
      if (running) { return running.then(() => (count() && !stopped && !again ? flush() : undefined)); }
      clearTimeout(timer);
      const turn = navigator.locks ? navigator.locks.request(`desk:${marker}`, run) : run();
      running = Promise.resolve(turn).finally(() => { running = null; });
      return running;
    }

    return {
      push, flush, count,
      pending(id) { return entries(id).at(-1)?.fields ?? null; },
      retry() { again = 0; return flush(); },
      unsaved(id) {
        try { return JSON.parse(store.get(unsavedKey(id)) ?? "null"); } catch { return null; }
      },
      forget(id) { store.drop(unsavedKey(id)); },
      durable() { return memory.size === 0; },
      stop() { stopped = "gone"; clearTimeout(timer); },
    };
  }

  window.deskQueue = { make: makeQueue, pressId };
})();
