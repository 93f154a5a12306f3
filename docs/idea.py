"""Draw docs/images/idea.svg: the same two rankings, as four measures see them. `make docs` calls it.

The rankings are the first documents of two runs of the sample collection, and so are the judgments and the
preferences. The sample has no judgments of credibility, so the labels of these few documents are made up.
"""

from __future__ import annotations

import warnings
from html import escape
from pathlib import Path
from typing import NamedTuple

from rankprism import RankprismWarning, evaluate, sample

PICTURE = Path(__file__).parent / "images" / "idea.svg"
QUERY, DEPTH = "jaguar", 4
#: The two runs of the sample, by what the picture calls them.
RANKINGS = {"A": "diversified", "B": "redundant"}
#: Documents that the picture marks as doubtful. It marks all others as credible.
DOUBTFUL = {"jaguar-67", "jaguar-72"}


class View(NamedTuple):
    """What a measure asks, and how it scores each ranking."""

    measure: str
    question: str
    scores: dict[str, float]


def rankings() -> dict[str, list[str]]:
    """The first documents of each ranking."""
    found = {}
    for name, run in RANKINGS.items():
        lines = (sample.FOLDER / "runs" / f"{run}.run").read_text(encoding="utf-8").splitlines()
        found[name] = [line.split()[2] for line in lines if line.startswith(f"{QUERY} ")][:DEPTH]
    return found


def senses() -> dict[str, str]:
    """The sense of the query that each document is about. A document about two would not fit into its box."""
    rows = [line.split() for line in sample.QRELS.read_text(encoding="utf-8").splitlines()]
    shown = {doc for ranking in rankings().values() for doc in ranking}
    pairs = [
        (doc, sense) for topic, sense, doc, grade in rows if topic == QUERY and int(grade) and doc in shown
    ]
    about = dict(pairs)
    if len(about) < len(pairs) or set(about) < shown:
        raise ValueError("each document in the picture has to be relevant to one sense")
    return about


def views() -> list[View]:
    """The scores in the picture, all of which are computed here."""
    about = senses()
    runs = {
        name: {QUERY: {doc: float(-rank) for rank, doc in enumerate(ranking)}}
        for name, ranking in rankings().items()
    }
    labels = {
        "relevance": dict.fromkeys(about, 1),
        "credibility": {doc: int(doc not in DOUBTFUL) for doc in about},
    }
    precision, novelty, quality, preferred = (
        f"P@{DEPTH}",
        f"alpha_nDCG@{DEPTH}",
        f"TOMA(nDCG@{DEPTH})",
        f"nPrf@{DEPTH}",
    )
    by_sense = evaluate(sample.QRELS, runs, [precision, novelty], topics="retrieved").mean()
    by_label = evaluate({QUERY: labels}, runs, [quality]).mean()
    with warnings.catch_warnings():  # the sample does not have all utilities, and says so
        warnings.filterwarnings("ignore", r".*\[borrowed\]", RankprismWarning)
        by_people = evaluate(sample.PREFERENCES, runs, [preferred], topics="retrieved").mean()

    def view(measure: str, question: str, means: dict[str, dict[str, float]]) -> View:
        return View(measure, question, {name: means[name][measure] for name in RANKINGS})

    return [
        view(precision, "How many are relevant?", by_sense),
        view(novelty, "Is each one new?", by_sense),
        view(quality, "Relevant and credible?", by_label),
        view(preferred, "Which do people prefer?", by_people),
    ]


#: The colours of the picture on a light and on a dark screen.
LIGHT = {"card": "#ffffff", "edge": "#d1d9e0", "text": "#1f2328", "quiet": "#59636e", "bar": "#afb8c1"}
DARK = {"card": "#151b23", "edge": "#3d444d", "text": "#f0f6fc", "quiet": "#9ea7b3", "bar": "#59636e"}
RAYS = ("#d1453b", "#d98e04", "#2a9d5c", "#7d5bd0")
SENSES = {"car": "#3b82c4", "cat": "#d2691e", "guitar": "#2b9c94"}
WIDTH, HEIGHT = 640, 546


def picture() -> str:
    """The picture as SVG."""
    parts = [_frame(), _query()]
    for number, (name, ranking) in enumerate(rankings().items()):
        parts.append(_ranking(name, ranking, 72 + 58 * number))
    parts.append(_legend(205))
    parts.append(_prism(254, 79))
    for number, view in enumerate(views()):
        parts.append(_view(view, RAYS[number], 254 + 79 * number))
    return "\n".join([*parts, "</svg>", ""])


def _frame() -> str:
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    fonts = "Helvetica, Arial, Liberation Sans, DejaVu Sans Condensed, sans-serif"
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" font-family="{fonts}" font-size="21">
<title>The same two rankings, as four measures see them</title>
<style>
{_rules(LIGHT)}
@media (prefers-color-scheme: dark) {{
{_rules(DARK)}
}}
.quiet {{ font-size: 20px }}
.name {{ font-weight: bold }}
</style>
<rect class="card" x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="14" stroke-width="2"/>"""


def _rules(colours: dict[str, str]) -> str:
    """The style sheet for a light or a dark screen."""
    return """\
text {{ fill: {text} }}
.quiet {{ fill: {quiet} }}
.card {{ fill: {card}; stroke: {edge} }}
.field {{ stroke: {edge} }}
.beam {{ stroke: {quiet} }}
.prism {{ fill: {bar}; stroke: {text} }}
.bar {{ fill: {bar} }}""".format(**colours)


def _query() -> str:
    return f"""\
<g fill="none" stroke-width="2.5" stroke-linecap="round">
<rect class="field" x="216" y="18" width="208" height="38" rx="19" stroke-width="2"/>
<path class="beam" d="M232 35 a7 7 0 1 0 14 0 a7 7 0 1 0 -14 0 M244 40.5 L250 46.5"/>
</g>
<text x="262" y="44">{QUERY}</text>"""


def _ranking(name: str, ranking: list[str], top: int) -> str:
    """A ranking from left to right: the sense of each document, and a mark for its credibility."""
    about, parts = senses(), [f'<text class="name" x="24" y="{top + 31}">{name}</text>']
    for rank, doc in enumerate(ranking):
        left, colour = 52 + 143 * rank, SENSES[about[doc]]
        parts.append(
            f'<rect x="{left}" y="{top}" width="135" height="46" rx="8" fill="{colour}" fill-opacity="0.16"'
            f' stroke="{colour}" stroke-width="1.5"/>'
            f'<text x="{left + 14}" y="{top + 31}">{escape(about[doc])}</text>'
            + _mark(left + 113, top + 23, doc in DOUBTFUL)
        )
    return "\n".join(parts)


def _mark(x: float, y: float, doubtful: bool) -> str:
    """A tick for a credible document, and a question mark for a doubtful one."""
    if doubtful:
        return f'<text class="name" x="{x}" y="{y + 8}" text-anchor="middle" style="fill: {RAYS[0]}">?</text>'
    tick = f"M{x - 7} {y} l5 6 l9 -12"
    return f'<path d="{tick}" fill="none" stroke="{RAYS[2]}" stroke-width="3" stroke-linecap="round"/>'


def _legend(y: int) -> str:
    return "\n".join(
        [
            _mark(416, y, False),
            f'<text class="quiet" x="434" y="{y + 7}">credible</text>',
            _mark(534, y, True),
            f'<text class="quiet" x="548" y="{y + 7}">doubtful</text>',
        ]
    )


def _prism(first: int, step: int) -> str:
    """A beam from the rankings into the prism, which sends a ray to each measure."""
    middle = first + 1.5 * step - 4
    enter = (57, middle - 4)
    rays = [
        f'<path d="M{enter[0]} {enter[1]} L{103 + 2.5 * number} {middle - 13 + 9 * number}'
        f' L170 {first + step * number - 7}" stroke="{colour}"/>'
        for number, colour in enumerate(RAYS)
    ]
    return f"""\
<g fill="none" stroke-width="4" stroke-linejoin="round" stroke-linecap="round">
<path class="prism" d="M82 {middle - 58} L138 {middle + 40} H26 Z" fill-opacity="0.22" stroke-width="3"/>
<path class="beam" d="M32 192 L{enter[0]} {enter[1]}"/>
{"".join(rays)}
</g>"""


def _view(view: View, colour: str, y: int) -> str:
    """The name of a measure, what it asks, and a bar for each ranking, in colour for the better one."""
    name = view.measure.replace("alpha_", "α-")
    parts = [
        f'<text class="name" x="186" y="{y}">{escape(name)}</text>',
        f'<text class="quiet" x="186" y="{y + 27}">{escape(view.question)}</text>',
    ]
    best = max(view.scores.values())
    for number, (ranking, score) in enumerate(view.scores.items()):
        top = y - 18 + 28 * number
        fill = f'fill="{colour}"' if score == best else 'class="bar"'
        parts.append(
            f'<text class="quiet" x="448" y="{top + 17}">{ranking}</text>'
            f'<rect x="470" y="{top}" width="{100 * score:.1f}" height="20" rx="3" {fill}/>'
            f'<text x="{WIDTH - 22}" y="{top + 17}" text-anchor="end">{score:.2f}</text>'
        )
    return "\n".join(parts)


def draw() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    draw()
