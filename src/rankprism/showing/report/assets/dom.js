// Makes elements. Text from the data is never read as markup.

import { shown } from "./data.js";

const SVG = "http://www.w3.org/2000/svg";

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** An HTML element: h("p", { class: "note" }, "text", other). */
export const h = (tag, properties, ...children) => filled(document.createElement(tag), properties, children);

/** An SVG element. */
export const s = (tag, properties, ...children) =>
  filled(document.createElementNS(SVG, tag), properties, children);

/** Put new content into an element, and the focus back on the element with the same id. */
export function show(element, ...content) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  element.replaceChildren(...content.flat(Infinity).filter(Boolean));
  if (focused) document.getElementById(focused)?.focus();
}

/** A part of a view with a heading. */
export const part = (title, ...content) => h("section", {}, h("h3", {}, title), ...content);

/** The reason why something is missing. */
export const missing = (reason) => h("p", { class: "missing" }, reason);

/** A table that scrolls within the page if it is wide. */
export const scrolling = (label, table) =>
  h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);

/** A choice among names; `choose` gets the position of the chosen one. `set` may limit it to some positions. */
export function choice(id, label, names, choose) {
  const every = names.map((_, i) => i);
  let offered = null;
  const select = h("select", { id, onchange: () => choose(offered[select.selectedIndex]) });
  return {
    element: h("span", { class: "control" }, h("label", { for: id }, label), select),
    set: (position, some = every) => {
      const wanted = some.includes(position) ? some : [position, ...some];
      if (String(wanted) !== String(offered)) {
        offered = wanted;
        select.replaceChildren(...offered.map((i) => h("option", {}, shown(names[i]))));
      }
      select.selectedIndex = offered.indexOf(position);
    },
  };
}

/** The head of a column by which a table can be sorted. */
export function sortHead(id, label, column, sort, go) {
  const here = sort.column === column;
  const direction = here ? (sort.descending ? "descending" : "ascending") : "none";
  const turned = here ? !sort.descending : sort.descends(column);
  return h(
    "th",
    { scope: "col", "aria-sort": direction },
    h(
      "button",
      {
        id: `${id}-${column}`,
        type: "button",
        class: "sort",
        onclick: () => go({ column, descending: turned }),
      },
      label,
      h("span", { "aria-hidden": "true" }, here ? (sort.descending ? " ↓" : " ↑") : " ↕"),
    ),
  );
}

/** Hand a text to the user as a file. */
export function download(name, text, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
