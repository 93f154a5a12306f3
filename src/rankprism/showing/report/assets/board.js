// The first screen: what the scores prove, in sentences, and the ranks that each run may have.

import { counted, mean, measures, merit, number, report, runs, shorter, shown } from "./data.js";
import { h, missing, s, scrolling } from "./dom.js";
import { go } from "./state.js";

const { board } = report;

/** The sentences that a reader should know first. */
export const inShort = () =>
  board.summary.length
    ? h(
        "ul",
        { class: "summary" },
        board.summary.map((sentence) => h("li", {}, shown(sentence, Infinity))),
      )
    : missing("There is nothing to compare.");

/** For each measure: the run with the best mean, how many runs may be the best, and how many pairs differ significantly. */
export function byMeasure(chosen) {
  if (runs.length < 2) return null;
  const { sign } = report.systems.comparison;
  const pairs = (runs.length * (runs.length - 1)) / 2;
  const first = (m) => board.ranks[m].filter(([low]) => low === 1).length;
  const best = (m) =>
    runs.map((_, r) => r).reduce((a, b) => (merit(m, b) > merit(m, a) ? b : a));
  return scrolling(
    "By each measure",
    h(
      "table",
      { class: "each" },
      h("caption", {}, `By each measure${sign ? `, out of ${counted(pairs, "pair")} of runs` : ""}`),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "measure"),
          h("th", { scope: "col", class: "text" }, "best mean"),
          !board.missing && h("th", { scope: "col" }, "may be best"),
          sign && h("th", { scope: "col" }, "differ"),
        ),
      ),
      h(
        "tbody",
        {},
        measures.map(({ display }, m) =>
          h(
            "tr",
            { class: m === chosen ? "chosen" : null },
            h(
              "th",
              { scope: "row" },
              h(
                "button",
                {
                  type: "button",
                  id: `each-${m}`,
                  class: "plainbutton",
                  "aria-pressed": String(m === chosen),
                  onclick: () => go({ by: m }),
                },
                display,
              ),
            ),
            h(
              "td",
              { class: "text", title: shown(runs[best(m)]) },
              `${number(mean(m, best(m)))} ${shorter(shown(runs[best(m)]), 20)}`,
            ),
            !board.missing && h("td", {}, String(first(m))),
            sign && h("td", {}, sign[m].filter(Boolean).length.toLocaleString("en")),
          ),
        ),
      ),
    ),
  );
}

/** What is wrong with a run, beside its name: a few words that open the whole note. */
export const badges = (r) =>
  board.badges[r].map(([words, note]) =>
    h("details", { class: "badge" }, h("summary", {}, words), h("p", {}, shown(note, Infinity))),
  );

const span = ([low, high]) => (low === high ? String(low) : `${low}–${high}`);

/** The ranks that a run may have as a bar, with its rank in this sample as a point. */
function bar([low, high], place) {
  const width = 200,
    x = (rank) => ((rank - 0.5) / runs.length) * width;
  return s(
    "svg",
    { viewBox: `0 0 ${width} 14`, class: "ranks", "aria-hidden": "true" },
    s("line", { x1: 0, x2: width, y1: 7, y2: 7, class: "grid" }),
    s("rect", { x: x(low - 0.5), y: 3, width: x(high + 0.5) - x(low - 0.5), height: 8, class: "span" }),
    s("circle", { cx: x(place), cy: 7, r: 3, class: "dot" }),
  );
}

/** The board of a measure: some runs, the best mean first. */
export function boardTable(m, some) {
  if (board.missing) return missing(board.missing);
  const order = [...some].sort((a, b) => merit(m, b) - merit(m, a) || a - b);
  const place = (r) => 1 + runs.filter((_, other) => merit(m, other) > merit(m, r) + 1e-12).length;
  const { display } = measures[m];
  return [
    scrolling(
      "Ranks",
      h(
        "table",
        { class: "board" },
        h("caption", {}, `The ranks that each run may have by ${display}`),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["run", "mean", "ranks", "", "tier"].map((name) =>
              name ? h("th", { scope: "col" }, name) : h("td", {}),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          order.map((r) =>
            h(
              "tr",
              { class: board.tiers[m][r] % 2 ? "band" : null },
              h("th", { scope: "row" }, shown(runs[r]), badges(r)),
              h("td", {}, number(mean(m, r))),
              h("td", {}, span(board.ranks[m][r])),
              h("td", { class: "bars" }, bar(board.ranks[m][r], place(r))),
              h("td", {}, String(board.tiers[m][r])),
            ),
          ),
        ),
      ),
    ),
    h("p", { class: "note" }, board.note),
  ];
}

/** Some runs by tier, or null without a board. */
export function tierList(m, some) {
  if (board.missing) return null;
  const last = Math.max(...board.tiers[m]);
  const members = (tier) =>
    some
      .filter((r) => board.tiers[m][r] === tier)
      .sort((a, b) => merit(m, b) - merit(m, a) || a - b);
  return [
    h("p", {}, "There are too many groups to name by letters. Within a tier no two systems differ significantly."),
    h(
      "ol",
      { class: "tiers" },
      Array.from({ length: last }, (_, i) => i + 1)
        .filter((tier) => members(tier).length)
        .map((tier) =>
          h(
            "li",
            { value: tier },
            members(tier)
              .map((r) => shown(runs[r]))
              .join(", "),
          ),
        ),
    ),
  ];
}
