"use strict";
// Answers by keys, sets the focus after a swap, and tells when the server cannot be reached. Pages work without it.

const KEYS = { ArrowLeft: "a", ArrowRight: "b" };

function wantsKeys() {
  try { return localStorage.getItem("keys") !== "off"; } catch { return true; }
}

function isTyping(element) {
  return element.matches("textarea, select, input:not([type=radio]):not([type=checkbox])");
}

function scrollsSideways(frame) {
  const root = frame.contentDocument.documentElement;
  return root.scrollWidth > root.clientWidth;
}

// A label of the row that has the focus, or of the first row without a label.
function chooseLabel(number, inDocument) {
  const rows = [...document.querySelectorAll("form.graded fieldset")];
  const focused = document.activeElement.closest("fieldset");
  const row = focused || rows.find((one) => !one.querySelector(":checked")) || rows[0];
  const label = row && row.querySelectorAll("input[type=radio]")[number - 1];
  if (!label) return;
  label.checked = true;
  if (inDocument) return; // whoever reads goes on reading
  const next = rows[rows.indexOf(row) + 1];
  (next ? next.querySelector("input") : document.querySelector("form.graded button")).focus();
}

function heard(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
  const page = document.getElementById("page");
  if (!page || !page.dataset.kind || page.dataset.kind === "board") return;
  const inDocument = event.view !== window;
  const focused = inDocument ? event.target : document.activeElement;
  const question = document.getElementById("question");
  if (event.key === "Escape" && (inDocument || isTyping(focused))) {
    document.activeElement.blur();
    question.focus();
    return;
  }
  if (!wantsKeys() || isTyping(focused)) return;
  if (page.dataset.kind === "grades") {
    if (/^[1-9]$/.test(event.key)) { chooseLabel(Number(event.key), inDocument); event.preventDefault(); return; }
    if (event.key === "Enter" && !focused.closest("a, button, summary, input")) {
      page.querySelector("form.graded button.main").click();
      return;
    }
    if (event.key in KEYS) return; // arrow keys move between the labels of a row
  }
  if (event.key in KEYS && inDocument && scrollsSideways(document.activeElement)) return;
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
}

// Keys that are pressed in a document. We listen at its window: elements with names such as "addEventListener"
// hide the properties of their document, but not of a window. A frame that shows an error has no document for us.
function hear(frame) {
  if (frame.contentDocument) frame.contentWindow.addEventListener("keydown", heard);
}

// On a phone, documents are one below the other. A frame is then as high as its text, so that a short text is read
// without scrolling inside it, and at most 70 % of the window, so that a long one fits above the answers.
const phone = matchMedia("(max-width: 43.99rem)");

function fit(frame) {
  const text = frame.contentDocument && frame.contentDocument.body;
  const height = phone.matches && text ? Math.min(Math.max(text.offsetHeight + 2, 96), 0.7 * window.innerHeight) : 0;
  frame.style.height = height > 0 ? `${height}px` : ""; // without a number, as where a document hides its own height
}

function allFrames() {
  return document.querySelectorAll("#page iframe");
}

function showKeys() {
  document.documentElement.dataset.keys = wantsKeys() ? "on" : "off";
}

function settle() {
  allFrames().forEach(hear);
  allFrames().forEach(fit);
  showKeys();
  const keys = document.getElementById("keys");
  if (!keys) return;
  keys.checked = wantsKeys();
  keys.addEventListener("change", () => {
    try { localStorage.setItem("keys", keys.checked ? "on" : "off"); } catch { /* then the choice lasts only until the next task */ }
    showKeys();
  });
}

function trouble(words) {
  const place = document.getElementById("trouble");
  place.textContent = words;
  place.hidden = !words;
}

document.addEventListener("keydown", heard);
document.addEventListener("load", (event) => {
  if (!(event.target instanceof HTMLIFrameElement)) return;
  hear(event.target);
  fit(event.target);
}, true);
window.addEventListener("resize", () => allFrames().forEach(fit));
document.addEventListener("DOMContentLoaded", settle);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.target.id !== "page") return;
  settle();
  trouble("");
  const question = document.getElementById("question");
  if (question) question.focus({ preventScroll: true });
});
document.addEventListener("htmx:beforeRequest", (event) => {
  // The dashboard waits while somebody reads the numbers of a chart, which a new page would close.
  if (event.detail.target.matches("#live:has(details[open])")) { event.preventDefault(); return; }
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
