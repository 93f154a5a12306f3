// The systems: a table of means, intervals, groups, and who beats whom.

import { mean, measures, merit, number, probability, report, runs, sense, shown, signed, test } from "./data.js";
import { choice, download, h, missing, part, s, scrolling, show, sortHead } from "./dom.js";
import { go, linkTo, matching } from "./state.js";
import { intervalChart } from "./charts.js";
import { badges, boardTable, byMeasure, inShort, tierList } from "./board.js";

const { margins, comparison, intervals, latex } = report.systems;
const margin = (m, r) => (margins.length ? margins[m][r] : null);
const letters = "abcdefghijklmnopqrstuvwxyz";

/** Whether a column begins with its highest values: that of a measure begins with the best. */
const descends = (column) => column !== "name" && sense(column) > 0;

/** The column by which the table is sorted. */
function sorting(state) {
  const [column, direction] = state.sort.split(" ");
  return { column, descending: direction ? direction === "down" : descends(column), descends };
}

/** The runs that match the filter, in the order of the table. */
function chosen(state) {
  const { column, descending } = sorting(state);
  const value = (r) => mean(column, r) ?? -sense(column) * Infinity;
  const by =
    column === "name" ? (a, b) => (runs[a] < runs[b] ? -1 : 1) : (a, b) => value(a) - value(b);
  const turn = descending ? -1 : 1;
  return matching(state).sort((a, b) => turn * by(a, b) || a - b);
}

function table(state) {
  const sort = sorting(state);
  const head = (label, key) =>
    sortHead("sort", label, key, sort, ({ column, descending }) =>
      go({ sort: `${column} ${descending ? "down" : "up"}` }),
    );
  const groups = comparison.missing ? null : comparison.groups[state.by];
  const best = measures.map((_, m) => Math.max(...runs.map((_, r) => merit(m, r))));
  return h(
    "table",
    {},
    h("caption", {}, "Means over topics"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head("run", "name"),
        groups &&
          h("th", { scope: "col" }, "group", h("span", { class: "margin" }, ` ${measures[state.by].display}`)),
        measures.map((measure, m) => head(measure.display, String(m))),
      ),
    ),
    h(
      "tbody",
      {},
      chosen(state).map((r) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, shown(runs[r]), badges(r)),
          groups &&
            h(
              "td",
              { class: "letters" },
              groups.map((group, g) => (group.includes(r) ? letters[g] : "")).join(""),
            ),
          measures.map((_, m) =>
            h(
              "td",
              { class: best[m] - merit(m, r) < 5e-5 ? "best" : null },
              number(mean(m, r)),
              margin(m, r) !== null && h("span", { class: "margin" }, ` ± ${number(margin(m, r), 3)}`),
            ),
          ),
        ),
      ),
    ),
  );
}

/** The filtered and sorted table for other programs. */
function csv(state) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const head = [
    "run",
    ...measures.flatMap(({ name }) => (margins.length ? [name, `${name} low`, `${name} high`] : [name])),
  ];
  const rows = chosen(state).map((r) => [
    runs[r],
    ...measures.flatMap((_, m) => {
      const value = mean(m, r);
      if (!margins.length) return [value];
      const wide = margin(m, r);
      return wide === null ? [value, null, null] : [value, value - wide, value + wide];
    }),
  ]);
  return (
    [head, ...rows].map((row) => row.map((cell) => quoted(String(cell ?? ""))).join(",")).join("\n") + "\n"
  );
}

const tex = (state) =>
  latex.head +
  chosen(state)
    .map((r) => `${latex.rows[r]}\n`)
    .join("") +
  latex.tail;

/** From this number of runs on, the pairs are a picture. */
const MANY = 40;

/** What a test found. */
function words(found, a, b) {
  const word = found.sign > 0 ? "better" : found.sign < 0 ? "worse" : "no significant difference";
  return `${shown(runs[a])} against ${shown(runs[b])}: ${word}, ${signed(found.difference)}, adjusted ${probability(found.p)}`;
}

function beats(state) {
  const order = chosen(state);
  const cell = (a, b) => {
    const found = test(state.by, a, b);
    if (!found) return h("td", { class: "self" }, "");
    const label = words(found, a, b);
    return h(
      "td",
      { class: found.sign > 0 ? "win" : found.sign < 0 ? "loss" : "even" },
      h(
        "a",
        { href: linkTo({ view: "topics", a, b, m: state.by }), title: label, "aria-label": label },
        found.sign > 0 ? "▲" : found.sign < 0 ? "▼" : "·",
      ),
    );
  };
  return h(
    "table",
    { class: "matrix" },
    h(
      "caption",
      {},
      `By ${measures[state.by].display}, is the run in the row better (▲) or worse (▼) than the run in the column?`,
    ),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        order.map((b, i) =>
          h(
            "th",
            { scope: "col", title: shown(runs[b]) },
            h("span", { "aria-hidden": "true" }, String(i + 1)),
            h("span", { class: "hidden" }, shown(runs[b])),
          ),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      order.map((a, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, `${i + 1} ${shown(runs[a])}`),
          order.map((b) => cell(a, b)),
        ),
      ),
    ),
  );
}

/** The same as a picture, in which the cells of many runs are a few pixels wide. */
function picture(state) {
  const order = chosen(state).sort((a, b) => merit(state.by, b) - merit(state.by, a) || a - b);
  const cells = { 1: [], "-1": [] };
  order.forEach((a, i) =>
    order.forEach((b, j) => {
      const found = test(state.by, a, b);
      if (found?.sign) cells[found.sign].push(`M${j} ${i}h1v1h-1z`);
    }),
  );
  const told = h("p", { class: "note", role: "status" }, "Point at a cell to see its two runs.");
  const at = (event) => {
    const box = drawing.getBoundingClientRect();
    const place = (from, size) => Math.floor((from / size) * order.length);
    return [order[place(event.clientY - box.top, box.height)], order[place(event.clientX - box.left, box.width)]];
  };
  const drawing = s(
    "svg",
    {
      viewBox: `0 0 ${order.length} ${order.length}`,
      class: "chart pixels",
      role: "img",
      "aria-label": `Who beats whom by ${measures[state.by].display}, as a picture`,
      onpointermove: (event) => {
        const [a, b] = at(event);
        const found = a === undefined || b === undefined ? null : test(state.by, a, b);
        if (found) told.textContent = words(found, a, b);
      },
      onclick: (event) => {
        const [a, b] = at(event);
        if (a !== undefined && b !== undefined && a !== b) go({ view: "topics", a, b, m: state.by });
      },
    },
    s("rect", { width: order.length, height: order.length, class: "frame" }),
    s("path", { d: cells[1].join(""), class: "better" }),
    s("path", { d: cells["-1"].join(""), class: "worse" }),
  );
  return [
    h(
      "p",
      {},
      `Rows and columns are the runs by ${measures[state.by].display}, the best first. Blue: the run of the row is significantly better; orange: worse.`,
    ),
    drawing,
    told,
  ];
}

function groupList(state) {
  const groups = comparison.groups[state.by];
  if (!groups)
    return (
      tierList(state.by, chosen(state)) ??
      missing(
        "The significant differences need too many groups to name by letters; the table below has all pairs.",
      )
    );
  const left = matching(state);
  return [
    h("p", {}, "Within a group no two systems differ significantly. A system may be in several groups."),
    h(
      "ol",
      { class: "groups" },
      groups.map((group, g) => {
        const some = group.filter((r) => left.includes(r));
        return some.length && h("li", { value: g + 1 }, some.map((r) => shown(runs[r])).join(", "));
      }),
    ),
  ];
}

export function systems(root) {
  const measure = choice(
    "systems-measure",
    "Measure for ranks, intervals, groups and pairs",
    measures.map(({ display }) => display),
    (by) => go({ by }),
  );
  const [each, board, means, plot, groups, pairs] = Array.from({ length: 6 }, () => h("div"));
  let state;
  root.append(
    h(
      "div",
      { class: "answer" },
      part("In short", inShort(), each, h("p", { class: "controls" }, measure.element)),
      part("Ranks", board),
    ),
    part("Means", means),
    h(
      "p",
      { class: "controls" },
      h(
        "button",
        { type: "button", id: "csv", onclick: () => download("means.csv", csv(state), "text/csv") },
        "Download CSV",
      ),
      h(
        "button",
        {
          type: "button",
          id: "latex",
          onclick: () => download("means.tex", tex(state), "application/x-tex"),
        },
        "Download LaTeX",
      ),
    ),
    h("p", { class: "note" }, intervals, " ", comparison.missing ?? comparison.note),
    part("Intervals", plot),
    part("Groups", groups),
    part("Who beats whom", pairs),
  );
  return (now) => {
    state = now;
    const order = chosen(state);
    measure.set(state.by);
    show(each, byMeasure(state.by));
    show(board, boardTable(state.by, order));
    show(means, scrolling("Means over topics", table(state)));
    const { display } = measures[state.by];
    show(
      plot,
      margins.length
        ? intervalChart(
            order.map((r) => ({ name: runs[r], value: mean(state.by, r), margin: margin(state.by, r) })),
            `${display}: mean and interval of each run`,
          )
        : missing(intervals),
    );
    show(groups, comparison.missing ? missing(comparison.missing) : groupList(state));
    show(
      pairs,
      comparison.missing
        ? missing(comparison.missing)
        : order.length < MANY
          ? scrolling("Who beats whom", beats(state))
          : picture(state),
    );
  };
}
