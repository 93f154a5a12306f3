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

/** What each rank of a list gained and spent under a measure, and the parts of the gain. */
function terms(m, [gained, spent, parts, empty = 0], length) {
  const padded = (numbers) => Array.from({ length }, (_, i) => (numbers[i] ?? 0) / UNIT);
  const { names, "by rank": by_rank } = report.rankings.parts[m];
  return {
    empty: empty / UNIT,
    gained: padded(gained),
    spent: padded(spent),
    // A part is given by rank for all lists, as one number for all documents of this list, or for each document.
    parts: parts.map((own, p) => {
      const told = own ?? by_rank[names[p][0]];
      return typeof told === "number" ? Array.from({ length }, () => told / UNIT) : padded(told);
    }),
  };
}

/** A run's list for a topic: its documents and what they earned under a measure. */
export function listOf(t, m, r) {
  const topic = report.rankings.topics[t];
  const docs = topic.lists[r];
  return {
    docs,
    length: topic.length[r],
    score: score(m, r, t),
    ...terms(m, topic.earned[m][r], docs.length),
  };
}

/** The ideal list of a topic under a measure, or null. */
export function idealOf(t, m) {
  const found = report.rankings.topics[t].ideal[m];
  if (!found) return null;
  const [docs, whole, ...rest] = found;
  return { docs, length: docs.length, score: whole, ...terms(m, rest, docs.length) };
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

export const number = (x, digits = 4) =>
  x === null || x === undefined ? "–" : x.toFixed(digits).replace("-", "−");
export const signed = (x, digits = 4) =>
  x === null ? "–" : (x < 0 ? "−" : "+") + Math.abs(x).toFixed(digits);
export const probability = (p) =>
  p === null ? "p is not defined" : p < 0.0001 ? "p < 0.0001" : `p = ${p.toFixed(4)}`;
export const counted = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

/** Words joined for a sentence: a, b and c. */
export const listed = (words, last = "and") =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}` : words.join("");
