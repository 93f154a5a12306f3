// The measures: which to use, how much they agree about the systems, what they tell apart, and the verdicts on them.

import {
  counted,
  listed,
  mean,
  measures,
  number,
  real,
  report,
  runs,
  sense,
  shown,
  signed,
  test,
  topicName,
  topics,
} from "./data.js";
import { choice, h, missing, part, scrolling, show } from "./dom.js";
import { go, linkTo, matching } from "./state.js";

const { agreement, axioms, advice } = report;
const TIED = 1e-9; // as in Python
const BINARY =
  "The judgments have one grade above 0, so the axioms are read for binary grades here (grades=binary).";
const name = (m) => measures[m].display;
const between = (low, high) =>
  low === null || low === undefined ? "" : ` [${number(low, 2)}, ${number(high, 2)}]`;

/** Links to the evidence for a sentence. */
function evidence(m, sentence) {
  if (sentence.see === "axioms") {
    return sentence.axioms.map((axiom) => [
      " ",
      h("a", { href: linkTo({ view: "measures", axiom: `${measures[m].name} ${axiom}` }) }, axiom),
    ]);
  }
  if (sentence.see === "topics") return [" ", h("a", { href: linkTo({ view: "topics", m }) }, "topics")];
  return [
    " ",
    h(
      "a",
      {
        href: `#${sentence.see}`,
        onclick: (event) => {
          event.preventDefault();
          document.getElementById(sentence.see).scrollIntoView();
          document.getElementById(sentence.see).focus();
        },
      },
      sentence.see,
    ),
  ];
}

const sentences = (m, found) =>
  found.map((sentence) =>
    h("li", {}, sentence.text, h("span", { class: "evidence" }, evidence(m, sentence))),
  );

/** The name of an axiom with its short form: priority (Pri). */
const longName = (short) =>
  `${axioms.axioms
    .find(({ name }) => name === short)
    .summary.split(":")[0]
    .toLowerCase()} (${short})`;

function story(found) {
  if (found.missing)
    return h(
      "details",
      { open: true },
      h("summary", {}, found.name),
      h("p", {}, found.user),
      missing(found.missing),
    );
  return h(
    "details",
    { open: true },
    h("summary", {}, found.name),
    h(
      "p",
      {},
      found.user,
      " A measure for this user should satisfy ",
      listed(found.needs.map(longName)),
      ".",
    ),
    h(
      "ul",
      { class: "conclusion" },
      found.conclusion.map(({ text }) => h("li", {}, text)),
    ),
    h("h4", {}, "The verdicts on each measure"),
    h(
      "dl",
      {},
      found.verdicts.map((own, m) => [h("dt", {}, name(m)), h("dd", {}, h("ul", {}, sentences(m, own)))]),
    ),
  );
}

const advised = () => [
  h(
    "p",
    {},
    "No measure is best for everybody. Here is advice for three users. Only an axiom that is proved counts for a measure, only one that is refuted counts against it, and a difference that is not significant does not count. ",
    axioms?.options ? BINARY : "",
  ),
  advice.stories.map(story),
  h(
    "details",
    {},
    h("summary", {}, "What the scores tell about each measure, whoever the user is"),
    h(
      "dl",
      {},
      advice.here.map((own, m) => [
        h("dt", {}, name(m)),
        h(
          "dd",
          {},
          own.length
            ? h("ul", {}, sentences(m, own))
            : "Nothing, because measures are compared by how they order several runs.",
        ),
      ]),
    ),
  ),
];

function powerTable() {
  const { power, unanimity } = agreement;
  const told = !power.missing,
    agreed = !unanimity.missing;
  return [
    (told || agreed) &&
      scrolling(
        "Power and unanimity",
        h(
          "table",
          {},
          h("caption", {}, "Discriminative power and unanimity, with 95 % intervals"),
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "measure"),
              told &&
                ["power", "pairs told apart", "difference required"].map((head) =>
                  h("th", { scope: "col" }, head),
                ),
              agreed && ["unanimity", "joins the others"].map((head) => h("th", { scope: "col" }, head)),
            ),
          ),
          h(
            "tbody",
            {},
            measures.map((_, m) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, name(m)),
                told && [
                  h("td", {}, number(power.power[m], 2), between(power.low?.[m], power.high?.[m])),
                  h("td", {}, `${power.significant[m].toLocaleString("en")} of ${power.pairs.toLocaleString("en")}`),
                  h("td", {}, number(power.required[m])),
                ],
                agreed && [
                  h("td", {}, number(unanimity.mu[m], 2), between(unanimity.low[m], unanimity.high[m])),
                  h(
                    "td",
                    {},
                    `${unanimity.joined[m].toLocaleString("en")} of ${unanimity.unanimous[m].toLocaleString("en")}`,
                  ),
                ],
              ),
            ),
          ),
        ),
      ),
    told
      ? h(
          "p",
          { class: "note" },
          `Power: the share of pairs of systems with a significant difference (${power.method} with ${power.resamples.toLocaleString("en")} resamples, α = ${power.alpha}, not corrected for the number of pairs, unlike the tests of systems).`,
        )
      : missing(power.missing),
    agreed
      ? h(
          "p",
          { class: "note" },
          "Unanimity: 1 if the measure always agrees with what all the others agree on, 0 if it does so only by chance.",
        )
      : missing(unanimity.missing),
  ];
}

function correlationTable() {
  const { correlation } = agreement;
  if (correlation.missing) return missing(correlation.missing);
  const shade = (x) => (x === null ? null : `tau${Math.max(0, Math.min(5, Math.floor(x * 5 + 0.5)))}`);
  return [
    scrolling(
      "Correlation",
      h(
        "table",
        {},
        h(
          "caption",
          {},
          "Kendall's τ between the orders of the systems by two measures, with 95 % intervals",
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            measures.map((_, m) => h("th", { scope: "col" }, name(m))),
          ),
        ),
        h(
          "tbody",
          {},
          measures.map((_, a) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, name(a)),
              measures.map((_, b) => {
                const value = correlation.values[a][b];
                return h(
                  "td",
                  { class: a === b ? "self" : shade(value) },
                  a === b
                    ? ""
                    : [
                        number(value, 2),
                        h(
                          "span",
                          { class: "margin" },
                          between(correlation.low[a][b], correlation.high[a][b]),
                        ),
                      ],
                );
              }),
            ),
          ),
        ),
      ),
    ),
  ];
}

/** The number of pairs of some runs that two measures put in opposite order, and of those that both are sure of. */
function opposed(m, m2, some) {
  let [opposite, significant] = [0, 0];
  some.forEach((a, i) =>
    some.slice(i + 1).forEach((b) => {
      const [first, second] = [m, m2].map((one) => sense(one) * (mean(one, a) - mean(one, b)));
      if (first * second >= 0 || Math.min(Math.abs(first), Math.abs(second)) <= TIED) return;
      opposite += 1;
      if (test(m, a, b)?.sign && test(m2, a, b)?.sign) significant += 1;
    }),
  );
  return { opposite, significant, pairs: (some.length * (some.length - 1)) / 2 };
}

function disagreement(state) {
  const { disagreements } = agreement;
  if (state.m === state.m2) return missing("Choose two different measures.");
  const found = disagreements.of.find(
    ({ measures: [a, b] }) => (a === state.m && b === state.m2) || (a === state.m2 && b === state.m),
  );
  const turned = found.measures[0] !== state.m;
  const some = matching(state);
  const counts =
    some.length === runs.length ? { ...found, pairs: disagreements.pairs } : opposed(state.m, state.m2, some);
  const told =
    `${name(state.m)} and ${name(state.m2)} put ${counted(counts.opposite, "pair")} of systems (out of ${counts.pairs.toLocaleString("en")}) in opposite order` +
    (counts.opposite ? `; for ${counts.significant} of them both differences are significant.` : ".");
  if (!found.cases.length)
    return [h("p", {}, told), h("p", {}, "They prefer the same ranking on every topic.")];
  const cases = found.cases.filter(([, a, b]) => some.includes(a) && some.includes(b));
  if (!cases.length)
    return [h("p", {}, told), h("p", {}, "None of their clearest disagreements is about two of these runs.")];
  return [
    h("p", {}, told),
    scrolling(
      "Clearest disagreements",
      h(
        "table",
        {},
        h("caption", {}, `The ${report.rankings ? "rankings" : "topics"} on which they disagree most clearly`),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            [
              "topic",
              `${name(state.m)} prefers`,
              `${name(state.m2)} prefers`,
              `Δ ${name(state.m)}`,
              `Δ ${name(state.m2)}`,
              ...(report.rankings ? ["rankings"] : []),
            ].map((head) => h("th", { scope: "col" }, head)),
          ),
        ),
        h(
          "tbody",
          {},
          cases.map(([t, better, other, first, second]) => {
            const [a, b, own, others] = turned
              ? [other, better, -second, -first]
              : [better, other, first, second];
            return h(
              "tr",
              {},
              h("th", { scope: "row" }, topicName(t)),
              h("td", { class: "text" }, shown(runs[a])),
              h("td", { class: "text" }, shown(runs[b])),
              h("td", {}, signed(real(own))),
              h("td", {}, signed(real(others))),
              report.rankings && h(
                "td",
                {},
                h(
                  "a",
                  {
                    href: linkTo({ view: "rankings", t, a, b }),
                    "aria-label": `Compare the rankings of ${shown(runs[a])} and ${shown(runs[b])} for topic ${shown(topics[t])}`,
                  },
                  "compare",
                ),
              ),
            );
          }),
        ),
      ),
    ),
  ];
}

function axiomTable(state) {
  const cell = (m, c) => {
    const { sign, kind, words } = axioms.verdicts[m][c];
    const key = `${measures[m].name} ${axioms.axioms[c].name}`;
    return h(
      "td",
      { class: { proved: "proved", refuted: "refuted" }[kind] ?? null },
      h(
        "a",
        {
          id: `axiom-${m}-${c}`,
          href: linkTo({ view: "measures", axiom: key }),
          "aria-current": state.axiom === key ? "true" : null,
          "aria-label": `${name(m)}, ${axioms.axioms[c].name}: ${words}`,
          title: words,
        },
        sign,
      ),
    );
  };
  return h(
    "table",
    { class: "matrix" },
    h(
      "caption",
      {},
      `${axioms.signs}. Choose a sign to see the rankings behind it.`,
    ),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        axioms.axioms.map((axiom) => h("th", { scope: "col", title: axiom.summary }, axiom.name)),
      ),
    ),
    h(
      "tbody",
      {},
      measures.map((_, m) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, name(m)),
          axioms.axioms.map((_, c) => cell(m, c)),
        ),
      ),
    ),
  );
}

function axiomStory(state) {
  for (const [m, row] of axioms.verdicts.entries()) {
    for (const [c, verdict] of row.entries()) {
      const axiom = axioms.axioms[c];
      if (state.axiom !== `${measures[m].name} ${axiom.name}`) continue;
      return h(
        "div",
        { class: "story" },
        h("h4", { id: "story", tabindex: "-1" }, `${name(m)} and ${axiom.name}: ${verdict.words}`),
        h("p", {}, axiom.summary),
        h("p", { class: "formula" }, axiom.formula),
        h("pre", { tabindex: "0" }, verdict.story),
      );
    }
  }
  return null;
}

export function measuresView(root) {
  const names = measures.map(({ display }) => display);
  const first = choice("first", "Measure", names, (m) => go({ m }));
  const second = choice("second", "and", names, (m2) => go({ m2 }));
  const [cases, table, told] = Array.from({ length: 3 }, () => h("div"));
  const none = agreement.disagreements.missing;
  const anchored = (id, title, ...content) =>
    h("section", { id, tabindex: "-1" }, h("h3", {}, title), ...content);
  root.append(
    advice ? part("Which measure to use here", advised()) : "",
    part(
      "Where the measures disagree about the systems",
      none ? missing(none) : [h("p", { class: "controls" }, first.element, second.element), cases],
    ),
    anchored("correlation", "Correlation", correlationTable()),
    anchored(
      "power",
      "What the measures tell apart",
      h("span", { id: "unanimity", tabindex: "-1" }),
      powerTable(),
    ),
    axioms ? part(
      "Axioms",
      h(
        "p",
        {},
        `The command rankprism axioms${axioms.options} gives the same verdicts, and with --instances it tries more. `,
        axioms.options ? BINARY : "",
      ),
      table,
      axioms.reading.map((line) => h("p", { class: "note" }, line)),
      told,
      h(
        "details",
        {},
        h("summary", {}, "What the axioms say"),
        h(
          "dl",
          {},
          axioms.axioms.map((axiom) => [h("dt", {}, axiom.name), h("dd", {}, axiom.summary)]),
        ),
      ),
    ) : "",
    part(
      "The measures",
      h(
        "dl",
        {},
        measures.map((measure) => [
          h("dt", {}, measure.display),
          h(
            "dd",
            {},
            measure.summary,
            measure.cite.map((text) => h("div", { class: "note" }, text)),
          ),
        ]),
      ),
    ),
  );
  let told_of = null;
  return (state) => {
    first.set(state.m);
    second.set(state.m2);
    if (!none) show(cases, disagreement(state));
    if (axioms) {
      show(table, scrolling("Axioms", axiomTable(state)));
      show(told, axiomStory(state));
    }
    if (state.view === "measures" && state.axiom && state.axiom !== told_of)
      document.getElementById("story")?.scrollIntoView({ block: "nearest" });
    told_of = state.axiom;
  };
}
