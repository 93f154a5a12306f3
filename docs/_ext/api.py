"""The API page: what it lists below each heading, and which names are stable.

The one mark is `rankprism.PROVISIONAL`. A name is provisional if it is there, or the room of the package that
it is in.
"""

from __future__ import annotations

import rankprism

#: Headings with the functions, classes ("class") and exceptions ("exception") of each module.
API: dict[str, dict[str, str]] = {
    "Evaluating runs": {
        "rankprism": "evaluate class:Collection evaluate_into check_score_folder explain parse"
    },
    "Reading files and frames": {
        "rankprism": "read_judgments read_run read_scores read_preferences",
        "rankprism.formats.conversion": "convert",
    },
    "Comparing systems": {
        "rankprism.comparison": "compare topic_set_size corrected",
        "rankprism": "leaderboard gate",
    },
    "Evaluating measures": {
        "rankprism.meta": "power agreement unanimity scenarios correlation intuitiveness swap stability "
        "disagreement"
    },
    "Axioms": {
        "rankprism.axioms": "axiom_table paper_table read_constraints examine find_thresholds story "
        "constraint"
    },
    "Measures": {"rankprism.measures": "class:Measure measure compose mix names"},
    "Several aspects": {"rankprism.aspects": "order orders labels attainable compare distance"},
    "Machine judges": {"rankprism.judges": "agree score select prefer strengths"},
    "Preferences": {
        "rankprism.preferences": "describe evaluate_by intervals strengths order select plan simulate "
        "draw_profiles read_profiles restrict read_rankings measure_correlation profile_correlation "
        "incomplete_correlation"
    },
    "Charts and reports": {
        "rankprism.plots": "save",
        "rankprism.report": "make of_scores default_measures class:Report",
    },
    "Results and data": {
        "rankprism.results.result": "class:Result",
        "rankprism": "class:Scores class:Judgments class:Run class:Preferences class:Scale "
        "class:Hits class:Pool",
        "rankprism.comparison": "class:Comparison",
    },
    "Errors": {
        "rankprism": "exception:RankprismError exception:InputError exception:MeasureError "
        "exception:RankprismWarning"
    },
}


def page() -> str:
    """All names with their docstrings, as directives of Sphinx."""
    lines = []
    for heading, modules in API.items():
        lines += [f"## {heading}", "", "```{eval-rst}"]
        for module, names in modules.items():
            lines += [f".. currentmodule:: {module}"]
            for kind, _, name in (word.rpartition(":") for word in names.split()):
                lines += [f".. auto{kind or 'function'}:: {name}"]
                lines += ["   :members:"] if kind == "class" else []
        lines += ["```", ""]
    return "\n".join(lines)


def mark(name: str) -> str:
    """Whether a name such as rankprism.judges.agree is stable or provisional."""
    return "provisional" if rankprism.PROVISIONAL & {*name.split(".")[1:3]} else "stable"
