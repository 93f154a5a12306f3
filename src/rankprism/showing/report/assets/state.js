// Keeps what is shown in the fragment of the address, so that whoever gets the link sees the same.

import { measures, report, runs, topics } from "./data.js";

const DEFAULT = {
  view: "systems",
  by: 0, // the measure of the view of systems; the others begin where two measures disagree
  m: 0,
  m2: Math.min(1, measures.length - 1),
  a: 0,
  b: Math.min(1, runs.length - 1),
  t: 0,
  filter: "",
  sort: "0",
  topicsort: "mean",
  axiom: "",
  ...report.start,
};
const NAMES = {
  by: measures.map((measure) => measure.name),
  m: measures.map((measure) => measure.name),
  m2: measures.map((measure) => measure.name),
  a: runs,
  b: runs,
  t: topics,
};

/** The state that a fragment describes, with the default for whatever it does not name or names wrongly. */
export function read(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = { ...DEFAULT };
  for (const [key, value] of given) {
    if (!(key in DEFAULT)) continue;
    if (key in NAMES)
      state[key] = Math.max(NAMES[key].indexOf(value), 0) || (NAMES[key][0] === value ? 0 : DEFAULT[key]);
    else state[key] = value;
  }
  return state;
}

/** The runs whose names contain what the filter says. */
export function matching(state) {
  const wanted = state.filter.toLowerCase();
  return runs.map((_, r) => r).filter((r) => runs[r].toLowerCase().includes(wanted));
}

/** The fragment that describes a state. */
export function written(state) {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (key === "view" || value !== DEFAULT[key]) given.set(key, key in NAMES ? NAMES[key][value] : value);
  }
  return `#${given}`;
}

/** A link to the current state with some changes. */
export const linkTo = (changes) => written({ ...read(location.hash), ...changes });

/** Change what is shown. A new view can be left with the back button; smaller changes cannot. */
export function go(changes) {
  const before = read(location.hash);
  const link = written({ ...before, ...changes });
  if (changes.view && changes.view !== before.view) location.hash = link;
  else {
    history.replaceState(null, "", link);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}
