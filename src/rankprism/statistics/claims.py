"""Every kind of interval that the program prints, and what it claims.

An interval claims to hold the true value of something in 95 of 100 samples of the same size. `simulations/`
draws such samples and counts, for every claim in this table. With too few units to keep a claim, the program
prints "–" and says how many it needs.

An interval claims to hold the truth in 95 of 100 samples. `statistics/claims.py` lists every kind of
interval that the program prints: what it estimates, what its units are, and the fewest units with which
it may be printed. A result names the claims of its intervals, and with fewer units the ends are NaN,
which is printed as –. `simulations/` has a function for each claim, which draws studies from populations
whose truth is known and calls the program's own code; `make coverage` goes through all of them and fails
if an interval holds the truth in less than 93 % of the studies of a population that is shaped like real
scores, or is more than 1.2 times as wide as it has to be. The tests run a short form. A new interval
needs an entry in `CLAIMS` and a simulation; `tests/statistics/test_coverage.py` fails without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankprism.data import Note, issue


@dataclass(frozen=True)
class Claim:
    """What an interval of one kind says."""

    name: str
    estimates: str  #: what it holds with probability `level`
    unit: str  #: what is drawn at random, in the plural
    fewest: int  #: with fewer units it is not printed
    command: str  #: what prints it
    level: float = 0.95

    def missing(self, units: int) -> str | None:
        """Why there is no interval, or None if there are enough units.

        >>> CLAIMS["a mean"].missing(1)
        'there is no interval of a mean: it needs 8 topics, and there is 1'
        """
        if units >= self.fewest:
            return None
        are = "is" if units == 1 else "are"
        needs = f"it needs {self.fewest} {self.unit}, and there {are} {units}"
        return f"there is no interval of {self.name}: {needs}"


def enough(name: str, units: int) -> bool:
    """Whether an interval may be printed. If not, a note says why."""
    missing = CLAIMS[name].missing(units)
    if missing is not None:
        issue([Note("no-interval", missing, units, "")])
    return missing is None


def _table(claims: Iterable[Claim]) -> dict[str, Claim]:
    return {claim.name: claim for claim in claims}


def _of_figures(*claims: tuple[str, str, int, str]) -> Iterable[Claim]:
    """Claims about what meta-evaluation expects in collections with the same runs and as many topics."""
    for name, figure, fewest, command in claims:
        yield Claim(name, f"{figure}, expected in collections with as many topics", "topics", fewest, command)


#: Every claim by name.
CLAIMS = _table(
    (
        Claim(
            "a mean",
            "the mean score of a run over the population of topics",
            "topics",
            8,
            "evaluate --intervals; plot intervals; report; assess",
        ),
        Claim(
            "a difference by t",
            "the difference of the mean scores of two runs over the population of topics",
            "topics",
            2,
            "compare --test t, wilcoxon or fisher",
        ),
        Claim(
            "a mean over assessors",
            "the mean score of studies with as many assessors, and differences of two",
            "assessors",
            3,
            "preferences intervals --over assessors",
        ),
        Claim(
            "a mean over assessors and topics",
            "the mean score of studies with as many assessors and topics, and differences of two",
            "assessors and topics",
            2,
            "preferences intervals --over both",
        ),
        Claim(
            "α of preferences",
            "Krippendorff's α of the same assessors over the population of pairs",
            "pairs that several judged",
            10,  # five pairs that eight people judged hold α in .90 of the studies, and 20 people in .88
            "preferences describe; assess",
        ),
        Claim(
            "κ of preferences",
            "Cohen's κ of the same two assessors over the population of pairs",
            "pairs that both judged",
            5,
            "preferences describe",
        ),
        Claim(
            "α of labels",
            "Krippendorff's ordinal α of the same assessors over the population of documents",
            "documents that several graded",
            10,
            "assess",
        ),
        Claim(
            "agreement of labels",
            "κ, weighted κ, ordinal α and bias of a judge against people, over the population of topics",
            "topics",
            10,
            "judges agree",
        ),
        Claim(
            "a change of agreement",
            "the difference of κ, weighted κ, ordinal α and bias of two versions of a judge on the same "
            "documents, over the population of topics",
            "topics",
            10,
            "judges agree --against",
        ),
        Claim(
            "agreement at the top",
            "the share of the best runs in common, expected in collections with as many topics",
            "topics",
            8,
            "judges agree",
        ),
        Claim(
            "a score from few labels",
            "the score of a run that complete judgments by people would give on the same topics",
            "labels",
            120,
            "judges score",
        ),
        Claim(
            "all scores from few labels",
            "the scores of all runs that complete judgments by people would give on the same topics, all of "
            "them at once",
            "labels",
            120,
            "judges score --together",
        ),
        Claim(
            "a difference from few labels",
            "the difference of two runs that complete judgments by people would give on the same topics",
            "labels",
            120,
            "judges score --differences",
        ),
        Claim(
            "a share of answers",
            "the share of left answers, of equal answers with sides swapped, or of answers as people give "
            "them, and κ, over the population of topics",
            "topics",
            10,
            "judges prefer",
        ),
        Claim(
            "a coefficient of answers",
            "the coefficient of the side or of a covariate by the answers to very many topics, and "
            "differences "
            "between judges and people",
            "topics",
            12,
            "judges prefer",
        ),
        Claim(
            "a favoured family",
            "how much more often a judge than others prefers documents of a family, over the population of "
            "topics",
            "topics",
            12,
            "judges prefer --family",
        ),
        Claim(
            "a strength of a system",
            "the strength of a system minus the mean of all systems, by the answers to very many topics",
            "topics",
            10,
            "judges strengths",
        ),
        Claim(
            "a strength from few answers",
            "the strength that complete answers by people to the same questions would give",
            "answers",
            100,
            "judges strengths --judge",
        ),
        Claim(
            "a mean over repetitions",
            "the mean of a figure over very many repetitions with other draws",
            "repetitions",
            5,
            "preferences experiment incomplete; meta scenarios",
        ),
        Claim(
            "judgments needed",
            "the judgments per topic at which the mean τ of very many repetitions reaches the target",
            "repetitions",
            10,
            "preferences plan",
        ),
        Claim(
            "a strength",
            "the strength of a document minus the mean of its part by very many assessors, and differences",
            "judgments of a document",
            5,
            "preferences strengths",
        ),
        Claim(
            "all differences by t",
            "the differences of all pairs of runs at once, with the correction of Holm or Bonferroni",
            "topics",
            2,
            "compare --test t, wilcoxon or fisher",
        ),
        *(
            Claim(
                f"significant differences by {method}",
                "the differences of the pairs that are significant by Benjamini and Hochberg: the expected "
                "share of them whose intervals hold, which is 1 if there is none",
                "topics",
                fewest,
                f"compare --correction bh --test {tests}",
            )
            for method, fewest, tests in (("t", 2, "t, wilcoxon or fisher"), ("bootstrap", 8, "bootstrap"))
        ),
        Claim(
            "a difference beside a margin",
            "the difference of the mean scores of two runs over the population of topics",
            "topics",
            2,
            "compare --margin; gate",
            level=0.9,
        ),
        Claim(
            "a difference by bootstrap",
            "the difference of the mean scores of two runs over the population of topics",
            "topics",
            8,
            "compare --test bootstrap",
        ),
        Claim(
            "all differences by bootstrap",
            "the differences of all pairs of runs at once, with the correction of Holm or Bonferroni",
            "topics",
            20,
            "compare --test bootstrap",
        ),
        *(
            Claim(
                f"all differences by {test}",
                "the differences of all pairs of runs, or to a baseline, all of them at once",
                "topics",
                fewest,
                f"compare --test {test}",
            )
            for test, fewest in (("tukey", 6), ("anova-tukey", 2), ("dunnett", 2))
        ),
        Claim(
            "a mean over topics of several collections",
            "the mean score of a run over the topics of the same collections",
            "topics",
            20,
            "leaderboard",
        ),
        Claim(
            "a mean over collections",
            "the mean score of a run over all collections of which these are a sample",
            "collections",
            8,
            "leaderboard --over collections",
        ),
        Claim(
            "ranks",
            "the ranks of all runs by their means over the population of topics, all of them at once",
            "topics or collections",
            8,
            "leaderboard; report",
        ),
        *_of_figures(
            ("power by bootstrap", "the share of significant differences", 8, "meta power; meta stability"),
            (
                "power by t",
                "the same share by the t-test with Holm's correction",
                20,
                "meta power --method t",
            ),
            ("power by tukey", "the same share by Tukey's HSD", 20, "meta power --method tukey"),
            ("a difference of power", "the difference of two such shares", 20, "meta power --differences"),
            ("agreement", "the share of differences that two measures both find", 8, "meta agreement"),
            ("metric unanimity", "MU", 8, "meta unanimity"),
            (
                "a difference of MU",
                "the difference of the MUs of two measures",
                8,
                "meta unanimity --differences",
            ),
            ("a correlation of means", "the correlation of two rankings of runs", 8, "meta correlation"),
            ("a correlation per topic", "its mean over topics", 8, "meta correlation --per-topic"),
            ("a swap rate", "the share of swaps", 20, "meta swap"),
            ("a difference of swap rate", "the difference of two such shares", 20, "meta swap --differences"),
            ("intuitiveness", "the difference of two shares of right cases", 8, "meta intuitiveness"),
            ("a ratio over topics", "the ratio of two sums over topics", 20, "aspects compare"),
        ),
    )
)
