"""Tables of verdicts on measures and constraints, and the table of Amigó et al. (2018) for comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankprism.axioms.constraint import SMALL, Constraint, find_constraint
from rankprism.axioms.rankings import short
from rankprism.axioms.redundancy import BORROWED
from rankprism.axioms.search import INSTANCES, examine
from rankprism.axioms.verdict import SIGNS, Verdict
from rankprism.measures.grammar import parse
from rankprism.measures.measure import AXIOMS, Measure
from rankprism.results.result import Result, Table

#: The rows of Table 1: for each, the measure that it means and what is printed for the ten constraints. The
#: measures are not normalised, the gain is r(d,t) itself, and k = 20, p = .8, α = .5, e = .05.
PAPER = {
    "P@k": ("P@20", "0011000000"),
    "RR": ("RR", "0010000000"),
    "AP": ("AP(normalize=False)", "0001000000"),
    "nDCG@k": ("DCG@20", "1101000000"),
    "ERR@k": ("ERR(gain='linear')@20", "1110000000"),
    "RBP": ("RBP(gain='linear')", "1111000000"),
    "P-IA@k": ("P_IA@20", "0011000001"),
    "RR-IA@k": ("RR_IA@20", "0010000011"),
    "AP-IA": ("AP_IA(normalize=False)", "1101000001"),
    "nDCG-IA@k": ("DCG_IA@20", "1101010001"),
    "ERR-IA@k": ("ERR_IA(gain='linear')@20", "1110011111"),
    "RBP-IA": ("RBP_IA(gain='linear')", "1111010001"),
    "S-Recall@k": ("StRecall@20", "0010000010"),
    "S-RR@100%": ("S_RR", "0010000010"),
    "NRBP": ("NRBP(beta=0.8,gain='linear')", "1111011000"),
    "D#-Measure@k": ("DSharp_nDCG(gain='linear')@20", "1101010001"),
    "α-nDCG@k": ("alpha_DCG(gain='linear')@20", "1111011000"),
    "EU": ("EU(gain='linear')", "1111111001"),
    "CT@k": ("CT(gain='linear')@20", "1110011011"),
    "RBU@k": ("RBU(e=0.05,form='eq11',gain='linear')@20", "1111111111"),
}


def printed_in_paper(row: str, verdict: Verdict) -> bool | None:
    """What Table 1 prints in a cell. None if it has no such cell, or means another measure by this name."""
    name = verdict.constraint.name
    if row not in PAPER or name not in AXIOMS or parse(PAPER[row][0]) != verdict.measure:
        return None
    return PAPER[row][1][AXIOMS.index(name)] == "1"


@dataclass(frozen=True, eq=False)
class AxiomTable(Result):
    """The verdicts on some measures and constraints."""

    labels: tuple[str, ...]  # of the measures
    constraints: tuple[Constraint, ...]
    verdicts: tuple[Verdict, ...]  # measure after measure
    about: Mapping[str, Any] = field(default_factory=dict)

    def of(self, label: str) -> tuple[Verdict, ...]:
        """The verdicts on one measure."""
        n = len(self.constraints)
        at = self.labels.index(label)
        return self.verdicts[at * n : (at + 1) * n]

    @property
    def cells(self) -> list[tuple[str, Verdict, bool | None]]:
        """For each cell its label, its verdict, and what the paper prints."""
        labels = [label for label in self.labels for _ in self.constraints]
        return [
            (label, verdict, printed_in_paper(label, verdict))
            for label, verdict in zip(labels, self.verdicts, strict=True)
        ]

    @property
    def disagreements(self) -> list[tuple[str, Verdict]]:
        """The cells in which the paper prints something else."""
        return [(label, v) for label, v, printed in self.cells if differs(v, printed)]

    @property
    def summary(self) -> Table:
        signs = [sign(verdict, printed) for _, verdict, printed in self.cells]
        n = len(self.constraints)
        columns: dict[str, list[str]] = {"measure": list(self.labels)}
        for c, name in enumerate(self._names):
            columns[name] = signs[c::n]
        return Table(columns)

    @property
    def _names(self) -> list[str]:
        """The names of the constraints, with their readings if a constraint occurs under two readings."""
        count = Counter(c.name for c in self.constraints)
        return [str(c) if count[c.name] > 1 else c.name for c in self.constraints]

    @property
    def rows(self) -> Table:
        cells = self.cells
        shown = [v.counterexample for _, v, _ in cells]
        return Table(
            {
                "row": [label for label, _, _ in cells],
                "measure": [str(v.measure) for _, v, _ in cells],
                "constraint": [str(v.constraint) for _, v, _ in cells],
                "verdict": [v.kind for _, v, _ in cells],
                "kept": [v.kept for _, v, _ in cells],
                "printed": [printed for _, _, printed in cells],
                "instances": [v.instances for _, v, _ in cells],
                "note": [v.note for _, v, _ in cells],
                "ranking": [None if x is None else short(x.rankings[0]) for x in shown],
                "against": [
                    None if x is None or len(x.rankings) < 2 else short(x.rankings[1]) for x in shown
                ],
                "missed": [None if x is None or x.missed is None else short(x.missed) for x in shown],
                "weights": [None if x is None else short(x.weights[:, None]) for x in shown],
                "score": [v.scores[0] if v.counterexample else None for _, v, _ in cells],
                "against score": [
                    v.scores[1] if v.counterexample and len(v.scores) > 1 else None for _, v, _ in cells
                ],
            }
        )

    @property
    def legend(self) -> str:
        """What the signs mean, and how often each occurs."""
        count = Counter(v.kind for v in self.verdicts)
        parts = [f"{s} {kind} ({count[kind]})" for kind, s in SIGNS.items() if count[kind]]
        text = "  ".join(parts)
        if self.disagreements:
            text += (
                f"\n○≠● our verdict ≠ the paper's ({len(self.disagreements)} of {len(self.verdicts)} cells)"
            )
        read = [str(constraint) for constraint in self.constraints if constraint.settings]
        text += "".join(f"\n{line}" for line in _much_less(self.constraints))
        return text + (f"\nread as {', '.join(read)}" if read else "")

    @property
    def note(self) -> str:
        return self.legend

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures as the table names them."""
        return self.labels

    def to_html(self, *, digits: int | None = None, caption: str | None = None) -> str:
        """An HTML page with the table and all counterexamples."""
        from rankprism.axioms.page import page

        return page(self, caption or "")


def _much_less(constraints: Sequence[Constraint]) -> Iterator[str]:
    """Lines that say how r ≪ 1 is read, one for each reading that occurs."""
    for small, rule in _SMALL.items():
        asked = [c for c in constraints if any(r is SMALL for r in c.readings) and c["small"] == small]
        bounds = {c["highest"] for c in asked if any(r.name == "highest" for r in c.readings)}
        bound = f"no r is above {' or '.join(f'{b:g}' for b in sorted(bounds))}" if bounds else "r is small"
        borrowed = [str(c) for c in asked if any(r is BORROWED for r in c.readings) and c["highest"] < 1]
        also = f"; in {borrowed[0]} too, where the paper does not ask for it" if borrowed else ""
        if asked:
            yield f"r ≪ 1 is read as {small}: {bound}{rule}{also}"


_SMALL = {"literal": "", "room": ", and the r of a ranking sum to less than 1 on each aspect"}


def sign(verdict: Verdict, printed: bool | None) -> str:
    """The sign of a verdict. If the paper prints another sign, it follows after ≠."""
    return verdict.sign + (f"≠{'●' if printed else '○'}" if differs(verdict, printed) else "")


def differs(verdict: Verdict, printed: bool | None) -> bool:
    # The paper also prints ○ if a constraint does not apply.
    return printed is not None and printed != bool(verdict.kept)


def axiom_table(
    measures: Iterable[str | Measure],
    constraints: Iterable[str | Constraint] = AXIOMS,
    *,
    instances: int = INSTANCES,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> AxiomTable:
    """The verdicts on measures and constraints, as a table.

    >>> print(axiom_table(["P@20", "RBP(gain='linear')"], ["Pri", "CloseTh", "Conf"]))
    measure             Pri  CloseTh  Conf
    ──────────────────────────────────────
    P@20                ○    ◉        ○
    RBP(gain='linear')  ◉    ◉        ○
    <BLANKLINE>
    ◉ proved (3)  ○ violated (3)
    r ≪ 1 is read as literal: no r is above 0.1
    """
    named = [(str(measure), measure) for measure in measures]
    return _table(named, constraints, instances, seed, on_progress)


def paper_table(
    constraints: Iterable[str | Constraint] = AXIOMS,
    *,
    instances: int = INSTANCES,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> AxiomTable:
    """Table 1 of Amigó et al. (2018), with the verdicts of the search beside the printed ones."""
    named = [(label, measure) for label, (measure, _) in PAPER.items()]
    return _table(named, constraints, instances, seed, on_progress)


def _table(
    named: Sequence[tuple[str, str | Measure]],
    constraints: Iterable[str | Constraint],
    instances: int,
    seed: int,
    on_progress: Callable[[float], None] | None,
) -> AxiomTable:
    found = (find_constraint(constraint) for constraint in constraints)
    asked = tuple({str(constraint): constraint for constraint in found}.values())
    verdicts = examine([m for _, m in named], asked, instances=instances, seed=seed, on_progress=on_progress)
    readings = {str(c): {r.name: c[r.name] for r in c.readings} for c in asked}
    about = {"seed": seed, "instances": instances, "readings": readings}
    return AxiomTable(tuple(label for label, _ in named), asked, tuple(verdicts), about)
