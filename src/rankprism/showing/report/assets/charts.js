// Draws charts as SVG. Colours come from the style sheet, and every line also has its own dash or shape.

import { number, shorter, shown, signed } from "./data.js";
import { s } from "./dom.js";

const scale = (low, high, from, to) => (x) => from + ((x - low) / (high - low || 1)) * (to - from);

/** The width of a chart at which its letters are as large as the letters of the page. */
const room = () => Math.max(300, Math.min(640, document.documentElement.clientWidth - 32));

/** Round numbers between two ends, each with its label. */
function ticks(low, high) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 2 || 1));
  const size = [1, 2, 5, 10].map((k) => k * step).find((x) => (high - low) / x <= 5);
  const first = Math.ceil(low / size - 1e-9),
    digits = Math.max(2, -Math.floor(Math.log10(size)));
  return Array.from({ length: Math.floor(high / size + 1e-9) - first + 1 }, (_, i) => [
    (first + i) * size,
    number((first + i) * size, digits),
  ]);
}

/** Means with intervals, one row for each of { name, value, margin }. */
export function intervalChart(rows, title) {
  const width = room(),
    left = Math.round(width * 0.27),
    step = 22,
    top = 8,
    bottom = top + rows.length * step;
  const ends = rows
    .flatMap(({ value, margin }) => [value - (margin ?? 0), value + (margin ?? 0)])
    .filter(Number.isFinite);
  const low = Math.min(0, ...ends),
    high = Math.max(...ends, low + 0.01);
  const x = scale(low, high, left, width - 12);
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${bottom + 26}`, class: "chart", role: "img", "aria-label": title },
    ticks(low, high).map(([tick, text]) => [
      s("line", { x1: x(tick), x2: x(tick), y1: top, y2: bottom, class: "grid" }),
      s("text", { x: x(tick), y: bottom + 17, class: "tick middle" }, text),
    ]),
    rows.map(({ name, value, margin }, i) => {
      const y = top + (i + 0.5) * step;
      return [
        s(
          "text",
          { x: left - 8, y: y + 4, class: "tick end" },
          shorter(shown(name), Math.floor(left / 7.6)),
          s("title", {}, shown(name)),
        ),
        value !== null &&
          margin !== null &&
          s("line", { x1: x(value - margin), x2: x(value + margin), y1: y, y2: y, class: "interval" }),
        value !== null &&
          s(
            "circle",
            { cx: x(value), cy: y, r: 4.5, class: "dot" },
            s(
              "title",
              {},
              `${shown(name)}: ${number(value)}${margin === null ? "" : ` ± ${number(margin)}`}`,
            ),
          ),
      ];
    }),
  );
}

/** Curves of scores by rank, one for each of { name, kind: "a" | "b" | "ideal", values }. */
export function curves(series, title) {
  const width = room(),
    height = 280,
    left = 48,
    bottom = height - 36,
    top = 10;
  const ranks = Math.max(2, ...series.map(({ values }) => values.length));
  const all = series.flatMap(({ values }) => values);
  const low = Math.min(0, ...all),
    high = Math.max(low + 0.01, ...all);
  const x = scale(1, ranks, left + 10, width - 14),
    y = scale(low, high, bottom, top + 6);
  const marks = {
    a: (cx, cy) => s("circle", { cx, cy, r: 3.5, class: "point a" }),
    b: (cx, cy) => s("rect", { x: cx - 3.5, y: cy - 3.5, width: 7, height: 7, class: "point b" }),
    ideal: (cx, cy) =>
      s("path", { d: `M${cx} ${cy - 5}L${cx + 5} ${cy + 4}H${cx - 5}Z`, class: "point ideal" }),
  };
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": title },
    ticks(low, high).map(([tick, text]) => [
      s("line", { x1: left, x2: width - 8, y1: y(tick), y2: y(tick), class: "grid" }),
      s("text", { x: left - 6, y: y(tick) + 4, class: "tick end" }, text),
    ]),
    Array.from(
      { length: ranks },
      (_, i) =>
        (ranks * 20 < width || (i + 1) % 5 === 0 || i === 0) &&
        s("text", { x: x(i + 1), y: bottom + 16, class: "tick middle" }, String(i + 1)),
    ),
    s("text", { x: width / 2, y: height - 4, class: "tick middle" }, "rank"),
    series.map(
      ({ name, kind, values }) =>
        values.length > 0 && [
          s("polyline", {
            points: values.map((value, i) => `${x(i + 1)},${y(value)}`).join(" "),
            class: `line ${kind}`,
          }),
          values.map((value, i) => {
            const mark = marks[kind](x(i + 1), y(value));
            mark.append(s("title", {}, `${shown(name)}, rank ${i + 1}: ${number(value)}`));
            return mark;
          }),
        ],
    ),
  );
}

/** A bar from the middle, to the right if the number is positive. */
export function bar(value, largest) {
  const width = 160,
    x = scale(-largest, largest, 0, width);
  const end = value === null ? width / 2 : x(value);
  return s(
    "svg",
    {
      viewBox: `0 0 ${width} 14`,
      class: "bar",
      role: "img",
      "aria-label": value === null ? "no score" : signed(value),
    },
    s("line", { x1: width / 2, x2: width / 2, y1: 0, y2: 14, class: "grid" }),
    s("rect", {
      x: Math.min(end, width / 2),
      y: 2,
      width: Math.abs(end - width / 2),
      height: 10,
      class: value < 0 ? "bar-b" : "bar-a",
    }),
  );
}
