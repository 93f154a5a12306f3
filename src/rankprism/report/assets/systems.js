// The systems: a table of means, intervals, groups, and who beats whom.

import { counted, mean, measures, number, probability, report, runs, shown, signed, test } from "./data.js";
import { choice, download, h, missing, part, scrolling, show, sortHead } from "./dom.js";
import { go, linkTo } from "./state.js";
import { intervalChart } from "./charts.js";

const { margins, comparison, intervals, latex } = report.systems;
const margin = (m, r) => (margins.length ? margins[m][r] : null);
const letters = "abcdefghijklmnopqrstuvwxyz";

/** The runs that match the filter, in the order of the table. */
function chosen(state) {
  const [column, direction] = state.sort.split(" ");
  const wanted = state.filter.toLowerCase();
  const left = runs.map((_, r) => r).filter((r) => runs[r].toLowerCase().includes(wanted));
  const by =
    column === "name"
      ? (a, b) => (runs[a] < runs[b] ? -1 : 1)
      : (a, b) => (mean(column, a) ?? -Infinity) - (mean(column, b) ?? -Infinity);
  const turn = (direction ?? (column === "name" ? "up" : "down")) === "down" ? -1 : 1;
  return left.sort((a, b) => turn * by(a, b) || a - b);
}

function table(state) {
  const [column, direction] = state.sort.split(" ");
  const sort = { column, descending: (direction ?? (column === "name" ? "up" : "down")) === "down" };
  const head = (label, key) =>
    sortHead("sort", label, key, sort, ({ column, descending }) =>
      go({ sort: `${column} ${descending ? "down" : "up"}` }),
    );
  const groups = comparison.missing ? null : comparison.groups[state.m];
  const best = measures.map((_, m) => Math.max(...runs.map((_, r) => mean(m, r) ?? -Infinity)));
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
          h("th", { scope: "col" }, "group", h("span", { class: "margin" }, ` ${measures[state.m].display}`)),
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
          h("th", { scope: "row" }, shown(runs[r])),
          groups &&
            h(
              "td",
              { class: "letters" },
              groups.map((group, g) => (group.includes(r) ? letters[g] : "")).join(""),
            ),
          measures.map((_, m) =>
            h(
              "td",
              { class: best[m] - mean(m, r) < 5e-5 ? "best" : null },
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

function beats(state) {
  const order = chosen(state);
  const cell = (a, b) => {
    const found = test(state.m, a, b);
    if (!found) return h("td", { class: "self" }, "");
    const word = found.sign > 0 ? "better" : found.sign < 0 ? "worse" : "no significant difference";
    const label = `${shown(runs[a])} against ${shown(runs[b])}: ${word}, ${signed(found.difference)}, adjusted ${probability(found.p)}`;
    return h(
      "td",
      { class: found.sign > 0 ? "win" : found.sign < 0 ? "loss" : "even" },
      h(
        "a",
        { href: linkTo({ view: "topics", a, b }), title: label, "aria-label": label },
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
      `By ${measures[state.m].display}, is the run in the row better (▲) or worse (▼) than the run in the column?`,
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

function groupList(state) {
  const groups = comparison.groups[state.m];
  if (!groups)
    return missing(
      "The significant differences need too many groups to name by letters; the table below has all pairs.",
    );
  return [
    h("p", {}, "Within a group no two systems differ significantly. A system may be in several groups."),
    h(
      "ol",
      { class: "groups" },
      groups.map((group) => h("li", {}, group.map((r) => shown(runs[r])).join(", "))),
    ),
  ];
}

export function systems(root) {
  const measure = choice(
    "systems-measure",
    "Measure for intervals, groups and pairs",
    measures.map(({ display }) => display),
    (m) => go({ m }),
  );
  const filter = h("input", {
    id: "filter",
    type: "search",
    autocomplete: "off",
    oninput: () => go({ filter: filter.value }),
  });
  const [means, count, plot, groups, pairs] = Array.from({ length: 5 }, () => h("div"));
  count.setAttribute("role", "status");
  let state;
  root.append(
    h(
      "p",
      { class: "controls" },
      h("span", { class: "control" }, h("label", { for: "filter" }, "Show runs whose name contains"), filter),
      measure.element,
    ),
    count,
    means,
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
    measure.set(state.m);
    if (filter.value !== state.filter) filter.value = state.filter;
    show(
      count,
      h(
        "p",
        {},
        state.filter ? `${counted(order.length, "run")} of ${runs.length}` : counted(order.length, "run"),
      ),
    );
    show(means, scrolling("Means over topics", table(state)));
    const { display } = measures[state.m];
    show(
      plot,
      margins.length
        ? intervalChart(
            order.map((r) => ({ name: runs[r], value: mean(state.m, r), margin: margin(state.m, r) })),
            `${display}: mean and interval of each run`,
          )
        : missing(intervals),
    );
    show(groups, comparison.missing ? missing(comparison.missing) : groupList(state));
    show(pairs, comparison.missing ? missing(comparison.missing) : scrolling("Who beats whom", beats(state)));
  };
}
