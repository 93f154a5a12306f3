// The report's data, as Python wrote them, and functions that look them up.

export const report = JSON.parse(document.getElementById("data").textContent);
export const { runs, topics, measures } = report;
const UNIT = 1e6;

/** A number of millionths as a number; null stays null. */
export const real = (millionths) => (millionths === null ? null : millionths / UNIT);

/** The score of a run on a topic by a measure, or null if it has none. */
export const score = (m, r, t) => report.scores[m][r][t];

/** The name of a topic, with its title if there is one. */
export const topicName = (t) => {
  const { title } = report["topic texts"][t];
  return title && title !== topics[t] ? `${shown(topics[t])}: ${shown(title)}` : shown(topics[t]);
};

export const mean = (m, r) => report.systems.means[m][r];

/** 1, or −1 if a lower score is better. */
export const sense = (m) => (measures[m].lower ? -1 : 1);

/** The mean of a run, turned so that a higher one is better. A run without a mean is the worst. */
export const merit = (m, r) => (mean(m, r) === null ? -Infinity : sense(m) * mean(m, r));

/** Whether a rank, counted from 0, is below the cutoff of a measure. */
export const isBeyond = (m, i) => {
  const { cutoff, condensed } = measures[m];
  return cutoff !== null && !condensed && i >= cutoff;
};

/** What each rank of a list gained and spent under a measure, and the parts of the gain. The ideal list comes after those of the runs. */
function terms(t, m, list, docs) {
  const { names, adds, amounts } = report.rankings.parts[m];
  const found = report.rankings.topics[t].earned[m];
  // An amount depends on the rank, on the topic, on the document or on the whole list.
  const [spent, ...gains] = amounts.map(({ by, values, unit = 1 }, i) => {
    const own = by === "rank" ? values : by === "list" ? found?.[i + 1][list] : found?.[i + 1];
    return docs.map((doc, rank) =>
      typeof own === "number" ? unit * own : unit * (own?.[by === "document" ? doc : rank] ?? 0),
    );
  });
  const join = adds ? (x, y) => x + y : (x, y) => x * y;
  return {
    empty: found?.[0] ?? 0,
    gained: docs.map((_, rank) => (isBeyond(m, rank) ? 0 : gains.map((gain) => gain[rank]).reduce(join))),
    spent,
    parts: names.length ? gains : [],
  };
}

/** A run's list for a topic: its documents and what they earned under a measure. */
export function listOf(t, m, r) {
  const topic = report.rankings.topics[t];
  const docs = topic.lists[r];
  return { docs, length: topic.length[r], score: score(m, r, t), ...terms(t, m, r, docs) };
}

/** The ideal list of a topic under a measure, or null. */
export function idealOf(t, m) {
  const found = report.rankings.topics[t].ideal[m];
  if (!found) return null;
  const [docs, whole] = found;
  return { docs, length: docs.length, score: whole, ...terms(t, m, runs.length, docs) };
}

/** The test of two runs by a measure, seen from the first: its sign, p, difference and margin. */
export function test(m, a, b) {
  const comparison = report.systems.comparison;
  if (comparison.missing || a === b) return null;
  const [i, j] = a < b ? [a, b] : [b, a];
  const place = i * runs.length - (i * (i + 1)) / 2 + (j - i - 1);
  const turn = a < b ? 1 : -1;
  return {
    sign: turn * comparison.sign[m][place],
    p: comparison.p[m][place],
    difference: turn * real(comparison.difference[m][place]),
    margin: real(comparison.margin[m][place]),
  };
}

// Control characters, invisible ones and those that change the direction of writing, as Python escapes them.
const UNSAFE =
  /[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu;
const LONGEST = 200;

/** An id or a name, made safe to show. */
export function shown(text, most = LONGEST) {
  const cut =
    text.length > most ? `${text.slice(0, most)}… (${text.length.toLocaleString("en")} characters)` : text;
  return cut.replace(UNSAFE, (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`);
}

/** A name that is cut in the middle if it is long, because names often differ at their ends. */
export function shorter(text, most) {
  const tail = Math.floor((most - 1) / 2);
  return text.length > most ? `${text.slice(0, most - 1 - tail)}…${text.slice(-tail)}` : text;
}

export const number = (x, digits = 4) => {
  if (x === null || x === undefined) return "–";
  const size = Math.abs(x).toFixed(digits);
  return x < 0 && Number(size) ? `−${size}` : size;
};
export const signed = (x, digits = 4) =>
  x === null ? "–" : (x < 0 ? "−" : "+") + Math.abs(x).toFixed(digits);
export const probability = (p) =>
  p === null ? "p is not defined" : p < 0.0001 ? "p < 0.0001" : `p = ${p.toFixed(4)}`;
export const counted = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

/** Words joined for a sentence: a, b and c. */
export const listed = (words, last = "and") =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}` : words.join("");
