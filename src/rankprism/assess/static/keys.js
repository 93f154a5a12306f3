"use strict";
// Answers by keys, sets the focus after a swap, and tells when the server cannot be reached. Pages work without it.

const KEYS = { ArrowLeft: "a", ArrowRight: "b", ArrowDown: "s" };

function wantsKeys() {
  try { return localStorage.getItem("keys") !== "off"; } catch { return true; }
}

function isTyping(element) {
  return element.matches("textarea, select, input:not([type=radio]):not([type=checkbox])");
}

function chooseLabel(number) {
  const rows = [...document.querySelectorAll("form.graded fieldset")];
  const focused = document.activeElement.closest("fieldset");
  const row = focused || rows.find((one) => !one.querySelector(":checked")) || rows[0];
  const label = row && row.querySelectorAll("input[type=radio]")[number - 1];
  if (!label) return;
  label.checked = true;
  const next = rows[rows.indexOf(row) + 1];
  (next ? next.querySelector("input") : document.querySelector("form.graded button")).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
  const page = document.getElementById("page");
  if (!page || !page.dataset.kind || page.dataset.kind === "board") return;
  if (event.key === "Escape" && isTyping(document.activeElement)) {
    document.activeElement.blur();
    document.getElementById("question").focus();
    return;
  }
  if (!wantsKeys() || isTyping(document.activeElement)) return;
  const inRadio = document.activeElement.matches("input[type=radio]");
  if (page.dataset.kind === "grades") {
    if (/^[1-9]$/.test(event.key)) { chooseLabel(Number(event.key)); event.preventDefault(); return; }
    if (event.key in KEYS) return; // arrow keys move between the labels of a row
  }
  if (inRadio && event.key in KEYS) return;
  const key = KEYS[event.key] || event.key.toLowerCase();
  const target = /^[a-z]$/.test(key) && page.querySelector(`[data-key="${key}"]`);
  if (!target || target.disabled) return;
  event.preventDefault();
  if (target.matches("summary")) {
    target.parentElement.open = true;
    page.querySelector("#comment").focus();
  } else {
    target.click();
  }
});

function settle() {
  const keys = document.getElementById("keys");
  if (!keys) return;
  keys.checked = wantsKeys();
  keys.addEventListener("change", () => {
    try { localStorage.setItem("keys", keys.checked ? "on" : "off"); } catch { /* then the choice lasts only until the next task */ }
  });
}

function trouble(words) {
  const place = document.getElementById("trouble");
  place.textContent = words;
  place.hidden = !words;
}

document.addEventListener("DOMContentLoaded", settle);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target.id !== "page") return;
  settle();
  trouble("");
  const question = document.getElementById("question");
  if (question) question.focus({ preventScroll: true });
});
document.addEventListener("htmx:beforeRequest", () => {
  document.querySelectorAll("#page form button").forEach((button) => button.setAttribute("aria-disabled", "true"));
});
document.addEventListener("htmx:afterRequest", () => {
  document.querySelectorAll("#page form button").forEach((button) => button.removeAttribute("aria-disabled"));
});
document.addEventListener("htmx:sendError", () => {
  trouble("The server cannot be reached. Your answer has not been stored. Answer again in a moment.");
});
document.addEventListener("htmx:responseError", (event) => {
  trouble(event.detail.xhr.responseText || "This did not work. Reload the page and try again.");
});
