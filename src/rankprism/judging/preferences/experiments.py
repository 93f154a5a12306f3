"""The experiments of Chandar and Carterette 2013 (Section 5), on any collection with subtopics and runs.

Does the preference measure rank systems as the measures of subtopics do (`measure_correlation`), also where
users differ (`profile_correlation`), and how many judgments does it take (`incomplete_correlation`)? All
preferences are simulated from the subtopic judgments, see `rankprism.preferences.simulation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import NOWHERE, Floats, Ints, Judgments, Longs
from rankprism.errors import InputError, MeasureError, one_of
from rankprism.evaluation import Collection, evaluate
from rankprism.judging.preferences.simulation import (
    Simulation,
    best_documents,
    candidates,
    complete,
    sampled,
    simulated_on,
    users_of,
)
from rankprism.judging.preferences.user_profiles import (
    TREC,
    Profiles,
    draw_profiles,
    note_topics_without,
    read_profiles,
    restrict,
    trec_profile,
)
from rankprism.measures import NONE, Measure, PreferenceHits, PreferencePool, Shown, parse
from rankprism.measures.known.prf import BROWSING, COMBINATIONS
from rankprism.meta import Correlation, correlation, tau_b
from rankprism.results import Cell, Result, Scores, Table
from rankprism.statistics import CLAIMS, Share
from rankprism.types import JudgmentsLike, Positive, RunsLike, SimulationOptions, Target

#: The measures of subtopics that the paper compares the preference measure with.
SUBTOPIC_MEASURES = ("alpha_nDCG", "ERR_IA", "StRecall")
ALL_PROFILES = "all profiles"
#: Whose complete preferences a sample is compared with.
TARGETS: dict[str, str] = {"profiles": "all profiles", "trec": "one assessor (TREC profile)"}


#: The measures that can be computed from preferences that are counted and not listed.
COUNTED = ("nPrf", "Prf")
#: The form of the preference measure in Figures 2, 4 and 5, and in Figure 6.
RBP_MEAN, RR_MIN = "nPrf@20", "nPrf(browsing='rr',combine='min')@20"


def counted_measure(text: Any) -> Measure:
    """A measure that complete preferences can be scored with."""
    found = parse(text)
    if found.name not in COUNTED:
        raise MeasureError(
            f"{found} cannot be computed from preferences that are only counted; use nPrf or Prf"
        )
    return found


@dataclass(frozen=True, eq=False)
class Material:
    """What every experiment begins with: judgments, runs, and the documents that are shown."""

    collection: Collection  #: judgments, and runs in memory
    pool: Mapping[str, tuple[str, ...]]
    #: topic: (R, H) ranks of the pool's documents in each run, and their positions by id descending, from the
    #: top; NOWHERE and NONE where padded; and (R,) the length of each ranking
    ranked: Mapping[str, tuple[Ints, Longs, Ints]]
    how: Simulation

    @classmethod
    def of(cls, collection: Collection, how: Simulation) -> Material:
        names = collection.runs
        if len(names) < 2:
            raise InputError(f"two runs or more are needed; there is only {', '.join(names)}")
        collection.check_topics()
        judged = collection.judgments
        collection = collection.with_runs({name: collection.run(name) for name in names})
        best = best_documents(collection, how.documents, among=candidates(judged, how.pool))
        shown = {topic: best[topic] for topic in judged.topics if topic in best}
        if not shown:
            raise InputError(f"the runs share no topic with {judged.source}")
        return cls(collection, shown, _ranked(shown, collection), how)

    @property
    def judged(self) -> Judgments:
        return self.collection.judgments

    @property
    def runs(self) -> tuple[str, ...]:
        return self.collection.runs

    def subtopic_scores(self, judged: Judgments, measures: Sequence[Any]) -> Scores:
        """What `evaluate` gives, on the topics of these judgments that are shown."""
        found = evaluate(self.collection.judged_by(judged), measures=measures)
        return found.select(topics=[topic for topic in found.topics if topic in self.pool])

    def preference_scores(self, shown: Mapping[str, Shown], measures: Sequence[Measure]) -> Scores:
        """The scores of every run by measures of preferences, from the counts of each topic."""
        counts = PreferencePool(shown)
        values = np.empty((len(self.runs), len(shown), len(measures)))
        for t, (topic, one) in enumerate(shown.items()):
            rank, doc, length = self.ranked[topic]
            place = {name: d for d, name in enumerate(one.docs)}
            ours = [place.get(name, NONE) for name in sorted(self.pool[topic], reverse=True)]
            # NONE, which is -1, selects the last element.
            hits = PreferenceHits(rank, np.array([*ours, NONE])[doc], length, topic, counts)
            for m, measure in enumerate(measures):
                values[:, t, m] = measure.score(hits)
        return Scores(self.runs, tuple(shown), tuple(map(str, measures)), values)


def _ranked(
    pool: Mapping[str, tuple[str, ...]], collection: Collection
) -> dict[str, tuple[Ints, Longs, Ints]]:
    topics = [topic for topic, docs in pool.items() for _ in docs]
    docs = [doc for of_topic in pool.values() for doc in of_topic]
    table = JudgmentTable.from_columns("shown", topics, ["0"] * len(docs), docs, np.ones(len(docs)))
    named = Judgments(table, "the documents shown")
    aligned = [*collection.joined(named).values()]
    found = {}
    for t, topic in enumerate(table.topics):
        parts = [slice(one.start[t], one.start[t + 1]) for one in aligned]
        width = max(part.stop - part.start for part in parts)
        rank = np.full((len(aligned), width), NOWHERE, dtype=np.int32)
        doc = np.full((len(aligned), width), NONE, dtype=np.int64)
        for r, (one, part) in enumerate(zip(aligned, parts, strict=True)):
            rank[r, : part.stop - part.start] = one.rank[part]
            doc[r, : part.stop - part.start] = one.doc[part]
        found[topic] = rank, doc, np.array([one.length[t] for one in aligned], dtype=np.int32)
    return found


def _joined(columns: Mapping[str, Scores], topics: Iterable[str] | None = None) -> Scores:
    """Join scores of one measure each, under new names, on the topics that all of them have."""
    first = next(iter(columns.values()))
    common = [t for t in (topics or first.topics) if all(t in s.topics for s in columns.values())]
    if not common:
        raise InputError("no topic has all of the profiles; give every topic a profile of each name")
    values = [s.select(topics=common).values[:, :, 0] for s in columns.values()]
    return Scores(first.runs, tuple(common), tuple(columns), np.stack(values, axis=-1))


def _tau_cell(value: float, low: float, high: float) -> Cell:
    return Cell(float(value), between=None if np.isnan(low) else (float(low), float(high)))


# ── Figures 2 and 3, Table 3 ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False, repr=False)
class MeasureCorrelation(Result):
    """Made by `measure_correlation`."""

    claims = ("a correlation of means",)
    forms: tuple[Measure, ...]  #: of the preference measure
    others: tuple[str, ...]  #: the measures of subtopics
    scores: Scores = field(repr=False)  #: of every run and topic, by all measures
    correlation: Correlation = field(repr=False)  #: Kendall's τ_b of all measures
    about: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def tau(self, measure: str, other: str) -> tuple[float, float, float]:
        """τ_b of two measures, and its interval; NaN where there is none."""
        low, high = self.correlation.interval
        at = self.correlation.measures.index(measure), self.correlation.measures.index(other)
        return float(self.correlation.values[at]), float(low[at]), float(high[at])

    @property
    def measures(self) -> tuple[str, ...]:
        return self.correlation.measures

    @property
    def summary(self) -> Table:
        """τ_b of every preference measure with every measure of subtopics."""
        columns: dict[str, list[Any]] = {
            "browsing": [form["browsing"] for form in self.forms],
            "combine": [form["combine"] for form in self.forms],
        }
        for other in self.others:
            columns[other] = [_tau_cell(*self.tau(str(form), other)) for form in self.forms]
        return Table(columns, digits=2)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The preference measures, and below them the measures of subtopics among themselves."""
        columns: dict[str, list[Any]] = {"tau-b": list(self.others)}
        for other in self.others:
            columns[other] = [
                None if one == other else _tau_cell(*self.tau(one, other)) for one in self.others
            ]
        return self.summary, Table(columns, digits=2)

    @property
    def rows(self) -> Table:
        return self.correlation.rows

    @property
    def note(self) -> str:
        a = self.about
        intervals = " with 95 % intervals over topics" if self.correlation.sampled else ""
        return (
            f"Kendall's τ_b between the rankings of {a['runs']} runs by their means over {a['topics']} "
            f"topics{intervals}.\n"
            f"Complete preferences of the TREC profile on {a['documents']} {a['pool']} documents for each "
            f"topic; ties {a['ties']}."
        )


def measure_correlation(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    *,
    cutoff: Positive = 20,
    theta: float = 0.2,
    intervals: float = 0.95,
    on_share: Share | None = None,
    **simulated: Unpack[SimulationOptions],
) -> MeasureCorrelation:
    """How the preference measure ranks runs, against α-nDCG, ERR-IA and subtopic recall (Figures 2 and 3).

    It uses every browsing model with every way to combine utilities, and complete preferences of the "TREC
    profile", a user who cares about every subtopic alike.

    Parameters
    ----------
    cutoff
        Cutoff of the measures.
    theta
        With rbp: the probability of stopping at a document.
    intervals
        Confidence of the intervals over topics. 0 leaves the intervals out.
    **simulated
        What the users see and how they judge, as for `simulate`, and how to read judgments and runs.
    """
    collection, how = simulated_on(judgments, runs, **simulated)
    forms = tuple(
        parse("nPrf")(browsing=browsing, theta=theta, combine=combine) @ cutoff
        for browsing in BROWSING
        for combine in COMBINATIONS
    )
    others = tuple(f"{name}@{cutoff}" for name in SUBTOPIC_MEASURES)
    material = Material.of(collection, how)
    users = users_of(material.judged, material.pool, novelty=how.novelty)
    ours = material.preference_scores(complete(users, ties=how.ties, seed=how.seed), forms)
    theirs = material.subtopic_scores(material.judged, others).select(topics=ours.topics)
    conventions = {**theirs.conventions, "preferences": f"complete, TREC profile, ties {how.ties}"}
    scores = Scores(
        ours.runs,
        ours.topics,
        (*ours.measures, *theirs.measures),
        np.concatenate((ours.values, theirs.values), axis=-1),
        conventions,
    )
    found = correlation(scores, intervals=intervals, seed=how.seed, on_share=on_share)
    about = _about(material, scores)
    return MeasureCorrelation(forms, theirs.measures, scores, found, about)


def _about(material: Material, scores: Scores) -> dict[str, Any]:
    how = material.how
    return {
        "judgments": material.judged.source,
        "runs": len(scores.runs),
        "topics": len(scores.topics),
        "documents": how.documents,
        "pool": how.pool,
        "ties": how.ties,
        "novelty": how.novelty,
        "seed": how.seed,
        **material.collection.reading.settings,
    }


# ── Figures 4 and 5 ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Compared:
    """Two ways to rank runs, and how far they agree."""

    first: str
    second: str
    tau: float
    low: float
    high: float
    topics: int


@dataclass(frozen=True, eq=False, repr=False)
class ProfileCorrelation(Result):
    """Made by `profile_correlation`."""

    claims = ("a correlation of means",)
    measure: Measure
    other: Measure
    profiles: Profiles
    compared: tuple[Compared, ...]
    scores: Scores = field(repr=False)  #: on the topics that have all profiles
    about: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def summary(self) -> Table:
        rows = [(one.first, one.second, _tau_cell(one.tau, one.low, one.high)) for one in self.compared]
        return Table.of_rows(("ranking by", "and by", "tau-b"), rows, digits=2)

    @property
    def rows(self) -> Table:
        columns = ("first", "second", "tau", "low", "high", "topics")
        return Table({name: [getattr(one, name) for one in self.compared] for name in columns})

    @property
    def note(self) -> str:
        a = self.about
        return (
            f"Kendall's τ_b between the rankings of {a['runs']} runs by {self.measure} and by "
            f"{self.other}, with 95 % intervals over topics.\n"
            f"Profiles: {self.profiles.source}. Complete preferences on {a['documents']} {a['pool']} "
            f"documents for each topic; ties {a['ties']}."
        )


def profile_correlation(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    profiles: Any = None,
    *,
    draw: Positive = 3,
    measure: Any = RBP_MEAN,
    other: Any = "alpha_nDCG@20",
    intervals: float = 0.95,
    on_share: Share | None = None,
    **simulated: Unpack[SimulationOptions],
) -> ProfileCorrelation:
    """The preference measure and α-nDCG for each profile, and for a mixture of profiles (Figures 4 and 5).

    For each profile, nPrf from its complete preferences is compared with α-nDCG on its subtopics. Then nPrf
    from the preferences of all profiles together is compared with nPrf of the TREC profile, with α-nDCG on
    all subtopics, and with the mean of the profiles' own nPrf.

    Parameters
    ----------
    profiles
        Whatever `read_profiles` takes. Default: `draw` of them are drawn by the seed.
    draw
        Without profiles: number of profiles to draw for each topic.
    measure
        The measure of preferences.
    other
        The measure of subtopics that it is compared with.
    intervals
        Confidence of the intervals over topics. 0 leaves the intervals out.
    **simulated
        What the users see and how they judge, as for `simulate`, and how to read judgments and runs.
    """
    collection, how = simulated_on(judgments, runs, **simulated)
    form, gain = counted_measure(measure), parse(other)
    material = Material.of(collection, how)
    judged = material.judged
    chosen = draw_profiles(judged, draw, how.seed) if profiles is None else read_profiles(profiles)

    def ours(of: Profiles) -> Scores:
        users = users_of(judged, material.pool, of, novelty=how.novelty)
        return material.preference_scores(complete(users, ties=how.ties, seed=how.seed), [form])

    columns: dict[str, Scores] = {}
    pairs: list[tuple[str, str]] = []
    names = chosen.names
    for done, name in enumerate(names):
        mine, theirs = f"{form}, {name}", f"{gain}, {name}"
        only = {t: {name: of[name]} for t, of in chosen.weights.items() if name in of}
        columns[mine] = ours(Profiles(only, chosen.source))
        columns[theirs] = material.subtopic_scores(restrict(judged, chosen, name), [gain])
        pairs.append((mine, theirs))
        if on_share is not None:
            on_share((done + 1) / (len(names) + 1))
    mixture, all_alike, absolute = (
        f"{form}, {ALL_PROFILES}",
        f"{form}, {TREC}",
        f"{gain}, all subtopics",
    )
    columns[mixture] = ours(chosen)
    columns[all_alike] = ours(trec_profile(judged))
    columns[absolute] = material.subtopic_scores(judged, [gain])
    pairs += [(mixture, all_alike), (mixture, absolute), (all_alike, absolute)]
    own = _joined({name: columns[f"{form}, {name}"] for name in names})
    average = f"{form}, mean of profiles"
    columns[average] = Scores(own.runs, own.topics, (average,), own.values.mean(-1, keepdims=True))
    pairs.append((mixture, average))
    compared = []
    for first, second in pairs:
        both = _joined({first: columns[first], second: columns[second]})
        found = correlation(both, intervals=intervals, seed=how.seed)
        low, high = found.interval
        compared.append(
            Compared(
                first,
                second,
                float(found.values[0, 1]),
                float(low[0, 1]),
                float(high[0, 1]),
                len(both.topics),
            )
        )
    scores = _joined(columns)
    about = _about(material, scores) | {"profiles": chosen.source}
    return ProfileCorrelation(form, gain, chosen, tuple(compared), scores, about)


# ── Figure 6 ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteCorrelation(Result):
    """Made by `incomplete_correlation`."""

    claims = ("a mean over repetitions",)
    forms: tuple[Measure, ...]
    profiles: Profiles
    triplets: tuple[int, ...]
    tau: Floats  #: (measure, number of triplets, repetition)
    about: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(map(str, self.forms))

    @property
    def intervals(self) -> tuple[Floats, Floats, Floats]:
        """(measure, number of triplets): the mean τ, and its 95 % t interval over the repetitions."""
        from scipy.special import stdtrit

        mean, times = self.tau.mean(-1), self.tau.shape[-1]
        if times < CLAIMS["a mean over repetitions"].fewest:
            return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan)
        margin = float(stdtrit(times - 1, 0.975)) * self.tau.std(-1, ddof=1) / np.sqrt(times)
        return mean, np.maximum(mean - margin, -1.0), np.minimum(mean + margin, 1.0)

    @property
    def summary(self) -> Table:
        """A row for each measure and number of triplets."""
        rows = self.rows.columns
        cells = [_tau_cell(*cell) for cell in zip(rows["tau"], rows["low"], rows["high"], strict=True)]
        shown = {name: rows[name] for name in ("measure", "triplets", "judgments")}
        return Table({**shown, "tau-b": cells}, digits=2)

    @property
    def rows(self) -> Table:
        mean, low, high = self.intervals
        cells = [
            (measure, n, n * self.about["assessors"], *(float(x[m, i]) for x in (mean, low, high)))
            for m, measure in enumerate(self.measures)
            for i, n in enumerate(self.triplets)
        ]
        names = ("measure", "triplets", "judgments", "tau", "low", "high")
        return Table.of_rows(names, cells)

    @property
    def note(self) -> str:
        a, fewest = self.about, CLAIMS["a mean over repetitions"].fewest
        undefined = "–: in a repetition all runs have the same score.\n" if np.isnan(self.tau).any() else ""
        few = f"An interval needs {fewest} repetitions.\n" if self.tau.shape[-1] < fewest else ""
        return (
            f"{undefined}{few}"
            f"Kendall's τ_b between two rankings of {a['runs']} runs: from all preferences of "
            f"{TARGETS[a['target']]}, and from N triplets of each topic, each judged by {a['assessors']} "
            f"assessors. The mean of {self.tau.shape[-1]} repetitions with its 95 % t interval.\n"
            f"Profiles: {self.profiles.source}. {a['topics']} topics with {a['documents']} {a['pool']} "
            f"documents each; ties {a['ties']}."
        )


def incomplete_correlation(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    profiles: Any = None,
    *,
    draw: Positive = 3,
    measures: Sequence[Any] = (RR_MIN,),
    triplets: Sequence[int] = (100, 300, 1000, 3000, 8000),
    assessors: Positive = 5,
    repetitions: Positive = 10,
    target: Target = "profiles",
    on_share: Share | None = None,
    **simulated: Unpack[SimulationOptions],
) -> IncompleteCorrelation:
    """How well runs are ranked from few judgments: τ with the ranking from all of them (Figure 6).

    For each topic N triplets are drawn, and each is judged by `assessors` users, whose profiles are drawn
    with replacement. The ranking that this gives is compared with the ranking from complete preferences, by
    the same measure with estimate='raw'. That is repeated with other triplets and users.

    Parameters
    ----------
    profiles
        Whatever `read_profiles` takes. Default: `draw` of them are drawn by the seed.
    draw
        Without profiles: number of profiles to draw for each topic.
    measures
        Forms of nPrf or Prf, to compare how they estimate utilities and treat what nobody saw.
    triplets
        Numbers of triplets per topic to try, separated by commas.
    assessors
        Number of users who judge each drawn triplet.
    repetitions
        Number of times that triplets are drawn anew.
    target
        Whose complete preferences a sample is compared with: those of all profiles, or of one assessor with
        the TREC profile.

        The text of the paper has the first, and the caption of its Figure 6 the second.
    **simulated
        What the users see and how they judge, as for `simulate`, and how to read judgments and runs.
    """
    collection, how = simulated_on(judgments, runs, **simulated)
    one_of("target", target, tuple(TARGETS))
    forms = tuple(dict.fromkeys(map(counted_measure, measures)))
    if not forms or not triplets:
        raise InputError("at least one measure and one number of triplets are needed")
    if repetitions < 1:
        raise InputError(f"the number of repetitions must be at least 1; got {repetitions}")
    material = Material.of(collection, how)
    chosen = draw_profiles(material.judged, draw, how.seed) if profiles is None else read_profiles(profiles)
    note_topics_without(chosen, material.judged)
    users = users_of(material.judged, material.pool, chosen, novelty=how.novelty)
    whose = users
    if target == "trec":
        whose = users_of(material.judged, material.pool, novelty=how.novelty)
        whose = {topic: of_topic for topic, of_topic in whose.items() if topic in users}
    everything = complete(whose, ties=how.ties, seed=how.seed)
    whole = material.preference_scores(everything, [form(estimate="raw", unseen="zero") for form in forms])
    numbers = tuple(sorted(set(triplets)))
    tau = np.empty((len(forms), len(numbers), repetitions))
    for i, number in enumerate(numbers):
        for r in range(repetitions):
            # Each repetition has a seed of its own, and the same one for every number of triplets.
            drawn = sampled(
                users, number, assessors=assessors, ties=how.ties, seed=how.seed * repetitions + r
            )
            scores = material.preference_scores(drawn, forms)
            for m in range(len(forms)):
                tau[m, i, r] = tau_b(whole.means[:, m], scores.means[:, m])
            if on_share is not None:
                on_share((i * repetitions + r + 1) / (len(numbers) * repetitions))
    about = _about(material, whole) | {
        "profiles": chosen.source,
        "target": target,
        "assessors": assessors,
        "repetitions": repetitions,
    }
    return IncompleteCorrelation(forms, chosen, numbers, tau, about)
