// Marks the words of a query in texts, and shows documents. The rules are those of text/words.py.

import { shown } from "./data.js";
import { h } from "./dom.js";

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const EAST_ASIAN = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/;

/** A word as the words of a query are written: in small letters, without the s of a plural. */
function plain(word) {
  const small = word.toLowerCase();
  return small.length > 3 && small.endsWith("s") && !small.endsWith("ss") ? small.slice(0, -1) : small;
}

/** The places of the words in a text: [from, to], in order. */
function places(text, words) {
  const found = [...text.matchAll(WORD)]
    .filter(([word]) => words.includes(plain(word)))
    .map((match) => [match.index, match.index + match[0].length]);
  for (const word of words.filter((word) => EAST_ASIAN.test(word))) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
      found.push([at, at + word.length]);
  }
  return found.sort(([a], [b]) => a - b);
}

/** A text made safe to show, with its lines. */
const safe = (text) =>
  text
    .split("\n")
    .map((line) => shown(line.replaceAll("\t", "  ").replaceAll("\r", ""), Infinity))
    .join("\n");

/** A text with its words of the query marked. */
export function marked(text, words) {
  const content = [];
  let end = 0;
  for (const [from, to] of places(text, words)) {
    if (from < end) continue;
    content.push(safe(text.slice(end, from)), h("mark", {}, safe(text.slice(from, to))));
    end = to;
  }
  return [...content, safe(text.slice(end))];
}

/** The elements that a document keeps. A heading becomes a paragraph, because the page has its own headings. */
const KEPT = new Set(
  "b blockquote br caption code dd del div dl dt em hr i ins li ol p pre s small strong sub sup table tbody td tfoot th thead tr u ul".split(
    " ",
  ),
);
const HEADING = /^h[1-6]$/;

/** A document, whose HTML Python has made harmless. Only known elements are made, and they have no attributes. */
export function rendered(html, words) {
  const copied = (node) =>
    [...node.childNodes].map((child) => {
      if (child.nodeType === Node.TEXT_NODE)
        return marked(node.closest("pre") ? child.data : child.data.replace(/\s+/g, " "), words);
      if (child.nodeType !== Node.ELEMENT_NODE) return null;
      const name = child.localName;
      if (HEADING.test(name)) return h("p", {}, h("strong", {}, copied(child)));
      if (child.className === "plain") return h("div", { class: "plain" }, marked(child.textContent, words));
      return KEPT.has(name) ? h(name, {}, copied(child)) : copied(child);
    });
  return h(
    "div",
    { class: "rendered", tabindex: "0", role: "group", "aria-label": "Document" },
    copied(new DOMParser().parseFromString(html, "text/html").body),
  );
}
