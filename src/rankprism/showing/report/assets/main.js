// Makes the views, and shows one of them.

import { counted, measures, report, runs, shown, topics } from "./data.js";
import { h } from "./dom.js";
import { go, linkTo, matching, read } from "./state.js";
import { systems } from "./systems.js";
import { measuresView } from "./measures.js";
import { topicsView } from "./topics.js";
import { rankingsView } from "./rankings.js";

// A report that was made from scores alone has no rankings.
const VIEWS = {
  systems: ["Systems", systems],
  measures: ["Measures", measuresView],
  topics: ["Topics", topicsView],
  ...(report.rankings && { rankings: ["Rankings", rankingsView] }),
};

const filter = h("input", {
  id: "filter",
  type: "search",
  autocomplete: "off",
  oninput: () => go({ filter: filter.value }),
});
const left = h("span", { id: "left", role: "status" });
if (runs.length > 1)
  document
    .querySelector("nav")
    .before(
      h(
        "p",
        { class: "filter" },
        h("label", { for: "filter" }, "Show runs whose name contains"),
        " ",
        filter,
        " ",
        left,
      ),
    );

const main = document.getElementById("main");
const links = {},
  sections = {},
  updates = {};
for (const [view, [title, make]] of Object.entries(VIEWS)) {
  links[view] = h("a", {}, title);
  document.getElementById("views").append(h("li", {}, links[view]));
  sections[view] = h("section", { class: "view" }, h("h2", {}, title));
  main.append(sections[view]);
  updates[view] = make(sections[view]);
}

function update() {
  if (location.hash === "#main") return main.focus();
  const state = read(location.hash);
  if (!(state.view in VIEWS)) state.view = "systems";
  if (filter.value !== state.filter) filter.value = state.filter;
  document.body.classList.toggle("filtered", state.filter !== "");
  left.textContent = state.filter
    ? `${counted(matching(state).length, "run")} of ${runs.length}. The summary, correlation, power, unanimity and advice are about all of them.`
    : counted(runs.length, "run");
  for (const view of Object.keys(VIEWS)) {
    links[view].setAttribute("href", linkTo({ view }));
    if (view === state.view) links[view].setAttribute("aria-current", "page");
    else links[view].removeAttribute("aria-current");
    sections[view].hidden = view !== state.view;
  }
  updates[state.view](state);
}

// A printed report has all of its parts.
addEventListener("beforeprint", () => {
  for (const view of Object.keys(VIEWS)) updates[view](read(location.hash));
});
addEventListener("hashchange", update);
addEventListener("resize", update);

document.getElementById("about").textContent =
  `${counted(runs.length, "run")}, ${counted(topics.length, "topic")}, ${counted(measures.length, "measure")}.` +
  (report.judgments ? ` Judgments: ${shown(report.judgments)}.` : " Made from scores.");
const { order, topics: averaged, duplicates } = report.conventions;
document.getElementById("footer").append(
  report.notes.length
    ? h(
        "section",
        {},
        h("h2", {}, "Notes"),
        h(
          "ul",
          {},
          report.notes.map((note) => h("li", {}, shown(note, Infinity))),
        ),
      )
    : "",
  h(
    "p",
    {},
    `Made with rankprism ${report.rankprism}. ` +
      (report.rankings
        ? `Documents are ordered by ${order}, means are over ${averaged} topics, duplicates: ${duplicates}, aspect weights: ${report.conventions["aspect weights"]}, seed ${report.seed}.`
        : `Seed ${report.seed}.`),
  ),
);
update();
