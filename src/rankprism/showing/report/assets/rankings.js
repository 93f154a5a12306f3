// The ranking explorer: two lists and the ideal one, what each document earned, and which list each measure prefers.

import {
  counted,
  idealOf,
  isBeyond,
  listOf,
  listed,
  measures,
  number,
  report,
  runs,
  score,
  sense,
  shown,
  signed,
  topicName,
  topics,
} from "./data.js";
import { choice, h, missing, part, scrolling, show } from "./dom.js";
import { go, matching } from "./state.js";
import { curves } from "./charts.js";
import { marked, rendered } from "./marks.js";

const { depth, labels, kinds } = report.rankings ?? { kinds: [] };
const hasGrades = kinds.includes("judgments");
const noIdeal = report.rankings?.["no ideal"];
const COLOURS = 7,
  SHAPES = 3;
const EVEN = 1e-6;
const sum = (numbers) => numbers.reduce((x, y) => x + y, 0);
const earned = (list) => list.gained.map((x, i) => x + list.spent[i]);

/** The [aspect, grade] pairs of a document; null if nobody judged it. */
function grades(topic, doc) {
  const flat = topic.grades[doc];
  return flat && Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
}

const ordinal = (n) =>
  `${n}${n % 100 > 10 && n % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")}`;

/** The number of documents on each aspect down to and including each rank. */
function served(topic, docs) {
  const count = topic.aspects.map(() => 0);
  return docs.map((doc) => {
    for (const [aspect] of grades(topic, doc) ?? []) count[aspect] += 1;
    return [...count];
  });
}

/** The name of a grade in the judgments. */
const label = (aspect, grade) =>
  (Object.hasOwn(labels, aspect) ? labels[aspect][String(grade)] : null) ?? String(grade);

const beginning = (text, most) => shown(text.length > most ? `${text.slice(0, most).trimEnd()}…` : text);

/** Whether the documents of a topic have one grade each, because its judgments name no aspects. */
const isPlain = (topic) => topic.aspects.length === 1 && topic.aspects[0] === "0";

function mark(topic, aspect, grade, seen, text) {
  const name = topic.aspects[aspect];
  if (isPlain(topic))
    return h(
      "span",
      { class: "mark" },
      h("i", { class: "swatch c0 s0", "aria-hidden": "true" }),
      "grade ",
      h("b", {}, shown(label(name, grade))),
    );
  return h(
    "span",
    { class: "mark" },
    h("i", {
      class: `swatch c${aspect % COLOURS} s${Math.floor(aspect / COLOURS) % SHAPES}`,
      "aria-hidden": "true",
    }),
    h("span", { class: "aspect", title: text || null }, shown(name), text && ` ${beginning(text, 40)}`),
    " ",
    h("b", {}, shown(label(name, grade))),
    topic.navigational?.[aspect] && h("span", { class: "note" }, " navigational"),
    h("span", { class: "note" }, ` ${ordinal(seen)}`),
  );
}

/** For each pair of documents, how often people preferred the one and the other. */
const compared = new Map();
function pairsOf(topic) {
  if (!compared.has(topic)) {
    const found = new Map();
    for (const [a, b, first, second] of topic.pairs ?? []) {
      found.set(`${a} ${b}`, [first, second]);
      found.set(`${b} ${a}`, [second, first]);
    }
    compared.set(topic, found);
  }
  return compared.get(topic);
}

/** The documents above this one that people compared with it, by whether it was preferred to them. */
function comparedAbove(topic, docs, i) {
  const found = { over: [], under: [], even: [] };
  for (let j = 0; j < i; j++) {
    const [own, other] = pairsOf(topic).get(`${docs[i]} ${docs[j]}`) ?? [];
    if (own === undefined) continue;
    found[own > other ? "over" : own < other ? "under" : "even"].push(`${j + 1} (${own} : ${other})`);
  }
  return found;
}

/** How often people preferred a document, and how it compares with the documents above it. */
function preferenceMarks(topic, docs, i) {
  const won = topic.won[docs[i]];
  const { over, under, even } = comparedAbove(topic, docs, i);
  const ranks = (found) => `rank${found.length > 1 ? "s" : ""} ${listed(found)}`;
  const relation = (kind, sign, words, found) =>
    found.length > 0 &&
    h(
      "span",
      { class: `mark ${kind}` },
      h("b", { "aria-hidden": "true" }, sign),
      ` ${words} ${ranks(found)}`,
    );
  return [
    h(
      "span",
      { class: "mark won" },
      won ? ["preferred in ", h("b", {}, String(won[0])), ` of ${won[1]}`] : "never compared",
    ),
    relation("over", "▲", "preferred to", over),
    relation("under", "▽", "not preferred to", under),
    relation("even", "=", "as good as", even),
  ];
}

/** The number of pairs that people judged in which the better document is above, and in which it is below. */
function pairOrder(topic, docs) {
  const found = { right: 0, wrong: 0 };
  docs.forEach((_, i) => {
    const { over, under } = comparedAbove(topic, docs, i);
    found.wrong += over.length;
    found.right += under.length;
  });
  return found;
}

/** The reason why a document earned what it did, in the measure's own terms. */
function why(m, list, i) {
  const { names, adds } = report.rankings.parts[m];
  const told = [];
  if (Math.abs(list.gained[i]) > EVEN && names.length) {
    const words = names
      .map(([name], p) => [name, list.parts[p][i]])
      .filter(([name, x]) => name !== "scale" || Math.abs(x - 1) > 5e-4)
      .map(([name, x]) => (name === "novelty" ? `new ${number(x * 100, 1)} %` : `${name} ${number(x, 3)}`));
    told.push(`${words.join(adds ? " + " : " × ")} = ${number(list.gained[i])}`);
  }
  const spent = list.spent[i];
  if (Math.abs(spent) > EVEN) told.push(`${spent < 0 ? "effort" : "for being there"} ${signed(spent)}`);
  return told.join(", ");
}

/** What the parts of a measure mean. */
function meaning(m, lists) {
  const { names, adds } = report.rankings.parts[m];
  const told = names.filter(([, words]) => words);
  if (lists.some(({ list }) => list.spent.some((x) => x < 0)))
    told.push(["effort", "what it costs to look at the document, discounted and scaled like the gain"]);
  if (!names.length) return null;
  return h(
    "details",
    { class: "note" },
    h("summary", {}, `What ${adds ? "the summands" : "the factors"} of ${measures[m].display} are`),
    told.length
      ? h(
          "dl",
          {},
          told.map(([name, words]) => [
            h("dt", {}, name === "novelty" ? "new" : name),
            h("dd", {}, `${words}.`),
          ]),
        )
      : h("p", {}, `${listed(names.map(([name]) => name))}: what the document adds to each, with its weight.`),
  );
}

function documentItem(t, m, list, seen, i, largest) {
  const measure = measures[m],
    topic = report.rankings.topics[t],
    { words, aspects: texts } = report["topic texts"][t];
  const doc = list.docs[i],
    on = grades(topic, doc),
    id = topic.docs[doc];
  const about = Object.hasOwn(report.documents, id) ? report.documents[id] : null;
  const passage = report.passages[t]?.[doc];
  const whole = about?.html && h("div");
  const got = list.gained[i] + list.spent[i];
  const reason = why(m, list, i);
  const width = h("i", { class: `amount ${got < 0 ? "negative" : ""}`, "aria-hidden": "true" });
  width.style.width = `${(Math.abs(got) / largest) * 100}%`;
  const link = about?.url && /^https?:\/\//.test(about.url);
  return h(
    "li",
    { class: on?.length || topic.won?.[doc] ? null : "plain" },
    h(
      "div",
      { class: "doc" },
      about?.title && [h("b", {}, marked(about.title, words)), " "],
      h("span", { class: about?.title ? "id" : null }, shown(id)),
      link && [" ", h("a", { href: about.url, rel: "noopener noreferrer", target: "_blank" }, "open")],
    ),
    passage && h("p", { class: "snippet" }, marked(passage, words)),
    whole &&
      h(
        "details",
        // The document is made when somebody opens it, because there may be many.
        { class: "whole", ontoggle: () => whole.hasChildNodes() || whole.append(rendered(about.html, words)) },
        h("summary", {}, "Read the document"),
        whole,
      ),
    h(
      "div",
      { class: "marks" },
      !hasGrades
        ? null
        : on === null
          ? h("span", { class: "note" }, "not judged")
          : on.length
            ? on.map(([aspect, grade]) => mark(topic, aspect, grade, seen[i][aspect], texts?.[aspect]))
            : h("span", { class: "note" }, "not relevant"),
      topic.won && preferenceMarks(topic, list.docs, i),
    ),
    isBeyond(m, i)
      ? h("div", { class: "note" }, `below the cutoff of ${measure.display}`)
      : h("div", { class: "earned" }, h("span", { class: "track" }, width), h("span", {}, signed(got))),
    reason && h("div", { class: "why" }, reason),
  );
}

/** What the documents below the last rank that is shown earned together. */
const earnedBelow = (list) => (list.score === null ? 0 : list.score - sum(earned(list)) - list.empty);

function column(kind, title, t, m, list, largest) {
  const topic = report.rankings.topics[t],
    seen = served(topic, list.docs),
    measure = measures[m],
    below = earnedBelow(list);
  return h(
    "div",
    { class: `list ${kind}` },
    h("h4", {}, title),
    h(
      "p",
      { class: "note" },
      `${measure.display} ${number(list.score)}, ${counted(list.length, "document")}`,
    ),
    hasGrades &&
      isPlain(topic) &&
      h(
        "p",
        { class: "note" },
        `${list.docs.filter((doc) => topic.grades[doc]?.length).length} of the first ${list.docs.length} are relevant`,
      ),
    list.docs.length
      ? h(
          "ol",
          {},
          list.docs.map((_, i) => documentItem(t, m, list, seen, i, largest)),
        )
      : missing("The run has nothing for this topic."),
    Math.abs(below) > 5e-5 &&
      h("p", { class: "note" }, `Documents below rank ${list.docs.length} earned ${signed(below)} together.`),
  );
}

/** Which list each measure prefers. */
function preferences(state, a, b) {
  const one = runs.length < 2;
  return h(
    "table",
    {},
    h("caption", {}, one ? "Scores of the list" : "Which measure prefers which list"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        [
          "measure",
          `A: ${shown(runs[a])}`,
          !one && `B: ${shown(runs[b])}`,
          !one && "A − B",
          !one && "prefers",
          "ideal",
        ]
          .filter(Boolean)
          .map((head) => h("th", { scope: "col" }, head)),
      ),
    ),
    h(
      "tbody",
      {},
      measures.map((measure, m) => {
        const x = score(m, a, state.t),
          y = score(m, b, state.t),
          ideal = idealOf(state.t, m);
        const told = x !== null && y !== null;
        const prefers = !told ? "–" : x - y > EVEN ? "A" : y - x > EVEN ? "B" : "neither";
        return h(
          "tr",
          { class: m === state.m ? "chosen" : null },
          h(
            "th",
            { scope: "row" },
            h(
              "button",
              {
                type: "button",
                id: `prefer-${m}`,
                "aria-pressed": String(m === state.m),
                class: "plainbutton",
                onclick: () => go({ m }),
              },
              measure.display,
            ),
          ),
          h("td", {}, number(x)),
          !one && [
            h("td", {}, number(y)),
            h("td", {}, told ? signed(x - y) : "–"),
            h(
              "td",
              { class: `text prefers ${told ? prefers : ""}` },
              !told || prefers === "neither" ? prefers : `${prefers} ${prefers === "A" ? "◀" : "▶"}`,
            ),
          ],
          h("td", {}, ideal ? number(ideal.score) : h("span", { title: noIdeal[m] }, "–")),
        );
      }),
    ),
  );
}

/** Sentences on what makes the difference under the chosen measure, and which measures prefer the other list. */
function reasons(state, a, b, A, B) {
  const measure = measures[state.m];
  if (A.score === null || B.score === null)
    return missing(
      `This topic has no ${measure.needs === "preferences" ? "preferences" : "judgments"}, so it has no score by ${measure.display}.`,
    );
  const difference = A.score - B.score;
  const gain = sense(state.m) * difference;
  const [better, worse] = gain >= 0 ? [a, b] : [b, a];
  const [high, low] = gain >= 0 ? [A.score, B.score] : [B.score, A.score];
  const verdict =
    Math.abs(difference) <= EVEN
      ? `${measure.display} gives both lists the same score, ${number(A.score)}.`
      : `${measure.display} prefers ${shown(runs[better])}: ${number(high)} against ${number(low)} for ${shown(runs[worse])}.`;
  const told = [verdict];
  const [gainedA, gainedB] = [sum(A.gained), sum(B.gained)],
    [spentA, spentB] = [sum(A.spent), sum(B.spent)];
  if (Math.abs(spentA) + Math.abs(spentB) > EVEN) {
    told.push(
      `Down to rank ${depth}, what A found is worth ${number(gainedA)} and reading it costs ${number(-spentA)}; for B it is ${number(gainedB)} and ${number(-spentB)}.`,
    );
  }
  const steps = Array.from({ length: Math.max(A.docs.length, B.docs.length) }, (_, i) => [
    i + 1,
    (A.gained[i] ?? 0) + (A.spent[i] ?? 0) - (B.gained[i] ?? 0) - (B.spent[i] ?? 0),
  ]);
  const largest = steps
    .filter(([, x]) => Math.abs(x) > 5e-5)
    .sort((p, q) => Math.abs(q[1]) - Math.abs(p[1]))
    .slice(0, 3);
  if (largest.length)
    told.push(
      `The ranks that make the largest difference (A − B): ${listed(largest.map(([rank, x]) => `${rank} (${signed(x)})`))}.`,
    );
  const [belowA, belowB] = [earnedBelow(A), earnedBelow(B)];
  if (Math.abs(belowA - belowB) > 5e-5)
    told.push(
      `Below rank ${depth}, A earned ${number(belowA)} and B ${number(belowB)}, which makes ${signed(belowA - belowB)} of the difference.`,
    );
  const topic = report.rankings.topics[state.t];
  const reached = (list) =>
    new Set(list.docs.flatMap((doc) => (grades(topic, doc) ?? []).map(([aspect]) => aspect)));
  const [inA, inB] = [reached(A), reached(B)];
  const only = (one, other) =>
    [...one].filter((aspect) => !other.has(aspect)).map((aspect) => shown(topic.aspects[aspect]));
  if (topic.aspects.length > 1) {
    if (only(inA, inB).length) told.push(`Down to rank ${depth}, only A reaches ${listed(only(inA, inB))}.`);
    if (only(inB, inA).length) told.push(`Down to rank ${depth}, only B reaches ${listed(only(inB, inA))}.`);
    if (!only(inA, inB).length && !only(inB, inA).length)
      told.push(`Down to rank ${depth}, both reach the same ${inA.size} of ${topic.aspects.length} aspects.`);
  }
  if (topic.won) {
    const [inA, inB] = [A, B].map(({ docs }) => pairOrder(topic, docs));
    told.push(
      `Of the pairs that people compared, A has ${inA.right} in the order that they prefer and ${inA.wrong} the other way round; for B it is ${inB.right} and ${inB.wrong}.`,
    );
  }
  const others = measures.filter((_, m) => {
    const d = sense(m) * (score(m, a, state.t) - score(m, b, state.t));
    return d * gain < 0 && Math.abs(d) > EVEN;
  });
  if (Math.abs(difference) > EVEN)
    told.push(
      others.length
        ? `${listed(others.map(({ display }) => display))} ${others.length === 1 ? "sees" : "see"} it the other way round.`
        : "No other measure here sees it the other way round.",
    );
  return h(
    "ul",
    { class: "conclusion" },
    told.map((text) => h("li", {}, text)),
  );
}

/** A table of the first rank at which each list reaches each aspect, and how many documents do. */
function coverage(t, lists) {
  const topic = report.rankings.topics[t],
    texts = report["topic texts"][t].aspects;
  const cell = (list, aspect) => {
    const ranks = list.docs.flatMap((doc, i) =>
      (grades(topic, doc) ?? []).some(([on]) => on === aspect) ? [i + 1] : [],
    );
    return [h("td", {}, ranks.length ? String(ranks[0]) : "–"), h("td", {}, String(ranks.length))];
  };
  return h(
    "table",
    {},
    h(
      "caption",
      {},
      `Aspects down to rank ${depth}: the first rank with a document on each, and the number of documents`,
    ),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "aspect"),
        topic.weights && h("th", { scope: "col" }, "weight"),
        lists.map(({ name }) => [
          h("th", { scope: "col" }, `${name}: first`),
          h("th", { scope: "col" }, "documents"),
        ]),
      ),
    ),
    h(
      "tbody",
      {},
      topic.aspects.map((aspect, i) =>
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row" },
            h("i", {
              class: `swatch c${i % COLOURS} s${Math.floor(i / COLOURS) % SHAPES}`,
              "aria-hidden": "true",
            }),
            " ",
            shown(aspect),
            topic.navigational?.[i] && h("span", { class: "note" }, " navigational"),
            texts?.[i] && h("div", { class: "note" }, shown(texts[i], 500)),
          ),
          topic.weights && h("td", {}, number(topic.weights[i], 3)),
          lists.map(({ list }) => cell(list, i)),
        ),
      ),
    ),
  );
}

export function rankingsView(root) {
  const topic = choice("topic", "Topic", topics.map((_, t) => topicName(t)), (t) => go({ t }));
  const a = choice("run-a", "A", runs, (r) => go({ a: r }));
  const b = choice("run-b", "B", runs, (r) => go({ b: r }));
  const measure = choice(
    "measure",
    "Measure",
    measures.map(({ display }) => display),
    (m) => go({ m }),
  );
  const turn = (label, step) =>
    h(
      "button",
      { type: "button", onclick: () => go({ t: (now.t + step + topics.length) % topics.length }) },
      label,
    );
  const [query, told, curve, aspects, lists] = Array.from({ length: 5 }, () => h("div"));
  told.setAttribute("aria-live", "polite");
  let now;
  root.append(
    h(
      "p",
      { class: "controls" },
      topic.element,
      topics.length > 1 && [turn("Previous topic", -1), turn("Next topic", 1)],
      a.element,
      runs.length > 1 && b.element,
      measure.element,
    ),
    query,
    told,
    part("How the score grows", curve),
    ...(hasGrades ? [part("Aspects", aspects)] : []),
    part("The lists", lists),
  );
  return (state) => {
    now = state;
    const some = matching(state),
      about = report["topic texts"][state.t];
    topic.set(state.t);
    a.set(state.a, some);
    b.set(state.b, some);
    measure.set(state.m);
    show(
      query,
      about.title && h("p", { class: "query" }, h("b", {}, topicName(state.t))),
      about.description && h("p", { class: "note" }, shown(about.description, 1000)),
    );
    const here = report.rankings.topics[state.t],
      chosen = measures[state.m],
      two = runs.length > 1;
    const A = listOf(state.t, state.m, state.a),
      B = listOf(state.t, state.m, state.b),
      ideal = idealOf(state.t, state.m);
    const named = [
      { kind: "a", name: "A", list: A },
      two && { kind: "b", name: "B", list: B },
      ideal && { kind: "ideal", name: "ideal", list: ideal },
    ].filter(Boolean);
    show(
      told,
      two && reasons(state, state.a, state.b, A, B),
      scrolling("Scores of the lists", preferences(state, state.a, state.b)),
      !chosen.sum &&
        h(
          "p",
          { class: "note" },
          `${chosen.display} is not a sum over documents: a number beside a document is what the score changed by when the document was found.`,
        ),
    );
    const grown = (list) => {
      let so_far = list.empty;
      return earned(list).map((x) => (so_far += x));
    };
    show(
      curve,
      h(
        "p",
        { class: "legend" },
        named.map(({ kind, name }) =>
          h(
            "span",
            { class: `key ${kind}` },
            { a: "●", b: "■", ideal: "▲" }[kind],
            ` ${name}${kind === "ideal" ? "" : `: ${shown(runs[kind === "a" ? state.a : state.b])}`} `,
          ),
        ),
      ),
      curves(
        named.map(({ kind, name, list }) => ({ kind, name, values: grown(list) })),
        `${chosen.display} after each rank: ${named.map(({ name, list }) => `${name} ${number(list.score)}`).join(", ")}`,
      ),
    );
    if (hasGrades) {
      aspects.parentElement.hidden = isPlain(here);
      show(aspects, scrolling("Aspects", coverage(state.t, named)));
    }
    const largest = Math.max(EVEN, ...named.flatMap(({ list }) => earned(list).map(Math.abs)));
    const titles = {
      a: `A: ${shown(runs[state.a])}`,
      b: `B: ${shown(runs[state.b])}`,
      ideal: "An ideal ranking",
    };
    const words = [
      hasGrades &&
        !isPlain(here) &&
        "Each coloured mark is an aspect with the document's grade; 1st, 2nd, … counts the documents on that aspect so far, including this one.",
      here.won &&
        "“Preferred in 2 of 3” says in how many comparisons people preferred the document, ties counting half. ▲ marks the documents above it to which they preferred it, with the number of times for each.",
      chosen.sum &&
        `${chosen.display} is the sum of the numbers beside the documents${A.parts.length ? `; each is the ${report.rankings.parts[state.m].adds ? "sum" : "product"} of the numbers below it${A.spent.some((x) => x < 0) ? ", less the effort of reading the document" : ""}` : ""}.`,
    ];
    show(
      lists,
      h("p", { class: "note" }, words.filter(Boolean).join(" ")),
      meaning(state.m, named),
      h(
        "div",
        { class: "lists" },
        named.map(({ kind, list }) => column(kind, titles[kind], state.t, state.m, list, largest)),
      ),
      !ideal && missing(noIdeal[state.m]),
    );
  };
}
