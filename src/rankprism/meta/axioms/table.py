"""Tables of verdicts on measures and constraints, and the table of Amigó et al. (2018) for comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rankprism.measures import Measure, parse
from rankprism.measures import verdicts as recorded_verdicts
from rankprism.measures.definition import AXIOMS
from rankprism.meta.axioms.constraint import CUTOFF, READINGS, SMALL, Constraint, find_constraint
from rankprism.meta.axioms.rankings import short
from rankprism.meta.axioms.recorded import examine
from rankprism.meta.axioms.search import INSTANCES
from rankprism.meta.axioms.verdict import SIGNS, Verdict
from rankprism.results import Result, Table
from rankprism.types import Natural

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

#: The rows that are named after a normalised measure.
_NORMALISED = {"nDCG@k": "nDCG", "nDCG-IA@k": "nDCG_IA", "α-nDCG@k": "alpha_nDCG"}


def printed_in_paper(row: str, verdict: Verdict) -> bool | None:
    """What Table 1 prints in a cell. None if it has no such cell, or means another measure by this name."""
    name = verdict.constraint.name
    if row not in PAPER or name not in AXIOMS or parse(PAPER[row][0]) != verdict.measure:
        return None
    return PAPER[row][1][AXIOMS.index(name)] == "1"


@dataclass(frozen=True, eq=False)
class AxiomTable(Result):
    """The verdicts on some measures and constraints."""

    labels: tuple[str, ...]  # the names of the measures, or of the rows of the paper's table
    constraints: tuple[Constraint, ...]
    verdicts: tuple[Verdict, ...]  # measure after measure
    about: Mapping[str, Any] = field(default_factory=dict)
    other: AxiomTable | None = None  # the constraints that another reading of the whole table changes

    def of(self, label: str) -> tuple[Verdict, ...]:
        """The verdicts on one measure."""
        n = len(self.constraints)
        at = self.labels.index(label)
        return self.verdicts[at * n : (at + 1) * n]

    @property
    def tested(self) -> list[Measure]:
        """The measure of each row."""
        return [self.of(label)[0].measure for label in self.labels if self.constraints]

    @property
    def of_paper(self) -> bool:
        """Whether the rows are those of the paper's table."""
        return any(
            label in PAPER and label != str(m) for label, m in zip(self.labels, self.tested, strict=True)
        )

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
    def counts(self) -> dict[str, int]:
        """How many cells differ from the paper, in this reading of the whole table and in the other one."""
        found = dict.fromkeys((c.read_as for c in self.constraints), len(self.disagreements))
        if self.other is not None:
            read_again = {c.name for c in self.other.constraints}
            same = [v for _, v in self.disagreements if v.constraint.name not in read_again]
            found[self.other.constraints[0].read_as] = len(same) + len(self.other.disagreements)
        return found

    @property
    def summary(self) -> Table:
        signs = [sign(verdict, printed) for _, verdict, printed in self.cells]
        n = len(self.constraints)
        columns: dict[str, list[str]] = {"measure": list(map(str, self.tested))}
        if self.of_paper:
            columns["in the paper"] = list(self.labels)
        for c, name in enumerate(self.names):
            columns[name] = signs[c::n]
        return Table(columns)

    @property
    def names(self) -> list[str]:
        """The names of the constraints, with their readings if a constraint occurs in two readings."""
        count = Counter(c.name for c in self.constraints)
        return [str(c) if count[c.name] > 1 else c.name for c in self.constraints]

    @property
    def rows(self) -> Table:
        cells = self.cells
        shown = [v.counterexample for _, v, _ in cells]
        keys = [v.key for v in self.verdicts]
        return Table(
            {
                "row": [label for label, _, _ in cells],
                "measure": [measure for measure, _, _ in keys],
                "constraint": [constraint for _, constraint, _ in keys],
                "reading": [reading for _, _, reading in keys],
                "verdict": [v.kind for _, v, _ in cells],
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
        words = {recorded_verdicts.NOT_REFUTED: self._not_refuted}
        parts = [f"{s} {words.get(kind, kind)} ({count[kind]})" for kind, s in SIGNS.items() if count[kind]]
        text = "  ".join(parts)
        if self.disagreements or self.other is not None:
            here = f"{len(self.disagreements)} of {len(self.verdicts)} cells"
            text += f"\n≠yes, ≠no: the paper's table says otherwise ({'; '.join([here, *self._elsewhere])})"
        lines = reading_of(self.constraints, self.tested)
        return "\n".join([text, *lines, *([] if self.of_paper else _in_paper(self.tested))])

    @property
    def _not_refuted(self) -> str:
        """The verdict in words, with the number of instances or the range of such numbers."""
        tried = [v.instances for v in self.verdicts if v.kind == recorded_verdicts.NOT_REFUTED] or [0]
        ends = dict.fromkeys((f"{min(tried):,}", f"{max(tried):,}"))
        return f"{recorded_verdicts.NOT_REFUTED} in {' to '.join(ends)} instances"

    @property
    def _elsewhere(self) -> list[str]:
        """How many cells differ from the paper in the other reading, and which of ours change in it."""
        if self.other is None:
            return []
        whole = self.other.constraints[0].read_as
        ours = {(label, v.constraint.name): v.refuted for label, v, _ in self.cells}
        changed: dict[str, list[str]] = {}
        for label, v, _ in sorted(self.other.cells, key=lambda cell: AXIOMS.index(cell[1].constraint.name)):
            if v.refuted != ours[label, v.constraint.name]:
                changed.setdefault(f"{v.sign} for {v.constraint.name} of", []).append(label)
        said = "; ".join(f"{what} {', '.join(rows)}" for what, rows in changed.items())
        return [f"{self.counts[whole]} in the reading {whole}, with {said or 'the same verdicts'}"]

    @property
    def note(self) -> str:
        return self.legend

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures as the table names them."""
        return self.labels

    def to_html(self, *, digits: int | None = None, caption: str | None = None) -> str:
        """An HTML page with the table and all counterexamples."""
        from rankprism.meta.axioms.page import page

        return page(self, caption or "")


def reading_of(constraints: Sequence[Constraint], measures: Iterable[Measure]) -> list[str]:
    """Lines that say how constraints are read: the reading of the whole table, details, and r ≪ 1."""
    cut = any(measure.cutoff is not None for measure in measures)
    return [*_read_as(constraints, cut), *_changed(constraints), *_much_less(constraints)]


def _read_as(constraints: Sequence[Constraint], cut: bool) -> Iterator[str]:
    """Lines that name the reading of the whole table and the premises that it adds.

    cut : whether some measure has a cutoff
    """
    for whole, meaning in READINGS.items():
        read = [c for c in constraints if c.number is not None and c.read_as == whole]
        if not read:
            continue
        added: dict[str, list[str]] = {}
        for c in read:
            for premise in c.added:
                if cut or premise != CUTOFF.premise:
                    added.setdefault(premise, []).append(c.name)
        said = [f"{premise} ({_where(names, read)})" for premise, names in added.items()]
        yield f"reading {whole}: {meaning}" + (f"; added to those printed: {'; '.join(said)}" if said else "")
        if any(c.name == "AspRel" and c["direction"] == "proof" for c in read):
            yield "Eq. 10 (AspRel) is printed backwards and is read in the direction of its proof"


def _where(names: Sequence[str], constraints: Sequence[Constraint]) -> str:
    without = [c.name for c in constraints if c.name not in names]
    if len(names) <= len(without) or len(constraints) == 1:
        return ", ".join(names)
    return f"all but {', '.join(without)}" if without else "all"


def _in_paper(measures: Iterable[Measure]) -> Iterator[str]:
    """A line that names the variants that the paper's table has of these measures, if they are other ones."""
    others = {}
    papers = [(parse(text), _NORMALISED.get(row)) for row, (text, _) in PAPER.items()]
    for measure in measures:
        for own, normalised in papers:
            if measure.name in (own.name, normalised) and not _alike(measure, own):
                others[measure] = own
    if others:
        said = "; ".join(f"for {measure}, {own}" for measure, own in others.items())
        yield f"the paper's table is about other variants: {said}"


def _alike(measure: Measure, other: Measure) -> bool:
    """Whether two measures differ in nothing but the cutoff."""
    last = measure.definition.after_at
    names = [p.name for p in measure.definition.parameters if p is not last]
    return measure.name == other.name and all(measure[name] == other[name] for name in names)


def _changed(constraints: Sequence[Constraint]) -> Iterator[str]:
    """A line with the details that were changed, as the command takes them."""
    changed = [f"{c.name}.{name}={value}" for c in constraints for name, value in c.settings.items()]
    if changed:
        yield f"details: {', '.join(changed)}"


def _much_less(constraints: Sequence[Constraint]) -> Iterator[str]:
    """Lines that say how r ≪ 1 is read, one for each reading that occurs."""
    for small, rule in _SMALL.items():
        asked = [c for c in constraints if any(d is SMALL for d in c.details) and c["small"] == small]
        bounds = {c["highest"] for c in asked if any(d.name == "highest" for d in c.details)}
        bound = f"no r is above {' or '.join(f'{b:g}' for b in sorted(bounds))}" if bounds else "r is small"
        if asked:
            yield f"r ≪ 1 is read as {small}: {bound}{rule}"


_SMALL = {"literal": "", "room": ", and the r of a ranking sum to less than 1 on each aspect"}


def sign(verdict: Verdict, printed: bool | None) -> str:
    """The sign of a verdict. If the paper says otherwise, what it says follows after ≠."""
    return verdict.sign + (f"≠{'yes' if printed else 'no'}" if differs(verdict, printed) else "")


def differs(verdict: Verdict, printed: bool | None) -> bool:
    # The paper also says no if a constraint cannot be asked, and yes where we cannot refute it.
    return printed is not None and printed != (
        verdict.kind in (recorded_verdicts.PROVED, recorded_verdicts.NOT_REFUTED)
    )


def axiom_table(
    measures: Iterable[str | Measure],
    constraints: Iterable[str | Constraint] = AXIOMS,
    *,
    instances: Natural = INSTANCES,
    seed: Natural = 0,
    on_progress: Callable[[float], None] | None = None,
) -> AxiomTable:
    """The verdicts on measures and constraints, as a table.

    Parameters
    ----------
    instances
        Number of random instances of each constraint for what is not recorded. They are tried after all
        small instances. If none is a violation, the search tries a quarter as many more, which are similar
        to those that came closest to one.
    seed
        Seed for the random instances.
    on_progress
        Called with the share of the search that is done.

    Examples
    --------
    >>> print(axiom_table(["P@20", "RBP(gain='linear')"], ["Pri", "CloseTh", "Conf"]))
    measure             Pri  CloseTh  Conf
    ──────────────────────────────────────
    P@20                ○    ●        ○
    RBP(gain='linear')  ●    ●        ○
    <BLANKLINE>
    ● proved (3)  ○ refuted (3)
    reading proved: the premises that the paper's proofs use; added to those printed: no ranking is
    longer than the cutoff (all but CloseTh)
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
    """Table 1 of Amigó et al. (2018), with the verdicts of the search beside the printed ones.

    Constraints that the other reading of the whole table changes are searched in that reading as well, so
    that `counts` has the cells that differ from the paper in both.

    >>> table = paper_table(["Sat", "AspRel"], instances=0)
    >>> table.counts
    {'proved': 2, 'printed': 9}
    """
    named = [(label, measure) for label, (measure, _) in PAPER.items()]
    found = [find_constraint(constraint) for constraint in constraints]
    again = _in_other_reading(found)
    share = len(found) / max(1, len(found) + len(again))
    tell = on_progress or (lambda done: None)
    table = _table(named, found, instances, seed, lambda done: tell(share * done))
    if again:
        other = _table(named, again, instances, seed, lambda done: tell(share + (1 - share) * done))
        table = replace(table, other=other)
    return replace(table, about={**table.about, "cells that differ from the paper": table.counts})


def _in_other_reading(constraints: Sequence[Constraint]) -> list[Constraint]:
    """The constraints of the paper that the other reading of the whole table changes, in that reading."""
    of_paper = [c for c in constraints if c.number is not None]
    read_as = {c.read_as for c in of_paper}
    if len(read_as) != 1 or len({c.name for c in of_paper}) < len(of_paper):
        return []
    (other,) = set(READINGS) - read_as
    read_again = [(c, c.under(other)) for c in of_paper]
    return [new for c, new in read_again if any(new[d.name] != c[d.name] for d in c.details)]


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
    details = {str(c): {d.name: c[d.name] for d in c.details} for c in asked}
    about = {"seed": seed, "instances": instances, "details": details}
    return AxiomTable(tuple(label for label, _ in named), asked, tuple(verdicts), about)
