// The topics: which are hard, which divide the systems, and where two systems differ.

import { counted, listed, measures, number, report, runs, score, sense, shown, signed, topicName, topics } from "./data.js";
import { choice, h, missing, part, scrolling, show, sortHead } from "./dom.js";
import { go, linkTo, matching } from "./state.js";
import { bar } from "./charts.js";

const whole = report["by topic"];
const divides = whole.spread.missing ?? null;

/** The name of a topic, which leads to its rankings if there are any. */
const toRankings = (chosen) =>
  report.rankings
    ? h("a", { href: linkTo({ view: "rankings", ...chosen }) }, topicName(chosen.t))
    : topicName(chosen.t);

/** The mean and the standard deviation over runs of a topic, and its best and worst run. */
function statistics(state) {
  const { m } = state,
    some = matching(state);
  if (some.length === runs.length || !some.length)
    return topics.map((_, t) => ({
      mean: whole.mean[m][t],
      spread: divides ? null : whole.spread[m][t],
      best: whole.best[m][t],
      worst: whole.worst[m][t],
    }));
  return topics.map((_, t) => {
    const known = some.filter((r) => score(m, r, t) !== null);
    if (!known.length) return { mean: null, spread: null, best: some[0], worst: some[0] };
    const mean = known.reduce((sum, r) => sum + score(m, r, t), 0) / known.length;
    const squares = known.reduce((sum, r) => sum + (score(m, r, t) - mean) ** 2, 0);
    const sorted = [...known].sort((a, b) => sense(m) * (score(m, b, t) - score(m, a, t)) || a - b);
    const worst = sorted.find((r) => score(m, r, t) === score(m, sorted.at(-1), t));
    const spread = known.length > 1 ? Math.sqrt(squares / (known.length - 1)) : null;
    return { mean, spread, best: sorted[0], worst };
  });
}

function order(state, found) {
  const [column, direction] = state.topicsort.split(" ");
  const descending = (direction ?? (column === "spread" ? "down" : "up")) === "down";
  const by =
    { name: (t) => t, mean: (t) => found[t].mean, spread: (t) => found[t].spread }[column] ??
    ((t) => t);
  const sorted = topics
    .map((_, t) => t)
    .sort((s, t) => (descending ? -1 : 1) * ((by(s) ?? Infinity) - (by(t) ?? Infinity)) || s - t);
  return { sorted, sort: { column, descending, descends: (other) => other !== "name" } };
}

function table(state, found) {
  const { sorted, sort } = order(state, found);
  const head = (label, key) =>
    sortHead("topicsort", label, key, sort, ({ column, descending }) =>
      go({ topicsort: `${column} ${descending ? "down" : "up"}` }),
    );
  const some = matching(state);
  const counted = some.length ? some : runs.map((_, r) => r);
  // Several runs may be the best or the worst. One of them is named, and the others are counted.
  const run = (t, r) => {
    const own = score(state.m, r, t);
    const others = counted.filter((other) => other !== r && score(state.m, other, t) === own).length;
    const more = others ? ` and ${others} more` : "";
    return h("td", { class: "text" }, shown(runs[r]), more, ` (${number(own, 3)})`);
  };
  return h(
    "table",
    {},
    h("caption", {}, `Topics by ${measures[state.m].display}`),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head("topic", "name"),
        head("mean over runs", "mean"),
        !divides && [
          head("standard deviation", "spread"),
          h("th", { scope: "col", class: "text" }, "best run"),
          h("th", { scope: "col", class: "text" }, "worst run"),
        ],
      ),
    ),
    h(
      "tbody",
      {},
      sorted.map((t) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, toRankings({ t })),
          h("td", {}, number(found[t].mean)),
          !divides && [
            h("td", {}, number(found[t].spread)),
            run(t, found[t].best),
            run(t, found[t].worst),
          ],
        ),
      ),
    ),
  );
}

function summary(state, found) {
  if (topics.length < 2) return missing("There is only one topic, so no topic is harder than another.");
  const first = (by) =>
    listed(
      topics
        .map((_, t) => t)
        .sort((s, t) => by(s) - by(t))
        .slice(0, 3)
        .map(topicName),
    );
  return h(
    "p",
    {},
    `Hardest by ${measures[state.m].display}: ${first((t) => (found[t].mean === null ? Infinity : sense(state.m) * found[t].mean))}. `,
    divides ?? `Most divisive: ${first((t) => -(found[t].spread ?? -1))}.`,
  );
}

function differences(state) {
  const { m, a, b } = state;
  const rows = topics
    .map((_, t) => [t, score(m, a, t), score(m, b, t)])
    .map(([t, x, y]) => [t, x, y, x === null || y === null ? null : x - y]);
  const gain = (row) => (row[3] === null ? -Infinity : sense(m) * row[3]);
  rows.sort((p, q) => gain(q) - gain(p) || p[0] - q[0]);
  const largest = Math.max(1e-9, ...rows.map((row) => Math.abs(row[3] ?? 0)));
  const better = rows.filter((row) => row[3] !== null && gain(row) > 1e-9).length,
    worse = rows.filter((row) => row[3] !== null && gain(row) < -1e-9).length;
  return [
    h(
      "p",
      {},
      `By ${measures[m].display}, ${shown(runs[a])} is better than ${shown(runs[b])} on ${counted(better, "topic")}, worse on ${worse} and equal on ${rows.length - better - worse}.`,
    ),
    scrolling(
      "Differences",
      h(
        "table",
        {},
        h("caption", {}, `${shown(runs[a])} minus ${shown(runs[b])}`),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["topic", "A", "B", "A − B"].map((head) => h("th", { scope: "col" }, head)),
            h("td", {}),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map(([t, x, y, d]) =>
            h(
              "tr",
              {},
              h(
                "th",
                { scope: "row" },
                toRankings({ t, a, b }),
              ),
              h("td", {}, number(x)),
              h("td", {}, number(y)),
              h("td", {}, signed(d)),
              h("td", {}, bar(d, largest)),
            ),
          ),
        ),
      ),
    ),
  ];
}

export function topicsView(root) {
  const measure = choice(
    "topics-measure",
    "Measure",
    measures.map(({ display }) => display),
    (m) => go({ m }),
  );
  const a = choice("topics-a", "A", runs, (r) => go({ a: r }));
  const b = choice("topics-b", "B", runs, (r) => go({ b: r }));
  const [told, list, pair] = Array.from({ length: 3 }, () => h("div"));
  root.append(
    h("p", { class: "controls" }, measure.element),
    told,
    list,
    part(
      "Where two systems differ",
      runs.length > 1
        ? [h("p", { class: "controls" }, a.element, b.element), pair]
        : missing("There is only one run, so there is nothing to compare it with."),
    ),
  );
  return (state) => {
    const found = statistics(state),
      some = matching(state);
    measure.set(state.m);
    a.set(state.a, some);
    b.set(state.b, some);
    show(told, summary(state, found));
    show(list, scrolling("Topics", table(state, found)));
    if (runs.length > 1) show(pair, differences(state));
  };
}
