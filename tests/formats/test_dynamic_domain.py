"""The measures of TREC Dynamic Domain, held against what the track's own programs print.

The figures come from two programs, which were run on the rankings below and on runs of TREC Web 2012:

- 2015: trec-dd/trec-dd-simulation-harness at 2b188a5b348d9bfdca45557cd012a7d4644cc34e. `bin/cubeTest.pl` has
  CT and ACT, and `trec_dd/scorer` the others.
- 2016: trec-dd/trec-dd-jig at f279c6fea28e402beabd1863fdaabdab4466908f. `scorer/cubetest.py` has CT, ACT and
  nCT, and `scorer/precision.py` the precision that was first called precision at recall.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import rankprism
from rankprism import Measure, parse

#: The measures in the order of the figures below.
MEASURES = (
    *("P_at_recall", "P_at_recall(form='share-new')", "P_at_recall(form='trec-dd-2016')", "RR_at_recall"),
    *("Reached(ERR)", "Reached(ERR,mean='harmonic')"),
    *("CT(form='trec-dd-2015')", "ACT(form='trec-dd-2015')", "CT(form='trec-dd-2016')", "ACT", "nCT"),
)
#: Rankings, which have the grades of each document on every subtopic; documents that were not retrieved; and
#: what the programs print after three rounds of five documents. Grades above 4 are sums over passages.
#: ERR does not allow them.
TOPICS = {
    "DD-1": (
        "44 04 04 04 24 00 30 03 43 20 00 00 00 00 00",
        "11 00 11",
        "1 1 0.6 1 0.957052127 0.956925108 1.188802083 2.053168403 0.237760417 0.370503472 0.71328125",
    ),
    "DD-2": (
        "04 00 00 02 00 04 00 30 20 00 14 00 24 44 00",
        "04 41 11",
        "0.5 0.25 0.533333333 0.125 0.523572473 0.178461109 0.96875 1.15625 0.19375 0.203888889 0.58125",
    ),
    "DD-3": (
        "000 000 000 101 000 000 023 111 000 330",
        "140 440 111",
        "0.285714286 0.214285714 0.4 0.142857143 0.068732852 0.068029761 "
        "0.458333333 0.493055556 0.1375 0.062083333 0.445945946",
    ),
    "DD-4": (
        "330 000 000 000 000 000 000",
        "140 440 111",
        "0.142857143 0.142857143 0.142857143 0.142857143 0.4375 0.4375 "
        "0.333333333 0.611111111 0.1 0.171428571 0.409090909",
    ),
    "DD-5": (
        "304 000 130 130 341",
        "440 404 111",
        "0.666666667 0.5 0.8 0.333333333 0.568560452 0.440355007 "
        "0.784722222 1.438657407 0.470833333 0.339166667 1.4125",
    ),
    "DD-6": (
        "104 000 000",
        "414 141 111",
        "0.333333333 0.333333333 0.333333333 0.333333333 0.5 0.1171875 "
        "0.277777778 0.509259259 0.166666667 0.166666667 0.512820513",
    ),
    "DD-7": (
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
        "14 11 11",
        "0 0 0 0.066666667 0 0 0 0 0 0 0",
    ),
    "DD-8": (
        "000 000 000 310 000 000 020 001 030 000 000 000",
        "014 101 111",
        "0.375 0.25 0.333333333 0.125 0.064984034 0.01999971 0.375 0.534722222 0.075 0.074305556 0.258373206",
    ),
    "DD-9": (
        "1333 0000 0000 0121 2001 2119 0000 9902 0002 0109 3030 0000 0000 0000 0000",
        "0140 0101 1111",
        "1 1 0.533333333 1 - - 0.774088542 1.185438368 0.154817708 0.213962674 0.464453125",
    ),
    "DD-10": (
        "0000 0000 0000 0001 0000 9393 9093 0000",
        "4101 0110 1111",
        "0.333333333 0.291666667 0.375 0.166666667 - - 1.385416667 1.196180556 0.328125 0.125 1.046511628",
    ),
}
#: Means over the topics that a run has, after four rounds. Runs are ordered by score, and ties by id.
WEB_2012 = {
    "desa": "0.413894876 0.19531601 0.27802596 0.148185687 0.226633038 0.140899426 "
    "0.303814401 0.50816573 0.060929547 0.088310049 0.25759081",
    "indri-ql-cata-filtered": "0.36812094 0.155198187 0.187861374 0.105058087 0.135683459 0.06624571 "
    "0.2737642 0.4062467 0.056336173 0.068433648 0.239584511",
    "indri-rm-catb": "0.30194549 0.136765056 0.05398 0.091865729 0.135119483 0.065448013 "
    "0.280315815 0.415774109 0.056063163 0.068210442 0.237642339",
    "lemur-cwindri": "0.410499395 0.175473667 0.37908921 0.121093333 0.141104664 0.077819552 "
    "0.325122782 0.456189102 0.065024556 0.075222368 0.275463065",
    "ppg": "0.345697012 0.172167253 0.292857143 0.129674385 0.162173841 0.116673981 "
    "0.302226649 0.435237305 0.06044533 0.07223698 0.255822833",
}


def at(depth: int) -> list[Measure]:
    """The measures, with this cutoff if they have one."""
    every = [parse(measure) for measure in MEASURES]
    return [measure(cutoff=depth) if measure.name in ("CT", "ACT", "nCT") else measure for measure in every]


def expected(depth: int, figures: str) -> dict[str, float]:
    """The figures by measure. The program of 2015 does not divide the cube test by its height."""
    found = {}
    for measure, figure in zip(map(str, at(depth)), figures.split(), strict=True):
        if figure != "-":
            cube = measure.startswith(("CT(form='trec-dd-2015'", "ACT(form='trec-dd-2015'"))
            found[measure] = float(figure) / (5 if cube else 1)
    return found


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")  # DD-7 finds nothing
@pytest.mark.parametrize("topic", TOPICS)
def test_scores_are_what_the_programs_of_the_track_print(topic: str) -> None:
    ranked, others, figures = TOPICS[topic]
    docs = dict(enumerate([*ranked.split(), *others.split()]))
    judged = {
        str(aspect): {str(doc): int(grades[aspect]) for doc, grades in docs.items() if grades[aspect] != "0"}
        for aspect in range(len(docs[0]))
    }
    run = {topic: {str(doc): -doc for doc in range(len(ranked.split()))}}
    printed = expected(15, figures)
    found = rankprism.evaluate({topic: judged}, run, list(printed)).mean()["run"]
    assert found == pytest.approx(printed, rel=0, abs=1e-9)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_means_on_web_2012_are_what_the_programs_of_the_track_print(collections: Path) -> None:
    folder = collections / "trec-web-2012"
    runs = [folder / "runs" / f"{name}.run.gz" for name in WEB_2012]
    found = rankprism.evaluate(folder / "qrels-for-ndeval.txt.gz", runs, at(20), topics="retrieved").mean()
    for name, figures in WEB_2012.items():
        assert found[name] == pytest.approx(expected(20, figures), rel=0, abs=1e-9), name


def test_rounds_after_the_end_of_a_short_ranking_count_in_2015_only() -> None:
    # The gain is γ · 4 / 5 = .4 in round 1 of 1. In 2015, it is divided by the four rounds up to the cutoff,
    # and the mean over them is .4 (1 + 1/2 + 1/3 + 1/4) / 4.
    measures = [f"{name}(form='trec-dd-{year}')@20" for name in ("CT", "ACT") for year in (2015, 2016)]
    found = rankprism.evaluate({"q": {"s": {"a": 4}}}, {"q": {"a": 1}}, measures).mean()["run"]
    assert list(found.values()) == pytest.approx([0.1, 0.4, 0.4 * 25 / 12 / 4, 0.4])


def test_a_cutoff_far_below_every_ranking_does_no_harm() -> None:
    found = rankprism.evaluate({"q": {"a": 4}}, {"q": {"a": 1}}, "ACT(form='trec-dd-2015')@10000000")
    assert found.mean()["run"]["ACT(form='trec-dd-2015')@10000000"] == pytest.approx(0.4 * 15.0858736 / 2e6)


def test_another_aspect_that_is_reached_late_lowers_a_mean_over_the_aspects_reached() -> None:
    # RR is 1 on s; with b at rank 4, RR is 1/4 on t, so the means are 5/8 and 2 / (1 + 4).
    judged = {"q": {"s": {"a": 1}, "t": {"b": 1}}}
    for ranking, expected in (("axyz", (1, 1)), ("axyb", (5 / 8, 2 / 5))):
        run = {"q": {doc: -rank for rank, doc in enumerate(ranking)}}
        found = rankprism.evaluate(judged, run, ["Reached(RR)", "Reached(RR,mean='harmonic')"]).mean()["run"]
        assert tuple(found.values()) == pytest.approx(expected)
