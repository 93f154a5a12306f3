"""Tables and figures of papers, computed for a collection and compared with the printed numbers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

from rankprism import InputError, evaluate, read_judgments, sample
from rankprism.data.judgments import Judgments
from rankprism.evaluation import Collection
from rankprism.formats.topics import read_topics
from rankprism.judging.aspects import attainable, compare, labels
from rankprism.judging.aspects.approaches import APPROACHES, Power
from rankprism.judging.preferences.experiments import measure_correlation
from rankprism.meta import unanimity
from rankprism.meta.axioms.table import paper_table
from rankprism.meta.discriminative_power import power
from rankprism.reproduce import dsharp as dsharp_module
from rankprism.reproduce import preferences as preferences_module
from rankprism.reproduce import rbu as rbu_module
from rankprism.reproduce import toma as toma_module
from rankprism.reproduce.dsharp import dsharp
from rankprism.reproduce.dsharp_printed import TABLE_2 as AD_HOC_POWERS
from rankprism.reproduce.dsharp_printed import TABLE_3 as POWERS
from rankprism.reproduce.dsharp_printed import TABLE_5, TABLE_6
from rankprism.reproduce.paper import Printed, Reproduction, numbered, outcome
from rankprism.reproduce.preferences import preferences
from rankprism.reproduce.rbu import TABLE_2, TABLE_3, rbu
from rankprism.reproduce.toma import sample_aspects, toma

Cli = Callable[..., CompletedProcess[str]]
RUNS = list(sample.RUNS)


# ── what all papers share ────────────────────────────────────────────────────────────────────────


def test_a_number_is_reproduced_if_it_rounds_to_the_printed_one() -> None:
    assert outcome(0.41504, 0.415, 3, None, "") == "reproduced"
    assert outcome(0.4156, 0.415, 3, None, "of rounding") == "differs because of rounding"
    assert outcome(0.4, None, 3, None, "") == "not printed"


def test_the_same_data_is_meant_only_if_topics_and_runs_agree() -> None:
    judged = read_judgments({"1": {"a": 1}, "2": {"a": 3}})
    data = Printed("3 runs of X", numbered(1, 2), 3)
    assert data.lacking(judged, 3) is None
    assert Printed("3 runs of X", numbered(1, 2), 3, highest=3).lacking(judged, 3) is None
    others = [Printed("3 runs of X", numbered(1, 3), 3), Printed("3 runs of X", numbered(1, 2), 4)]
    others += [Printed("3 runs of X", numbered(1, 2), 3, highest=1), Printed("3 runs of X")]
    for other in others:
        assert other.lacking(judged, 3) == "needs data that is not public: 3 runs of X"


# ── Amigó et al. 2018 ────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def found_rbu() -> Reproduction:
    return rbu(sample.QRELS, RUNS, repetitions=2, instances=50)


def test_table_1_agrees_with_the_paper_in_177_cells_and_explains_the_others(found_rbu: Reproduction) -> None:
    """The 23 cells are those of the reference: 21, and Deep and Red of CT@k, where an aspect may be full."""
    table = found_rbu.part("Table 1")
    cells = [cell for name in list(table.columns)[1:-1] for cell in table.columns[name]]
    assert len(cells) == 200
    assert sum("≠" in cell for cell in cells) == 23
    outcomes = table.columns["outcome"]
    assert outcomes.count("reproduced") == 9
    assert not any("shows a counterexample" in said for said in outcomes)  # each has a reason


def test_table_1_gives_the_count_of_both_readings(found_rbu: Reproduction) -> None:
    table = found_rbu.part("Table 1, reading printed")
    assert list(table.columns)[1:-1] == ["Red", "AspRel"]
    assert sum("≠" in cell for name in ("Red", "AspRel") for cell in table.columns[name]) == 10
    assert not any("shows a counterexample" in said for said in table.columns["outcome"])
    assert "23 of 200 cells; 32 in the reading printed" in found_rbu.note.replace("\n", " ")
    assert found_rbu.about["cells that differ from the paper"] == {"proved": 23, "printed": 32}


def test_data_that_is_not_public_is_named_once_in_a_table(found_rbu: Reproduction) -> None:
    reason = "needs data that is not public: 23 runs of TREC Dynamic Domain 2015"
    name = "Table 3, official Dynamic Domain measures"
    (table,) = [table for table in found_rbu.tables if next(iter(table.columns)).startswith(name)]
    said = table.columns["outcome"]
    assert said == [reason, *["the same"] * (len(said) - 1)]
    assert str(found_rbu).count(reason) == 1
    # Who reads cells one by one has the reason in each.
    rows = found_rbu.rows.columns
    assert sum(text == reason for text in rows["text"]) == len(said)


def test_table_2_has_the_grid_of_the_paper() -> None:
    count = {family.name: sum(1 for _ in family.variants()) for family in TABLE_2}
    assert count["RBU"] == 4 * 3
    assert count["α-DCG"] == 5 * 4
    assert count["NRBP"] == 3 * 4
    assert count["EU"] == 4 * 5
    assert sum(len(list(family.variants())) for family in TABLE_2) == 109


@pytest.mark.filterwarnings(r"ignore:.*\[unequal-depths\]")
def test_table_2_is_the_metric_unanimity_of_the_definition(
    found_rbu: Reproduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MU by a loop over ordered pairs, on scores that are computed with gain='probability'."""
    some = [TABLE_2[0], TABLE_2[3], TABLE_2[15]]  # RBU, DCG, RR
    monkeypatch.setattr(rbu_module, "TABLE_2", some)
    mu, _, _ = rbu_module._official_mu(Collection.of(sample.QRELS, RUNS))
    measures = [
        *(f"RBU(p={p},e={e})" for e in (0.001, 0.05, 0.1, 0.5) for p in (0.8, 0.9, 0.99)),
        *(f"DCG@{k}" for k in (10, 20, 50, 100, 1000)),
        "RR",
    ]
    scores = evaluate(_as_probabilities(), RUNS, [m for m in measures if not m.startswith("RBU")])
    values = np.concatenate([evaluate(sample.QRELS, RUNS, measures[:12]).values, scores.values], axis=2)
    for m in range(len(measures)):
        joint, unanimous = 0.0, 0
        for topic in range(values.shape[1]):
            for i, j in permutations(range(len(RUNS)), 2):
                delta = values[i, topic] - values[j, topic]
                if all(delta[o] >= -1e-12 for o in range(len(measures)) if o != m):
                    unanimous += 1
                    joint += 1.0 if delta[m] > 1e-12 else 0.5 if delta[m] > -1e-12 else 0.0
        assert mu[m] == pytest.approx(np.log2(joint / (0.5 * unanimous)), abs=1e-12), measures[m]


def _as_probabilities() -> dict[str, dict[str, dict[str, float]]]:
    """The sample with r = (2^g - 1) / 2^gmax scaled so that every relevant document has a grade ≥ 1."""
    judged = read_judgments(sample.QRELS)
    columns = list(zip(*judged.table.columns(), strict=True))
    found: dict[str, dict[str, dict[str, float]]] = {}
    highest: dict[tuple[str, str], float] = {}
    for topic, aspect, _, grade in columns:
        highest[topic, aspect] = max(grade, highest.get((topic, aspect), 0.0))
    for topic, aspect, doc, grade in columns:
        r = (2**grade - 1) / 2 ** highest[topic, aspect] if grade > 0 else 0.0
        found.setdefault(topic, {}).setdefault(aspect, {})[doc] = 64 * r
    return found


def test_rbu_does_not_depend_on_the_order_of_runs(found_rbu: Reproduction) -> None:
    again = rbu(sample.QRELS, RUNS[::-1], repetitions=2, instances=50)
    assert again.to_csv() == found_rbu.to_csv()


def test_another_seed_draws_other_scenarios() -> None:
    aligned = Collection.of(sample.QRELS, RUNS)
    first, other = (rbu_module._drawn_mu(aligned, 1, seed, lambda share: None)[0] for seed in (0, 1))
    assert not np.array_equal(first, other)


def test_the_papers_data_is_recognised_and_differences_are_said() -> None:
    """Made-up judgments with the topics and the number of runs of the paper: numbers are compared."""
    topics = [str(t) for t in range(251, 301)]
    judged = {t: {"1": {"a": 1, "b": 2}, "2": {"c": 1}} for t in topics}
    orders = list(permutations("abcd"))[:24] + list(permutations("abc"))
    runs = {
        f"run{i}": {t: {d: float(-r) for r, d in enumerate(order)} for t in topics}
        for i, order in enumerate(orders)
    }
    found = rbu(judged, runs, repetitions=1, instances=10)
    said = found.part("Table 2, official").columns["outcome"]
    assert any(s.startswith("differs because") for s in said)
    assert not any(s.startswith("needs") for s in said)
    domain = found.part("Table 3, official Dynamic Domain measures").columns
    assert set(domain["outcome"]) == {"needs data that is not public: 23 runs of TREC Dynamic Domain 2015"}
    assert list(domain)[1:4] == [
        *("MU, 30 runs given", "lowest variant", "printed, 23 runs of TREC Dynamic Domain 2015")
    ]


def test_every_row_of_table_3_has_its_printed_number_or_range() -> None:
    for column in TABLE_3:
        assert set(column.rows) == set(column.printed)
        assert set(column.lowest) == {row for row in column.rows if row.startswith("RBU")}
        assert all(column.lowest[row] <= column.printed[row] for row in column.lowest)


@pytest.mark.filterwarnings(r"ignore:.*\[unequal-depths\]")
def test_table_3_has_the_lowest_variant_of_rbu_beside_the_highest(found_rbu: Reproduction) -> None:
    table = found_rbu.part("Table 3, official Web measures").columns
    rows = dict(zip(table["Table 3, official Web measures"], table["lowest variant"], strict=True))
    measures = [text for texts in TABLE_3[0].rows.values() for text in texts]
    mu = dict(zip(measures, unanimity(sample.QRELS, RUNS, measures, intervals=0).mu, strict=True))
    variants = [mu[f"RBU(p=0.9,e={e})"] for e in (0.0, 0.001, 0.05, 0.1, 0.5)]
    assert rows["RBU, p = 0.9"] == min(variants)
    assert rows["AP-IA"] is None


def test_runs_of_different_length_are_noted_unless_they_are_cut() -> None:
    judged = {t: {"1": {"a": 1, "b": 2}, "2": {"c": 1}} for t in ("x", "y")}
    long = {doc: -i for i, doc in enumerate("abcdef")}
    runs = {"long": dict.fromkeys(judged, long), "short": {t: {"b": 1} for t in judged}}
    noted = "The runs have 1 to 6 documents for a topic on average."
    for depth, said in ((None, True), (1, False)):
        found = rbu(judged, runs, repetitions=1, instances=0, depth=depth)
        assert (noted in found.note.replace("\n", " ")) is said


def test_grades_above_4_do_not_stop_the_table_of_dynamic_domain() -> None:
    judged = {t: {"1": {"a": 9, "b": 2}, "2": {"c": 1}} for t in ("x", "y")}
    runs = {"first": {t: {"a": 2, "c": 1} for t in judged}, "second": {t: {"b": 1} for t in judged}}
    assert len(rbu(judged, runs, repetitions=1, instances=0).parts) == 9


def test_the_command_reproduces_rbu_for_the_sample_and_for_files(cli: Cli, tmp_path: Path) -> None:
    some = ("--repetitions", 1, "--instances", 20)
    done = cli("reproduce", "rbu", *some)
    assert done.returncode == 0, done.stderr
    assert "Table 2, r and w drawn, |d| = rand(0, 50)" in done.stdout
    assert "needs data that is not public: 30 runs of TREC Web 2014" in done.stdout
    again = cli(
        "reproduce", "rbu", sample.QRELS, *RUNS, "--weights", sample.WEIGHTS, *some, "--format", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(again.stdout)))
    printed = [r for r in rows if r["column"] == "printed" and r["table"] == "Table 2, official"]
    assert float(printed[0]["value"]) == 0.8024


def test_the_scenarios_are_drawn_at_least_once() -> None:
    with pytest.raises(InputError, match="repetitions must be at least 1; got 0"):
        rbu(sample.QRELS, RUNS, repetitions=0)


# ── collections that some tables cannot be made of ───────────────────────────────────────────────

#: Each paper, quickly; the tables that can be made of one run; and the others.
PAPERS: dict[str, tuple[Callable[..., Reproduction], list[str], list[str]]] = {
    "rbu": (
        lambda *files: rbu(*files, repetitions=1, instances=0),
        ["Table 1", "Table 1, reading printed"],
        ["Table 2", "Table 3"],
    ),
    "dsharp": (
        lambda *files: dsharp(*files, resamples=100),
        [
            "Table 1(a), Sections 5.1 and 5.2",
            "Section 3.4, global levels of 3 intents with L1-L3",
            "Table 7",
        ],
        [*(f"Table {n}" for n in range(2, 7)), "Figure 1", "Figure 2", "Figure 3"],
    ),
    "preferences": (
        lambda *files: preferences(*files, triplets=(50,), repetitions=1),
        ["Table 2"],
        ["Table 3", *(f"Figure {n}" for n in range(2, 7))],
    ),
}


@pytest.fixture(scope="module", autouse=True)
def axioms_once() -> Iterator[None]:
    """Table 1 of rbu needs no collection, and takes most of the time."""
    found: dict[tuple[int, int], Any] = {}
    search = paper_table

    def remembered(*, instances: int, seed: int, on_progress: Any) -> Any:
        if (instances, seed) not in found:
            found[instances, seed] = search(instances=instances, seed=seed, on_progress=on_progress)
        return found[instances, seed]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rbu_module, "paper_table", remembered)
        yield


def table_names(found: Reproduction) -> list[str]:
    return [next(iter(table.columns)) for table in found.parts]


@pytest.mark.parametrize("paper", PAPERS)
def test_with_one_run_what_compares_runs_is_left_out_with_the_reason(paper: str) -> None:
    compute, kept, lost = PAPERS[paper]
    found = compute(sample.QRELS, RUNS[0])
    assert table_names(found) == [*kept, "left out"]
    missing = found.part("left out").columns
    assert missing["left out"] == lost
    assert set(missing["because"]) == {"it compares runs with each other, and there is only one run"}


def test_toma_of_subtopics_is_its_worked_example_and_the_reason_for_the_rest() -> None:
    found = toma(sample.QRELS, RUNS)
    assert table_names(found) == ["Table 1", "Table 3, AP", "Table 3, NDCG", "left out"]
    missing = found.part("left out").columns
    assert missing["left out"] == ["Table 4", "Table 5", "Table 6", "Figure 1", "Figure 2"]
    assert "aspects that all topics share" in missing["because"][0]
    assert not found.figures


def test_toma_of_one_run_shows_what_its_judgments_allow() -> None:
    found = toma(sample_aspects(), RUNS[0])
    assert table_names(found) == ["Table 1", "Table 3, AP", "Table 3, NDCG", "Figure 2", "left out"]
    assert list(found.figures) == ["Figure 1", "Figure 2"]


@pytest.mark.parametrize("paper", PAPERS)
def test_labels_of_several_aspects_are_reproduced_as_subtopics_are(paper: str) -> None:
    """The aspects of a collection such as TREC Decision 2019 are what subtopics are elsewhere."""
    compute, _, lost = PAPERS[paper]
    names = table_names(compute(sample_aspects(), RUNS[:3]))
    assert "left out" not in names
    assert all(any(name.startswith(table) for name in names) for table in lost)


@pytest.mark.parametrize("paper", PAPERS)
def test_the_sample_of_ntcireval_has_two_runs_and_three_topics(paper: str, collections: Path) -> None:
    folder = collections / "ntcireval-diversity-sample"
    compute, _, _ = PAPERS[paper]
    assert "left out" not in table_names(
        compute(folder / "Dtest.Dqrels", [folder / "TRECRUN", folder / "TRECRUN2"])
    )


# ── Sakai and Song 2011 ──────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def found_dsharp() -> Reproduction:
    return dsharp(sample.QRELS, RUNS, resamples=200)


def test_the_counts_of_table_1_come_out_of_the_official_judgments_and_topics(collections: Path) -> None:
    folder = collections / "trec-web-2009"
    judged = read_judgments(folder / "qrels.diversity.gz")
    words = read_topics(folder / "wt09.topics.full.xml")
    table = dsharp_module._table_1(judged, words)
    counts = dict(
        zip(table.columns["Table 1(a), Sections 5.1 and 5.2"], table.columns["computed"], strict=True)
    )
    assert list(counts.values())[:11] == [50, 199, 6, 5, 4942, 6499, 3622, 1113, 178, 28, 1]
    assert list(counts.values())[11:16] == [12, 38, 243, 177, 66]
    assert table.columns["outcome"][:16] == ["reproduced"] * 16
    assert all(said.startswith("needs data that is not public") for said in table.columns["outcome"][16:])
    without = dsharp_module._table_1(judged, {}).columns["outcome"][11:16]
    assert set(without) == {"needs the topic file: name it with topic_file= (--topic-file)"}


def test_three_intents_with_three_grades_have_34_global_levels() -> None:
    """By the definition: Pr(i|q) = 4/7, 2/7, 1/7 and the gains 2^x - 1."""
    levels = {
        (4 * (2**a - 1) + 2 * (2**b - 1) + (2**c - 1)) / 7
        for a in range(4)
        for b in range(4)
        for c in range(4)
    }
    assert dsharp_module._section_3_4().columns["computed"] == [len(levels) - 1, 16]
    assert len(levels) == 35


def test_table_7_has_what_the_measures_really_guarantee() -> None:
    """The paper says YES for the highest value of D#, and NO for minor intents with all IA measures."""
    table = dsharp_module._table_7(None, None)
    cells = {row[0]: row[1:4] for row in zip(*list(table.columns.values())[:4], strict=True)}
    assert cells == {
        "intent probabilities": ("NO", "YES", "YES"),
        "attention to minor intents": ("YES", "only nERR-IA, ERR-IA", "YES"),
        "per-intent graded relevance": ("NO", "YES", "YES"),
        "highest value is 1": ("NO", "NO", "NO"),
    }
    assert [said.split()[0] for said in table.columns["outcome"]] == [
        "reproduced",
        "differs",
        "reproduced",
        "differs",
    ]


def test_the_highest_d_sharp_is_below_1_if_the_best_documents_miss_an_intent() -> None:
    """Two documents of grade 3 are on one intent, one of grade 1 is on the other. At 2, [a, b] has D = 1 and
    I-rec = 1/2; [a, c] has I-rec = 1 and D = (7 + 1/log2(3)) / (7 + 7/log2(3)) by the global gains."""
    judged = {"q": {"1": {"a": 3, "b": 3}, "2": {"c": 1}}}
    runs = {"".join(r): {"q": {d: -float(i) for i, d in enumerate(r)}} for r in permutations("abc")}
    found = evaluate(judged, runs, "DSharp_nDCG@2").values.max()
    share = 1 / np.log2(3)
    assert found == pytest.approx((1 + (7 + share) / (7 + 7 * share)) / 2)
    assert found == pytest.approx(0.8342, abs=5e-5)


def test_the_asl_of_the_paper_is_b_over_b_and_gives_the_same_power_with_1000_resamples() -> None:
    found = dsharp(sample.QRELS, RUNS, resamples=1000)
    for part in (*AD_HOC_POWERS[2:], *POWERS):
        rows = _rows(found, part.name)
        assert all(row["power (%)"].value == row["by b/B"] for row in rows.values())
    rows = _rows(found, "Figure 2, uniform, l = 10: pair")
    for row in rows.values():
        b = row["D#-nDCG"] * 1001 - 1
        assert b == pytest.approx(round(b), abs=1e-6)
        assert row["D#-nDCG, b/B"] == pytest.approx(b / 1000)


def test_runs_are_drawn_by_a_seed_and_figure_3_shows_all() -> None:
    found = dsharp(sample.QRELS, RUNS, sample=3, seed=4, resamples=50)
    drawn = found.about["runs"]
    assert len(drawn) == 3
    assert dsharp(sample.QRELS, RUNS[::-1], sample=3, seed=4, resamples=50).about["runs"] == drawn[::-1]
    others = {tuple(dsharp_module._drawn(dict.fromkeys(map(str, RUNS)), 3, seed)) for seed in range(8)}  # type: ignore[arg-type]
    assert len(others) > 1
    alone = dsharp(sample.QRELS, [run for run in RUNS if run.stem in drawn], resamples=50, seed=4)
    assert found.part("Table 5").cells() == alone.part("Table 5").cells()
    assert len(found.part("Figure 3").columns["Figure 3"]) == len(RUNS)


def test_too_few_runs_to_draw_from_are_an_error(cli: Cli) -> None:
    done = cli("reproduce", "dsharp", "--sample", 20)
    assert done.returncode == 2
    assert "at most 6, the number of runs; got 20 (--sample)" in done.stderr
    assert done.stdout == ""


def test_a_topic_file_marks_navigational_intents_in_table_6(tmp_path: Path) -> None:
    aspects = read_judgments(sample.QRELS).aspects
    topics = "".join(
        f'<topic number="{topic}" type="faceted"><query>q</query>'
        + "".join(f'<subtopic number="{a}" type="nav">s</subtopic>' for a in names)
        + "</topic>"
        for topic, names in aspects.items()
    )
    (tmp_path / "topics.xml").write_text(f"<topics>{topics}</topics>")
    found = dsharp(sample.QRELS, RUNS, resamples=200, topic_file=tmp_path / "topics.xml")
    table = found.part("Table 6, significant by")
    assert any("ⁿ:" in cell for rank in "12345" for cell in table.columns[rank])
    (tmp_path / "other.xml").write_text('<topics><topic number="x"><query>q</query></topic></topics>')
    with pytest.raises(InputError, match="check that it belongs to the judgments"):
        dsharp(sample.QRELS, RUNS, topic_file=tmp_path / "other.xml")


def test_power_is_that_of_meta_power_on_the_same_measures(found_dsharp: Reproduction) -> None:
    """The runs are aligned only once, and the names of measures are the paper's; neither changes a score."""
    measures = {"D#-nDCG": "DSharp_nDCG@10", "nDCG-IA": "nDCG_IA(dcg='exp-log2')@10", "I-rec": "StRecall@10"}
    expected = power(sample.QRELS, RUNS, list(measures.values()), resamples=200)
    rows = _rows(found_dsharp, "Table 3 (ii), uniform, l = 10")
    for i, name in enumerate(measures):
        assert rows[name]["power (%)"].value == pytest.approx(100 * expected.power[i])
        assert rows[name]["required Δ"] == pytest.approx(expected.delta[i])


def test_reduced_collections_have_the_highest_grade_or_the_number_of_intents(
    found_dsharp: Reproduction,
) -> None:
    """The scores on ad hoc judgments that are written down and read as any other."""
    grades: dict[str, dict[str, list[float]]] = {}
    for topic, _, doc, grade in zip(*read_judgments(sample.QRELS).table.columns(), strict=True):
        grades.setdefault(topic, {}).setdefault(doc, []).append(float(grade))
    highest = {t: {d: max(0, *g, 0) for d, g in docs.items()} for t, docs in grades.items()}
    number = {t: {d: sum(x > 0 for x in g) for d, g in docs.items()} for t, docs in grades.items()}
    for name, judged, most in (("(ii), highest grade over", highest, 3), ("(iii), number of", number, 2)):
        measures = ["nDCG(dcg='exp-log2')@10", "Q@10", f"nERR(max_rel={most})@10"]
        expected = power(judged, RUNS, measures, resamples=200).power
        rows = _rows(found_dsharp, f"Table 2 {name} intents, l = 10")
        assert [rows[m]["power (%)"].value for m in ("nDCG", "Q", "nERR")] == pytest.approx(100 * expected)


def test_gap_at_a_cutoff_counts_no_document_below_it() -> None:
    """GAP@2 of the grades 0, 2, 1 where 2 and 1 are relevant: 1/2 · 2 at rank 2, over 2 + 1."""
    judged = {t: {"s": {"b": 2, "c": 1}} for t in ("1", "2")}
    runs = {n: {t: {"a": 3.0, "b": 2.0, "c": 1.0} for t in judged} for n in ("x", "y")}
    aligned = Collection.of(judged, runs)
    part = next(p for p in AD_HOC_POWERS if p.name.startswith("Table 2 (ii)") and p.cutoff == 10)
    scores = dsharp_module._scores(
        aligned, dsharp_module._collections(aligned.judgments)["highest"], part._replace(cutoff=2)
    )
    assert scores.mean()["x"]["GAP"] == pytest.approx((2 / 2) / 3)


def test_given_intent_probabilities_replace_those_of_the_paper(found_dsharp: Reproduction) -> None:
    given = dsharp(read_judgments(sample.QRELS, weights=sample.WEIGHTS), RUNS, resamples=100)
    assert given.about["intent probabilities"] == "given"
    assert found_dsharp.about["intent probabilities"] == "halved from intent to intent"
    weights = dsharp_module._collections(read_judgments({"q": {str(i): {"d": 1} for i in range(4)}}))
    assert weights["non-uniform"].weights == pytest.approx([8 / 15, 4 / 15, 2 / 15, 1 / 15])  # Section 5.1


def test_the_misprint_of_table_5_is_said(found_dsharp: Reproduction) -> None:
    rows = _rows(found_dsharp, "Table 5")
    assert "the printed counts give 88.5 %" in rows["I-rec - D#-Q"]["outcome"]
    assert sum("misprint" in row["outcome"] for row in rows.values()) == 1
    # The printed counts fit to the powers of Table 3: 119 and 126 of 190 pairs.
    (only, both, other), _ = TABLE_5["I-rec", "D#-Q"]
    printed = POWERS[-1].printed
    assert round(100 * (only + both) / 190, 1) == printed["I-rec"][0]
    assert round(100 * (both + other) / 190, 1) == printed["D#-Q"][0]


def test_table_6_has_the_cases_of_the_rule(found_dsharp: Reproduction) -> None:
    """In each case, the three measures do not agree, and Δ by the first measure falls from case to case."""
    for first, second in (("D#-nDCG", "α-nDCG"), ("α-nDCG", "D#-nDCG")):
        name = f"Table 6, significant by {first} and not by {second}"
        found = [t for t in found_dsharp.parts if next(iter(t.columns)) == name]
        for table in found:
            cells = [table.columns[f"Δ {m}"][::2] for m in ("D#-nDCG", "α-nDCG", "nDCG-IA")]
            assert all({"▲", "▼"} <= {cell[-1] for cell in case} for case in zip(*cells, strict=True))
            sizes = [abs(float(cell[:-2])) for cell in table.columns[f"Δ {first}"][::2]]
            assert sizes == sorted(sizes, reverse=True)
            assert 1 <= len(sizes) <= 5
    assert any("not by" in next(iter(t.columns)) for t in found_dsharp.parts)
    assert len(TABLE_6) == 10


def _rows(found: Reproduction, name: str) -> dict[str, dict[str, Any]]:
    table = found.part(name)
    first, *others = table.columns
    return {
        row: {column: table.columns[column][i] for column in others}
        for i, row in enumerate(table.columns[first])
    }


def test_the_command_reproduces_dsharp_and_draws_its_figures(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    done = cli("reproduce", "dsharp", "--resamples", 50, "--figures", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert "Figure 2, uniform, l = 10: pair" in done.stdout
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"dsharp-figure-3-d-ndcg.svg", "dsharp-figure-1-number-of-intents-l-1000.svg"} <= names
    assert len(names) == 4 + 4 + 2
    done = cli("reproduce", "toma", "--resamples", 50, "--alpha", 0.05, "--figures", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    both = {path.name for path in (tmp_path / "figures").iterdir()}
    assert both == names | {"toma-figure-1.svg", "toma-figure-2.svg"}


# ── Maistro et al. 2021 ──────────────────────────────────────────────────────────────────────────


TWO_ASPECTS: dict[str, Any] = {
    "q": {"a": {"x": 1, "y": 1, "z": 0}, "b": {"x": 1, "y": 0, "z": 0}},
    "r": {"a": {"x": 0, "y": 1, "z": 0}, "b": {"x": 0, "y": 1, "z": 1}},
}
TWO_RUNS = {
    "good": {"q": {"x": 3.0, "y": 2.0}, "r": {"y": 3.0, "z": 2.0, "u": 1.0}},
    "bad": {"q": {"z": 3.0, "u": 2.0, "x": 1.0}, "r": {"u": 3.0, "y": 1.0}},
}


def test_toma_prints_tables_5_and_6_with_both_denominators() -> None:
    table = toma(read_judgments(TWO_ASPECTS, aspects=["a", "b"]), TWO_RUNS, ["nDCG"], resamples=100)
    names = [name for name in table_names(table) if name.startswith(("Table 5", "Table 6"))]
    assert [name.partition(", ")[2].partition(", ")[2] for name in names] == [
        "every topic",
        "topics on which a run scores above 0",
    ] * 2
    assert table.part("Table 6").cells()[1][:6] == ["ranks 26-50", *["–"] * 5]
    cells = _rows(table, "Table 4, correlation, nDCG")
    assert cells["EUCL - CAM"]["τ_b by topic"].value == pytest.approx(1)
    assert r"\toprule" in table.to_latex()


@pytest.mark.filterwarnings(r"ignore:.*\[unequal-depths\]")
def test_toma_prints_no_figures_of_table_4_and_figure_2_beside_other_data() -> None:
    found = toma(sample_aspects(), RUNS[:3], ["nDCG"], resamples=100)
    for name in ("Table 4, correlation", "Table 4, discriminative power"):
        assert "printed" not in found.part(name).columns
    assert set(found.part("Figure 2").columns["printed"]) == {""}
    assert "Decision" not in found.note


def test_the_percentages_of_table_5_have_one_denominator() -> None:
    """433 topics, two measures and five ranks: all approaches have the same topics."""
    for *_, count, percent in toma_module.TABLE_5.values():
        assert round(100 * count / toma_module.TABLE_5_DOCUMENTS, 2) == pytest.approx(percent, abs=0.011)


def _two_aspects(
    runs: int, topics: int, unjudged: int = 0, depth: int = 8
) -> tuple[Judgments, dict[str, Any]]:
    """Judgments of two aspects, and runs that have topics without judgments, too."""
    rng = np.random.default_rng(5)
    docs = [f"d{i}" for i in range(12)]
    judged = {
        f"t{t}": {a: dict(zip(docs, rng.integers(0, 2, 12).tolist(), strict=True)) for a in ("a", "b")}
        for t in range(topics)
    }
    found = {
        f"run{r}": {
            f"t{t}": dict(zip(docs[:8], rng.permutation(8).astype(float).tolist(), strict=True))
            for t in range(topics + unjudged)
        }
        for r in range(runs)
    }
    return read_judgments(judged, aspects=["a", "b"]), found


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_unjudged_topics_count_as_zeros_in_the_power_of_toma_and_nowhere_else() -> None:
    judged, runs = _two_aspects(6, 12, unjudged=3)
    settings: dict[str, Any] = {"resamples": 200, "alpha": 0.2}
    found = toma(judged, runs, ["nDCG"], **settings)
    table = found.part("Table 4, discriminative power, nDCG").columns
    # The same as a topic that has judgments, of which none is relevant.
    nothing = {f"t{t}": {a: {"d0": 0} for a in ("a", "b")} for t in (12, 13, 14)}
    rows: dict[str, Any] = {t: {a: {} for a in ("a", "b")} for t in judged.topics}
    for topic, aspect, doc, grade in zip(*judged.table.columns(), strict=True):
        rows[topic][aspect][doc] = grade
    padded = read_judgments(rows | nothing, aspects=["a", "b"])
    every = evaluate(padded, runs, ["CAM(nDCG)", "CHEB(nDCG)"])
    expected = 100 * power(every, **settings, intervals=0).power
    by_name = dict(
        zip(table["Table 4, discriminative power, nDCG"], table["unjudged topics as 0"], strict=True)
    )
    assert [by_name["CAM"], by_name["CHEB"]] == pytest.approx(expected)
    assert "the runs have 3 topics without judgments" in found.note
    judged, runs = _two_aspects(6, 12)
    assert "unjudged" not in str(toma(judged, runs, ["nDCG"], **settings))


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_names_are_ordered_by_cam_and_mm_of_rounded_scores() -> None:
    judged, runs = _two_aspects(3, 2)
    found = compare(judged, runs, ["AP"], resamples=100)
    values = {name: found.scores.values[:, :, m] for m, name in enumerate(found.scores.measures)}
    x, y = (np.round(values[str(measure)], 4) for measure in found.single["AP"].values())
    cam, mm, chebyshev = (toma_module._as_printed(found, "AP", name) for name in ("CAM", "MM", "CHEB"))
    np.testing.assert_array_equal(cam, np.round((x + y) / 2, 4))
    np.testing.assert_array_equal(mm, np.round(2 / (1 / x + 1 / y), 4))
    np.testing.assert_array_equal(chebyshev, np.round(values[str(found.families["AP"]["CHEB"])], 4))
    # The rounding matters.
    assert (cam != np.round(values["CAM(AP)"], 4)).any()


@pytest.mark.parametrize(
    ("printed_depth", "tau", "share"),
    [
        (
            1000,
            "rankings of up to 1000 documents, and those given have at most 8",
            "and those given have at most 8",
        ),
        (8, "the τ of the names of the runs, and ours is", "points away, which 200 resamples do not explain"),
    ],
)
@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_reasons_of_table_4_come_from_the_data(
    monkeypatch: pytest.MonkeyPatch, printed_depth: int, tau: str, share: str
) -> None:
    judged, runs = _two_aspects(6, 12)
    data = Printed("a track", judged.topics, 6, depth=printed_depth, is_public=True)
    pairs, powers = (
        dict.fromkeys(toma_module.PAIRS, (-0.99, -0.99)),
        dict.fromkeys(APPROACHES, (200.0, 200.0)),
    )
    monkeypatch.setattr(toma_module, "TABLE_4", (toma_module.Column(data, pairs, powers),))
    found = toma(judged, runs, ["nDCG"], resamples=200)
    said = found.part("Table 4, correlation, nDCG").columns["outcome"]
    assert all(tau in words for words in said[: len(pairs)])
    assert all(share in words for words in found.part("Table 4, discriminative power").columns["outcome"])
    said = found.part("Table 5").columns["outcome"]
    assert set(said) == {"the printed numbers are sums over ten tracks, and these are a track alone"}
    assert "public" not in str(found)


def test_a_power_that_other_resamples_may_give_is_said_to_be_random() -> None:
    """Of eight pairs, three are within two standard errors of .01, which are .0063 with 1,000 resamples."""
    asl = np.array([0.001, 0.002, 0.005, 0.009, 0.012, 0.02, 0.5, 0.9])
    found = Power(50.0, np.nan, np.nan, 0.1, asl)
    about = {"alpha": 0.01, "resamples": 1000}
    reason = "the bootstrap is random: 3 of 8 pairs are too near to the level for 1000 resamples"
    assert toma_module._why_power(found, 62.5, about) == reason
    assert toma_module._why_power(found, 25.0, about) == reason
    far = "it is 25.00 points away, which 1000 resamples do not explain"
    assert toma_module._why_power(found, 75.0, about) == far


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_table_4_of_misinformation_2020_is_near_at_full_depth(collections: Path) -> None:
    """It takes 4 seconds, for 51 runs, most of which have 1,000 documents for each topic."""
    folder = collections / "trec-health-misinfo-2020"
    found = toma(folder / "misinfo.toml", folder / "runs-full.parquet", order="trec_eval-9")
    for measure, gap in (("nDCG", 0.0133), ("AP", 0.0144)):
        taus = _rows(found, f"Table 4, correlation, {measure}")
        assert max(abs(row["τ of names"] - row["printed"]) for row in taus.values()) < gap
        powers = _rows(found, f"Table 4, discriminative power, {measure}")
        assert max(abs(row["unjudged topics as 0"] - row["printed"]) for row in powers.values()) < 0.5
        assert "public" not in "".join(row["outcome"] for row in (*taus.values(), *powers.values()))
    # .4983 unless the scores of aspects are rounded first, and .51 is printed
    assert round(taus["EUCL - CAM"]["τ of names"], 4) == 0.5036


def test_the_command_reproduces_toma_for_a_collection(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("q 0 x 1\nq 0 y 1\nr 0 y 1\nr 0 z 0\n")
    (tmp_path / "b").write_text("q 0 x 1\nq 0 y 0\nr 0 y 1\nr 0 z 1\n")
    for name, run in TWO_RUNS.items():
        (tmp_path / f"{name}.run").write_text(
            "".join(f"{t} Q0 {d} 0 {s} {name}\n" for t, docs in run.items() for d, s in docs.items())
        )
    pairs = [f"{a}={tmp_path / a}" for a in "ab"]
    files = [tmp_path / "good.run", tmp_path / "bad.run"]
    found = cli("reproduce", "toma", *pairs, *files, "--resamples", 100)
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("───") >= 4
    assert "EUCL - CAM" in found.stdout
    assert (
        '"resamples": 100'
        in cli("reproduce", "toma", *pairs, *files, "--resamples", 100, "--format", "json").stdout
    )


def test_table_1_and_table_3_are_reproduced_but_for_mm() -> None:
    """Of the 30 printed MM, 6 are 0 and right, 22 are half of Equation 6, and 2 follow from nothing."""
    assert set(toma_module._table_1().columns["outcome"]) == {"reproduced"}
    said = [s for measure in ("AP", "NDCG") for s in toma_module._table_3(measure).columns["outcome"]]
    half, none = "MM differs because the printed MM is half of Equation 6", "MM differs because no definition"
    assert len(said) == 30
    assert [said.count("reproduced"), said.count(half)] == [6, 22]
    assert [i for i, s in enumerate(said) if s.startswith(none)] == [6, 7]  # AP of (d1, d2) and (d1, d3)


def test_the_sample_with_two_aspects() -> None:
    judged = sample_aspects()
    found = labels(judged)
    assert found.judged == 1277
    assert found.documents == (768, 283, 154, 72, 1236, 41)  # as docs/multi-aspect.md counts them with awk


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_figure_2_comes_out_of_the_judgments_of_decision_2019(collections: Path) -> None:
    folder = collections / "trec-decision-2019"
    both: dict[str, Any] = {"given": "relevance"}
    answers = {"answers": folder / "2019topics_efficacy.txt", "means": {"-1": 1, "0": 2, "1": 3}}
    aspects = {
        "relevance": None,
        "correctness": {"column": "efficacy", **answers, **both},
        "credibility": both,
    }
    judged = read_judgments(folder / "qrels_raw.gz", aspects=aspects)
    table = toma_module._figure_2(attainable(judged, ["CAM(nDCG)"], exact=0), judged)
    assert table.columns["topics at 1 (%)"] == [2]
    assert table.columns["below .9 (%)"] == [26]
    assert table.columns["outcome"] == ["reproduced"]


# ── Chandar and Carterette 2013 ──────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def found_preferences() -> Reproduction:
    return preferences(sample.QRELS, RUNS, documents=15, triplets=[20, 50], repetitions=2)


@pytest.mark.parametrize(
    ("lacking", "drawn", "outcome_"),
    [
        (
            "needs data that is not public: X",
            True,
            "needs data that is not public: X, and the authors' profiles",
        ),
        ("needs data that is not public: X", False, "needs data that is not public: X"),
        (None, True, "differs because these profiles were drawn, and are not the authors'"),
        (None, False, None),
    ],
)
def test_what_profiles_need_depends_on_the_runs_and_on_whether_they_were_given(
    lacking: str | None, drawn: bool, outcome_: str | None
) -> None:
    assert preferences_module._of_profiles(lacking, drawn) == outcome_


def test_data_that_is_given_is_not_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample in the place of the collections of the papers: the same topics, runs and highest grade."""
    judged = read_judgments(sample.QRELS)
    same = Printed("a collection", judged.topics, len(RUNS), is_public=False)
    monkeypatch.setattr(preferences_module, "WEB", same)
    monkeypatch.setattr(dsharp_module, "GRADED", same)
    found = preferences(judged, RUNS, documents=10, triplets=[20], repetitions=2)
    for text in (str(found), str(dsharp(judged, RUNS, resamples=100).part("Table 6, printed"))):
        assert "not public" not in text
        assert "participants" not in text


def test_table_2_of_preferences_differs_as_it_is_described(found_preferences: Reproduction) -> None:
    """The scores of List 1 are those of the slow enumeration that the definitions were checked with:
    .8722 with RBP and θ = .2 if one document satisfies a user, and 1 as Section 4.2 describes it."""
    rows = _rows(found_preferences, "Table 2")
    assert rows["α-nDCG@3"]["outcome"] == "reproduced"
    for combine in ("mean", "min"):
        stated = rows[f"nPrf@3, {combine}, as described, ties half"]
        assert stated["List 1"] == pytest.approx(1)
        assert stated["outcome"].startswith("differs because half a win is what a coin gives to U on average")
        coins = rows[f"nPrf@3, {combine}, as described, coins, mean of draws"]
        assert coins["List 1"] == pytest.approx(0.81, abs=0.015)
        share = re.search(r"List 1 rounds to 0.9 in (\d+)% of 1000 draws", coins["outcome"])
        assert share is not None
        assert 25 <= int(share[1]) <= 32  # 28 % with a standard error of 1.4
        ours = rows[f"nPrf@3, {combine}, one document satisfies a user, our reading"]
        assert (round(ours["List 1"], 4), ours["List 2"]) == (0.8722, pytest.approx(1))
        assert ours["outcome"] == "reproduced"


def test_figures_of_preferences_are_those_of_the_experiments(found_preferences: Reproduction) -> None:
    alone = measure_correlation(sample.QRELS, RUNS, documents=15)
    rows = _rows(found_preferences, "Figure 3")
    assert len(rows) == len(alone.forms) == 12
    for form in alone.forms:
        cell = rows[f"{form['browsing']}, {form['combine']}"]["alpha_nDCG@20"]
        assert cell.value == alone.tau(str(form), "alpha_nDCG@20")[0]
    # Table 3 has the three pairs of measures of subtopics, Figure 4 a row for each profile.
    assert found_preferences.part("Table 3").columns["printed"] == [0.893, 0.828, 0.739]
    assert found_preferences.part("Figure 4").columns["printed"] == [0.83, 0.88, 0.82]
    figure_6 = found_preferences.part("Figure 6").columns
    assert len(figure_6["triplets"]) == 3 * 2
    assert {"τ_b, all profiles", "τ_b, one assessor (TREC profile)"} < set(figure_6)
    assert set(found_preferences.figures) == {"Figure 2", "Figure 3", "Figures 4 and 5", "Figure 6"}


def test_theta_ties_and_pool_reach_every_figure_of_preferences() -> None:
    some: Any = {"documents": 10, "pool": "relevant", "ties": "drawn", "triplets": [5], "repetitions": 1}
    found = preferences(sample.QRELS, RUNS, theta=0.5, **some)
    assert "nPrf(theta=0.5)@20" in found.part("Figure 2").columns
    for name in ("Figure 4", "Figure 5"):
        assert all("nPrf(theta=0.5)@20" in row for row in found.part(name).columns[name])
    for name in ("Figure 3", "Figures 4 and 5", "Figure 6"):
        about = found.figures[name].about
        assert (about["ties"], about["pool"]) == ("drawn", "relevant")
        assert "10 relevant documents" in found.figures[name].note
        assert found.figures[name].note.endswith("ties drawn.")


def test_the_command_reproduces_preferences(cli: Cli, tmp_path: Path) -> None:
    some = ["--documents", 10, "--triplets", "5,10", "--repetitions", 2]
    done = cli("reproduce", "preferences", sample.QRELS, *RUNS, *some, "-o", tmp_path / "found.csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO((tmp_path / "found.csv").read_text())))
    assert {row["table"] for row in rows} == {"Table 2", "Table 3", *(f"Figure {i}" for i in range(2, 7))}
    wrong = cli("reproduce", "preferences", "--triplets", "5,x")
    assert wrong.returncode == 2
    assert "--triplets takes whole numbers above 0" in wrong.stderr
