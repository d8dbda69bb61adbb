"use strict";
// Keeps an open page up to date. Everything works without it, by loading the page again.
(() => {
  const { address, had, act } = document.body.dataset;
  const effect = document.getElementById("effect");
  if (effect) effect.focus();

  // Buttons that do nothing without a script are seen only with one.
  if (navigator.clipboard) document.documentElement.classList.add("copies");
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copies]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      // Where that is not allowed a person copies what is chosen for them.
      getSelection().selectAllChildren(text);
    }
  });

  if (!address) return;
  // After an act the address becomes the page's own, so that loading it again does nothing twice.
  if (location.pathname.startsWith("/console/act/")) history.replaceState(null, "", address);
  if (!window.EventSource) return;

  const waiting = new Map();
  const name = (details) => details.id || details.querySelector("summary")?.textContent;

  // Nothing is taken from under somebody's hands: not the field with the focus, nor what was typed.
  function isInUse(region) {
    const fields = [...region.querySelectorAll("input:not([type=hidden]), select, textarea")];
    return fields.some((field) => field === document.activeElement
      || (field.type === "checkbox" ? field.checked !== field.defaultChecked
        : "defaultValue" in field && field.value !== field.defaultValue));
  }

  function show(id, html) {
    const region = document.getElementById(id);
    if (!region) return;
    if (isInUse(region)) return void waiting.set(id, html);
    waiting.delete(id);
    const open = [...region.querySelectorAll("details[open]")].map(name);
    const focused = region.contains(document.activeElement) ? document.activeElement : null;
    const place = focused && (focused.id ? `#${CSS.escape(focused.id)}`
      : focused.href ? `a[href="${CSS.escape(focused.getAttribute("href"))}"]` : null);
    region.innerHTML = html;
    for (const details of region.querySelectorAll("details")) {
      if (open.includes(name(details))) details.open = true;
    }
    if (place && focused !== region) region.querySelector(place)?.focus();
  }

  document.addEventListener("focusout", () => setTimeout(() => {
    for (const [id, html] of [...waiting]) show(id, html);
  }));

  let source = null;
  let pause = 500;

  // A browser has six connections to a host: pages that nobody sees give theirs back. Who comes back is sent everything.
  function open(had) {
    const query = new URLSearchParams({ page: address, had });
    if (act) query.set("act", act);
    source = new EventSource(`/console/live?${query}`);
    source.addEventListener("regions", (event) => {
      pause = 500;
      for (const [id, html] of Object.entries(JSON.parse(event.data))) show(id, html);
    });
    // What the page is about is not there any more: there is nothing to wait for, and that is said.
    source.addEventListener("gone", () => {
      close();
      document.getElementById("gone").hidden = false;
    });
    source.addEventListener("error", () => {
      close();
      pause = Math.min(pause * 2, 30000);
      setTimeout(() => { if (!source && !document.hidden) open(""); }, pause);
    });
  }

  function close() {
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close(); else if (!source) open("");
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => { if (event.persisted && !source) open(""); });
  if (!document.hidden) open(had || "");
})();
