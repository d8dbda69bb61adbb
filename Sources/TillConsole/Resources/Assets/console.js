"use strict";
// Updates an open page when data changes. Without this script, the user has to reload the page.
(() => {
  const { address, had, action } = document.body.dataset;
  const effect = document.getElementById("effect");
  if (effect) effect.focus();

  // The style sheet hides copy buttons unless the script adds this class.
  if (navigator.clipboard) document.documentElement.classList.add("copies");
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copies]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      // Without clipboard access, the text is selected so that the user can copy it.
      getSelection().selectAllChildren(text);
    }
  });

  // Shows only the offers of the selected product. Without this script, the offers are grouped by product.
  function narrow(select) {
    const product = select.form.elements[select.dataset.follows]?.value;
    for (const part of select.form.querySelectorAll("[data-of]")) {
      part.hidden = part.dataset.of !== product;
      if (part.tagName === "OPTGROUP") part.disabled = part.hidden;
    }
    if (select.selectedOptions[0]?.parentElement.hidden) select.selectedIndex = 0;
  }

  const narrowAll = (root) => root.querySelectorAll("select[data-follows]").forEach(narrow);
  narrowAll(document);
  document.addEventListener("change", (event) => {
    if (event.target.form) narrowAll(event.target.form);
  });

  if (!address) return;
  // After an action, show the address of the page, so that a reload does not repeat the action.
  if (location.pathname.startsWith("/console/actions/")) history.replaceState(null, "", address);
  if (!window.EventSource) return;

  const waiting = new Map();
  const name = (details) => details.id || details.querySelector("summary")?.textContent;

  // A region is not replaced while the user is filling in one of its fields.
  function isChanged(select) {
    return select.selectedIndex !== Math.max(0, [...select.options].findIndex((option) => option.defaultSelected));
  }

  // The server renders the updates without the values and errors of a rejected form, so its region stays as it is.
  function isInUse(region) {
    if (region.querySelector("form[data-refused]")) return true;
    const fields = [...region.querySelectorAll("input:not([type=hidden]), select, textarea")];
    return fields.some((field) => field === document.activeElement
      || (field.type === "checkbox" ? field.checked !== field.defaultChecked
        : field.tagName === "SELECT" ? isChanged(field) : field.value !== field.defaultValue));
  }

  function show(id, html) {
    const region = document.getElementById(id);
    if (!region) return;
    if (isInUse(region)) return void waiting.set(id, html);
    waiting.delete(id);
    const open = [...region.querySelectorAll("details[open]")].map(name);
    const focused = region.contains(document.activeElement) ? document.activeElement : null;
    const selector = focused && (focused.id ? `#${CSS.escape(focused.id)}`
      : focused.href ? `a[href="${CSS.escape(focused.getAttribute("href"))}"]` : null);
    region.innerHTML = html;
    narrowAll(region);
    for (const details of region.querySelectorAll("details")) {
      if (open.includes(name(details))) details.open = true;
    }
    if (selector && focused !== region) region.querySelector(selector)?.focus();
  }

  document.addEventListener("focusout", () => setTimeout(() => {
    for (const [id, html] of [...waiting]) show(id, html);
  }));

  let source = null;
  let pause = 500;

  // A browser opens at most six connections to a host, so a hidden page closes its connection. A page that becomes
  // visible again receives all regions.
  function open(had) {
    const query = new URLSearchParams({ page: address, had });
    if (action) query.set("action", action);
    source = new EventSource(`/console/live?${query}`);
    source.addEventListener("regions", (event) => {
      pause = 500;
      for (const [id, html] of Object.entries(JSON.parse(event.data))) show(id, html);
    });
    // The customer, app or other subject of the page was deleted.
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
