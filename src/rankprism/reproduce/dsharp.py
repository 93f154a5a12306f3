"""Sakai and Song (2011): Tables 1 to 7 and Figures 1 to 3.

The paper compares D# with other measures by discriminative power, rank correlation and agreement. Its
collection is the TREC Web track 2009 with graded judgments that were never published, and the same collection
reduced to ad hoc judgments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Annotated, Any, Unpack

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Floats, Judgments
from rankprism.errors import InputError
from rankprism.evaluation import Collection, collected, how_read, joined_once
from rankprism.formats import Topic, read_judgments, read_topics
from rankprism.formats import weights as weighting
from rankprism.meta import Disagreements, DiscriminativePower, agreement, correlation, power
from rankprism.meta.agreed_pairs import shares
from rankprism.meta.disagreeing_lists import Case, ranked_list
from rankprism.meta.ties import without_noise
from rankprism.reproduce.dsharp_printed import (
    AD_HOC,
    ALL_RUNS,
    ALPHA,
    DIVERSITY,
    FAMILIES,
    GRADED,
    JUDGED,
    LEVELS,
    QRELS,
    SHALLOW,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    TABLE_7,
    TICK,
    TOPIC_COUNTS,
    Power,
)
from rankprism.reproduce.paper import (
    ONE_RUN,
    REPRODUCED,
    Printed,
    Reproduction,
    left_out,
    outcome,
    with_interval,
)
from rankprism.results import Result, Scores, Table
from rankprism.statistics import Share
from rankprism.types import AtLeast, CollectionOptions, JudgmentsLike, Natural, Path, Positive, RunsLike

_DRAWN = "no printed numbers: the paper has a drawing"
_WHY = "the bootstrap is random, or these are not the 20 runs that the paper drew"


def dsharp(
    judgments: JudgmentsLike | Collection,
    runs: RunsLike | None = None,
    *,
    sample: Annotated[int, AtLeast(2)] | None = None,
    topic_file: Path | None = None,
    resamples: Positive = 1000,
    seed: Natural = 0,
    on_share: Share | None = None,
    **options: Unpack[CollectionOptions],
) -> Reproduction:
    """Reproduce Tables 1 to 7 and Figures 1 to 3 of Sakai and Song (2011).

    The "non-uniform" intent probabilities are the weights of the judgments, or else the paper's own, in which
    each intent is half as likely as the one before. Tables 4 to 6 and Figure 3 use uniform probabilities.

    Parameters
    ----------
    judgments, runs
        As for `rankprism.evaluate`, like `options`.
    sample
        Draw this many of the runs at random, as the paper draws 20. Default: all runs.

        Figure 3 always shows all runs.
    topic_file
        The topics in XML, as TREC publishes them. Table 1 counts their kinds, and Table 6 marks navigational
        intents.

        See `rankprism.formats.topics.read_topics`.
    resamples
        Number of resamples.

        The paper uses 1,000.
    seed
        Seed for the random numbers. The same seed gives the same result.
    """
    every = joined_once(collected(judgments, runs, **options))
    words = {} if topic_file is None else read_topics(topic_file)
    if words:
        every = every.judged_by(_typed(every.judgments, words))
    aligned = every if sample is None else every.keep(runs=_drawn(every.runs, sample, seed))
    tell = on_share or (lambda share: None)
    collections = _collections(aligned.judgments)
    given = aligned.judgments.weights is not None
    about = {
        "paper": "Sakai and Song 2011",
        "resamples": resamples,
        "alpha": ALPHA,
        "seed": seed,
        "sample": sample,
        "intent probabilities": "given" if given else "halved from intent to intent",
        "highest grade": _highest(aligned.judgments),
        "runs": list(aligned.runs),
        "topics": len(aligned.judgments.topics),
        "reading runs": how_read(aligned),
    }
    counts = (_table_1(aligned.judgments, words), _section_3_4())
    lacking = GRADED.lacking(aligned.judgments, len(aligned.runs))
    if len(aligned.runs) < 2:
        names = (*(f"Table {number}" for number in range(2, 7)), "Figure 1", "Figure 2", "Figure 3")
        parts = (*counts, _table_7(None, lacking), left_out(names, ONE_RUN))
        return Reproduction(parts, about=about)
    lists = [part for part in (*TABLE_2, *TABLE_3) if part.collection]
    powers: dict[str, DiscriminativePower] = {}
    scores: dict[str, Scores] = {}
    for number, part in enumerate(lists):
        scores[part.name] = _scores(aligned, collections[part.collection], part)
        powers[part.name] = power(scores[part.name], alpha=ALPHA, resamples=resamples, seed=seed)
        tell((number + 1) / len(lists))
    last = TABLE_3[-1]
    shallow, tested = scores[last.name], powers[last.name]
    all_runs = shallow if sample is None else _scores(every, collections[last.collection], last)
    figures: dict[str, Result] = {f"{p.figure}, {_short(p.name)}": powers[p.name] for p in lists}
    for d in ("D-nDCG", "D-Q"):
        figures[f"Figure 3, {d}"] = all_runs.select(measures=["I-rec", d])
    return Reproduction(
        (
            *counts,
            *(_power_table(part, powers.get(part.name), aligned) for part in (*TABLE_2, *TABLE_3)),
            _table_4(shallow, lacking),
            _table_5(tested, lacking),
            *_table_6(aligned, collections["uniform"], shallow, tested, lacking),
            _table_7(tested, lacking),
            *(_asl_table(part, powers[part.name], aligned) for part in lists),
            _figure_3(all_runs, ALL_RUNS.lacking(aligned.judgments, len(every.runs))),
        ),
        tuple(_remarks(aligned, every, given, resamples, lacking)),
        figures,
        about,
    )


def _drawn(runs: Sequence[str], sample: int, seed: int) -> list[str]:
    """Draw some of the runs at random without replacement, whatever their order is."""
    if not 2 <= sample <= len(runs):
        raise InputError(
            f"sample must be at least 2 and at most {len(runs)}, the number of runs; got {sample} (--sample)"
        )
    rng = np.random.default_rng([seed, 2])  # another stream than for the resamples
    chosen = set(rng.choice(sorted(runs), sample, replace=False).tolist())
    return [name for name in runs if name in chosen]


def _typed(judgments: Judgments, words: Mapping[str, Topic]) -> Judgments:
    """The judgments with the kinds of intents from a topic file."""
    kinds = [
        words[topic].kinds.get(aspect) if topic in words else None
        for topic, aspects in judgments.aspects.items()
        for aspect in aspects
    ]
    if not any(kinds):
        raise InputError(
            "the topic file does not say for any judged subtopic whether it is inf or nav; check that it "
            "belongs to the judgments"
        )
    return replace(judgments, navigational=np.array([kind == "nav" for kind in kinds]))


def _short(name: str) -> str:
    return name.partition(", ")[2]


# ── the collections of Section 5 ─────────────────────────────────────────────────────────────────


def _collections(judgments: Judgments) -> dict[str, Judgments]:
    """The judgments with uniform and other intent probabilities, and reduced to ad hoc judgments."""
    return {
        "uniform": replace(judgments, weights=None),
        "non-uniform": judgments
        if judgments.weights is not None
        else weighting.weighted(judgments, weighting.SAKAI),
        "highest": _reduced(judgments, count=False),
        "number": _reduced(judgments, count=True),
    }


def _reduced(judgments: Judgments, count: bool) -> Judgments:
    """Ad hoc judgments: a document's highest grade, or the number of intents that it is relevant to."""
    found: dict[tuple[str, str], float] = {}
    for topic, _, doc, grade in zip(*judgments.table.columns(), strict=True):
        before = found.get((topic, doc), 0.0)
        found[topic, doc] = before + (grade > 0) if count else max(before, grade)
    topics, docs = zip(*found, strict=True)
    grades = np.array(list(found.values()), dtype=np.float64)
    table = JudgmentTable.from_columns(judgments.source, list(topics), ["0"] * len(docs), list(docs), grades)
    return Judgments(table, judgments.source)


def _highest(judgments: Judgments) -> float:
    return float(judgments.cells.grade.max(initial=1.0))


def _scores(aligned: Collection, judgments: Judgments, part: Power) -> Scores:
    """The scores for a list of Table 2 or 3, under the paper's names of the measures."""
    family = AD_HOC if part.name.startswith("Table 2") else DIVERSITY
    # A topic has the same relevant documents in all collections, so the aligned runs fit each of them.
    length = np.full(len(judgments.topics), part.cutoff, dtype=np.int32)
    runs = {name: run.cut(length) for name, run in aligned.joined(judgments).items()}
    texts = [family[name].format(l=part.cutoff, h=_highest(judgments)) for name in part.printed]
    scores = aligned.judged_by(judgments).with_runs(runs).rescored(texts)
    return replace(scores, measures=tuple(part.printed))


# ── the tables ───────────────────────────────────────────────────────────────────────────────────


def _table_1(judgments: Judgments, words: Mapping[str, Topic]) -> Table:
    cells = judgments.cells
    topic = np.repeat(np.arange(len(judgments.topics)), np.diff(cells.start))
    intents = {(int(t), int(a)) for t, a in zip(topic, cells.aspect, strict=True)}
    documents = Counter((int(t), int(d)) for t, d in zip(topic, cells.doc, strict=True))
    several = Counter(documents.values())
    found: dict[str, int | None] = {
        "topics": len(judgments.topics),
        "intents": len(intents),
        "most intents of a topic": max(Counter(t for t, _ in intents).values(), default=0),
        "most intents of a document": max(several, default=0),
        "relevant documents": len(documents),
        "relevant documents of intents": len(cells.doc),
    }
    for n in range(1, max(several, default=0) + 1):
        found[f"documents on {n} intent{'s' if n > 1 else ''}"] = several[n]
    printed: dict[str, tuple[int, Printed]] = {row: (count, QRELS) for row, count in TABLE_1.items()}
    found |= {row: found.get(row, 0) for row in TABLE_1}
    found |= _topic_counts(words)
    printed |= {row: (count, QRELS) for row, count in TOPIC_COUNTS.items()}
    highest: dict[tuple[int, int], float] = {}
    for key, grade in zip(zip(topic.tolist(), cells.doc.tolist(), strict=True), cells.grade, strict=True):
        highest[key] = max(grade, highest.get(key, 0.0))
    for name, grades in (
        ("documents of intents", Counter(cells.grade.tolist())),
        ("documents by their highest grade", Counter(highest.values())),
    ):
        for level, there in enumerate(LEVELS[name], 1):
            found[f"L{level} {name}"] = grades[level]
            printed[f"L{level} {name}"] = (there, JUDGED)
    said = []
    for row, count in found.items():
        known, data = printed.get(row, (None, QRELS))
        if count is None:
            said.append("needs the topic file: name it with topic_file= (--topic-file)")
        else:
            said.append(outcome(count, known, 0, data.lacking(judgments), "the judgments differ"))
    return Table(
        {
            "Table 1(a), Sections 5.1 and 5.2": list(found),
            "computed": list(found.values()),
            "printed": [printed[row][0] if row in printed else None for row in found],
            "outcome": said,
        }
    )


def _topic_counts(words: Mapping[str, Topic]) -> dict[str, int | None]:
    """The counts of Table 1(a) from a topic file; None without one."""
    if not words:
        return dict.fromkeys(TOPIC_COUNTS)
    topics = Counter(topic.kind for topic in words.values())
    kinds = Counter(kind for topic in words.values() for kind in topic.kinds.values())
    return {
        "ambiguous topics": topics["ambiguous"],
        "faceted topics": topics["faceted"],
        "subtopics": sum(len(topic.subtopics) for topic in words.values()),
        "informational subtopics": kinds["inf"],
        "navigational subtopics": kinds["nav"],
    }


def _section_3_4() -> Table:
    """The number of global relevance levels, which are distinct global gains, of 3 intents with 3 grades."""
    intents, gains = 3, (0, 1, 3, 7)
    halved = [2 ** (intents - j) for j in range(intents)]  # Section 5.1 divides them by their sum
    found = [
        len({sum(w * g for w, g in zip(weights, some, strict=True)) for some in product(gains, repeat=3)}) - 1
        for weights in (halved, [1] * intents)
    ]
    why = (
        "differs because a global gain is a weighted sum of the gains 1, 3 and 7, and most sums are distinct"
    )
    return Table(
        {
            "Section 3.4, global levels of 3 intents with L1-L3": ["non-uniform", "uniform"],
            "computed": found,
            "printed": ["at most 9"] * 2,
            "outcome": [why] * 2,
        }
    )


def _power_table(part: Power, found: DiscriminativePower | None, aligned: Collection) -> Table:
    """Power and required Δ of each measure, the most powerful first."""
    lacking = part.data.lacking(aligned.judgments, len(aligned.runs))
    names = list(part.printed)
    share, low, high, delta, sakai = (np.full(len(names), np.nan) for _ in range(5))
    if found is not None:
        share, delta = 100 * found.power, found.delta
        sakai = np.where(np.isnan(share), np.nan, 100 * (_sakai_asl(found) < ALPHA).mean(1))
        if found.sampled is not None:
            low, high = (100 * end for end in found.sampled.interval(0, 1))
    order = sorted(range(len(names)), key=lambda i: (-np.nan_to_num(share[i]), i))
    printed = [part.printed[names[i]] for i in order]
    return Table(
        {
            part.name: [names[i] for i in order],
            "power (%)": [with_interval(share[i], low[i], high[i]) for i in order],
            "by b/B": [float(sakai[i]) for i in order],
            "required Δ": [float(delta[i]) for i in order],
            "printed power": [p for p, _ in printed],
            "printed Δ": [d for _, d in printed],
            "outcome": [
                outcome(float(share[i]), p, 1, lacking, _WHY)
                for i, (p, _) in zip(order, printed, strict=True)
            ],
        },
        digits=1,
        precision={"required Δ": 2, "printed Δ": 2},
    )


def _table_4(scores: Scores, lacking: str | None) -> Table:
    found = {kind: correlation(scores, coefficient=kind, intervals=0).values for kind in ("tau-b", "tau-ap")}
    place = {name: i for i, name in enumerate(scores.measures)}
    tau = [float(found["tau-b"][place[a], place[b]]) for a, b in TABLE_4]
    ap = [float(found["tau-ap"][place[b], place[a]]) for a, b in TABLE_4]
    said = [
        _worse(outcome(x, p, 2, lacking, _WHY), outcome(y, q, 2, lacking, _WHY))
        for x, y, (p, q) in zip(tau, ap, TABLE_4.values(), strict=True)
    ]
    return Table(
        {
            "Table 4": [f"{a} - {b}" for a, b in TABLE_4],
            "τ": tau,
            "τ_ap": ap,
            "printed τ": [t for t, _ in TABLE_4.values()],
            "printed τ_ap": [t for _, t in TABLE_4.values()],
            "outcome": said,
        },
        digits=2,
    )


def _worse(first: str, second: str) -> str:
    """The outcome for two numbers together: "reproduced" if both are."""
    return second if first == REPRODUCED else first


def _table_5(tested: DiscriminativePower, lacking: str | None) -> Table:
    found = agreement(tested)
    pairs = [(found.measures[a], found.measures[b]) for a, b in found.pairs]
    rows = []
    for (a, b), (counts, percent) in TABLE_5.items():
        turned = (a, b) not in pairs
        mine = found.counts[pairs.index((b, a) if turned else (a, b))]
        mine = mine[[2, 1, 0, 3]] if turned else mine
        computed = 100 * float(shares(mine[None])[0])
        said = outcome(computed, percent, 0, lacking, _WHY)
        exact = 100 * float(shares(np.array([[*counts, 0]]))[0])
        if round(exact) != percent:
            said += f"; a misprint: the printed counts give {exact:.1f} %"
        mine_printed, theirs = ("/".join(map(str, three)) for three in (mine[:3], counts))
        rows.append((f"{a} - {b}", mine_printed, computed, theirs, percent, said))
    names = ("Table 5", "only it / both / only other", "agreement (%)")
    return Table.of_rows((*names, "printed counts", "printed (%)", "outcome"), rows, digits=1)


def _table_6(
    aligned: Collection,
    judgments: Judgments,
    scores: Scores,
    tested: DiscriminativePower,
    lacking: str | None,
) -> Iterator[Table]:
    """The most telling cases in the layout of the paper, and the cases that it prints."""
    three = ("D#-nDCG", "α-nDCG", "nDCG-IA")
    chosen, runs = scores.select(measures=three), aligned.joined(judgments)
    for first, second in (three[:2], three[1::-1]):
        cases = list(_cases(chosen, tested, first, second))
        if not cases:
            continue
        lists = tuple(
            tuple(ranked_list(judgments, runs[run], case.topic, SHALLOW) for run in (case.run, case.other))
            for case in cases
        )
        aspects = {case.topic: len(judgments.aspects[case.topic]) for case in cases}
        table = Disagreements(first, second, three, tuple(cases), lists, aspects).summary
        name = f"Table 6, significant by {first} and not by {second}"
        columns = {name if key == "case" else key: column for key, column in table.columns.items()}
        said = "no printed counterpart: the cases of the paper are listed below"
        yield Table({**columns, "outcome": [said if number else "" for number in table.columns["case"]]})
    rows = TABLE_6.values()
    yield Table(
        {
            "Table 6, printed": list(TABLE_6),
            "topic": [topic for topic, *_ in rows],
            "run": [run for _, run, _, _ in rows],
            "other": [other for _, _, other, _ in rows],
            **{f"Δ {name}": [deltas[i] for *_, deltas in rows] for i, name in enumerate(three)},
            "outcome": [lacking or "the cases of the given runs are listed above"] * len(TABLE_6),
        },
        digits=3,
    )


def _cases(scores: Scores, tested: DiscriminativePower, first: str, second: str) -> Iterator[Case]:
    """Choose cases by the rule of Section 6.3: among pairs of runs that differ significantly by the first
    measure and not by the second, the five topics with the largest Δ by the first on which the three measures
    do not agree."""
    of = {name: i for i, name in enumerate(tested.measures)}
    only = tested.significant[of[first]] & ~tested.significant[of[second]]
    i, j = tested.pairs[only].T
    delta = without_noise(scores.values[i] - scores.values[j])  # (pair, topic, measure)
    disagreed = (delta.max(2, initial=0.0) > 0) & (delta.min(2, initial=0.0) < 0)
    size = np.where(disagreed, np.abs(delta[..., scores.measures.index(first)]), 0.0)
    for place in np.argsort(-size, axis=None, kind="stable")[:5]:
        pair, topic = np.unravel_index(place, size.shape)
        if size[pair, topic] > 0:
            yield Case(scores.topics[topic], scores.runs[i[pair]], scores.runs[j[pair]], delta[pair, topic])


def _sakai_asl(found: DiscriminativePower) -> Floats:
    """(measure, pair): b/B, the share of the resamples that reach the observed t, which is Sakai's ASL.

    Ours is (b+1)/(B+1), because the observed data counts as one more resample.
    """
    resamples = found.about["resamples"]
    return np.asarray((np.rint(found.asl * (resamples + 1)) - 1) / resamples)


def _table_7(tested: DiscriminativePower | None, lacking: str | None) -> Table:
    """The properties of each family of measures, by examples, and its discriminative power on the runs."""
    holds = _properties()
    if tested is not None:
        order = sorted(range(len(tested.measures)), key=lambda m: -float(tested.power[m]))
        upper = {tested.measures[m] for m in order[: len(order) // 2]}
        holds["high discriminative power"] = {name: name in upper for name in tested.measures}
    columns: dict[str, list[Any]] = {"Table 7": list(holds)}
    for family, members in FAMILIES.items():
        columns[family] = [_verdict(found, members) for found in holds.values()]
    for number, family in enumerate(FAMILIES):
        columns[f"printed {family}"] = ["YES" if TABLE_7[row][number] else "NO" for row in holds]
    said = []
    for place, row in enumerate(holds):
        same = all(columns[family][place] == columns[f"printed {family}"][place] for family in FAMILIES)
        needs = lacking if row == "high discriminative power" else None
        said.append(needs or (REPRODUCED if same else f"differs because {_WHY_7.get(row, _WHY)}"))
    return Table({**columns, "shown by": [_SHOWN_7[row] for row in holds], "outcome": said})


_SHOWN_7 = {
    "intent probabilities": "a list scores differently if the intents have other probabilities",
    "attention to minor intents": "ten documents score higher if nine are on an intent with the probability "
    "2/3 and the last is on one with 1/3, than if all ten are on the first",
    "per-intent graded relevance": "a list scores differently if its document has another grade",
    "highest value is 1": "the best of all rankings scores 1, in two examples",
    "high discriminative power": "all of them are in the upper half of the eleven measures, uniform, l = 10",
}
_WHY_7 = {
    "attention to minor intents": "ERR measures discount a document by earlier documents on the same intent",
    "highest value is 1": "D is 1 for the documents of the highest global gain, I-rec is 1 for documents on "
    "all intents, and these need not be the same documents",
}


def _verdict(holds: Mapping[str, bool], members: Sequence[str]) -> str:
    """YES or NO, or which members have a property if only some do."""
    some = [name for name in members if holds[name]]
    return "YES" if len(some) == len(members) else "NO" if not some else f"only {', '.join(some)}"


def _properties() -> dict[str, dict[str, bool]]:
    """Whether each measure has the property of each row of Table 7 but the last, in small examples."""
    names = [name for members in FAMILIES.values() for name in members]
    ten = {"1": {f"a{i}": 1 for i in range(10)}, "2": {f"b{i}": 1 for i in range(10)}}
    two = {"1": {"a": 1}, "2": {"b": 1}}
    major = [f"a{i}" for i in range(10)]
    # The second of these has a greedy ideal that is not the best ranking.
    whole = (
        ({"1": {"a": 3, "b": 3}, "2": {"c": 1}}, 2),
        ({"1": {"c": 1, "a": 1}, "2": {"a": 1}, "3": {"c": 1, "b": 1}, "4": {"b": 1}}, 3),
    )
    best = [
        {
            name: max(_example(judged, list(ranking), name, k) for ranking in permutations("abc"))
            for name in names
        }
        for judged, k in whole
    ]

    def differ(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, bool]:
        return {name: abs(first[name] - second[name]) > 1e-9 for name in names}

    def each(judged: Any, ranking: Sequence[str], **more: Any) -> dict[str, float]:
        return {name: _example(judged, ranking, name, 10, **more) for name in names}

    minor = each(ten, [*major[:9], "b0"], halved=True)
    alone = each(ten, major, halved=True)
    graded = {"1": {"a": 1, "b": 3}}
    return {
        "intent probabilities": differ(each(two, ["b"]), each(two, ["b"], halved=True)),
        "attention to minor intents": {name: minor[name] > alone[name] + 1e-9 for name in names},
        "per-intent graded relevance": differ(each(graded, ["a"]), each(graded, ["b"])),
        "highest value is 1": {name: all(abs(one[name] - 1) < 1e-9 for one in best) for name in names},
    }


def _example(
    intents: Mapping[str, Mapping[str, int]], ranking: Sequence[str], name: str, k: int, halved: bool = False
) -> float:
    """The score of a ranking of a topic with these intents, uniform or each half as likely as the last."""
    judged = read_judgments({"q": intents})
    judged = weighting.weighted(judged, weighting.SAKAI) if halved else judged
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(ranking)}}
    text = DIVERSITY[name].format(l=k, h=_highest(judged))
    return float(Collection.of(judged, {"run": run}).rescored([text]).values[0, 0, 0])


def _asl_table(part: Power, found: DiscriminativePower, aligned: Collection) -> Table:
    """The ASL of every tenth pair of runs, in descending order, as on the axis of the figure."""
    places = range(0, len(found.pairs), TICK)
    columns: dict[str, list[Any]] = {
        f"{part.figure}, {_short(part.name)}: pair": [str(place + 1) for place in places]
    }
    theirs = -np.sort(-_sakai_asl(found), axis=1)
    for name, ours, other in zip(found.measures, found.curves, theirs, strict=True):
        columns[name] = [float(ours[place]) for place in places]
        columns[f"{name}, b/B"] = [float(other[place]) for place in places]
    said = part.data.lacking(aligned.judgments, len(aligned.runs)) or _DRAWN
    return Table({**columns, "outcome": [said] * len(places)}, digits=3)


def _figure_3(scores: Scores, lacking: str | None) -> Table:
    means = scores.mean()
    columns: dict[str, list[Any]] = {"Figure 3": list(scores.runs)}
    for name in ("I-rec", "D-nDCG", "D-Q"):
        columns[name] = [means[run][name] for run in scores.runs]
    return Table({**columns, "outcome": [lacking or _DRAWN] * len(scores.runs)})


def _remarks(
    aligned: Collection, every: Collection, given: bool, resamples: int, lacking: str | None
) -> Iterator[str]:
    runs, topics = len(aligned.runs), len(aligned.judgments.topics)
    drawn = f", which were drawn from {len(every.runs)}," if every is not aligned else ","
    yield (
        f"Computed from {runs} runs{drawn} {topics} topics and the given grades"
        + (
            f", in place of the {GRADED.name}. The grades were never published, and TREC gives its runs only "
            "to participants."
            if lacking
            else "."
        )
    )
    yield (
        "Non-uniform intent probabilities are "
        + ("the given weights." if given else "the paper's: each intent is half as likely as the one before.")
    )
    yield (
        f"Power: share of the pairs of runs that differ at the level .05 by the paired bootstrap with "
        f"{resamples} resamples. In brackets: 95 % intervals over topics. τ_ap: the second measure is the "
        f"gold ranking."
    )
    yield (
        "If b of B resamples reach the observed t, our ASL is (b+1)/(B+1), and the paper's is b/B. With "
        "1,000 resamples, both are below .05 for the same pairs."
    )
