"""Official programs on official collections: NTCIREVAL, RBU's own, and the data of TREC Dynamic Domain."""

from __future__ import annotations

import dataclasses
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rankprism
from rankprism.measures import lookup
from rankprism.types import JudgmentsLike
from tests.support import oracles
from tests.support.files import lines_of, rows_of

# Official runs lack topics, have others or contradict their ranks, which is noted.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

#: The judgments with which NTCIREVAL was run.
DIVERSITY = {
    "2009": "qrels.diversity.gz",
    "2012": "qrels-for-ndeval.txt.gz",
    "2014": "qrels.ndeval.txt.gz",
}
#: NTCIREVAL's names and ours. What it calls D-nDCG is left out: that has another discount (Järvelin and
#: Kekäläinen 2002, nothing discounted down to rank 2); D-MSnDCG has Sakai and Song's. It rounds the gains of
#: retrieved documents, and not the ideal's, to four decimals.
NTCIREVAL = {
    "I-rec": "StRecall",
    "D-MSnDCG": "D_nDCG(digits=4)",
    "D-Q": "D_Q(digits=4)",
    "D-nERR": "D_nERR(digits=4)",
    "D-EBR": "D_EBR(digits=4)",
    "D-iRBU": "D_iRBU(digits=4)",
    "D-RBP": "D_RBP(digits=4)",
    "D#-MSnDCG": "DSharp_nDCG(digits=4)",
    "D#-Q": "DSharp_Q(digits=4)",
}
#: Printed with four decimals.
FOUR_DECIMALS = 5.01e-5


def ours(theirs: str) -> str:
    name, _, cutoff = theirs.partition("@")
    return f"{NTCIREVAL[name]}@{cutoff}"


@pytest.mark.parametrize("year", DIVERSITY)
def test_every_d_score_of_ntcireval(collections: Path, year: str) -> None:
    # NTCIREVAL 230128, gains 2^g - 1, γ = 0.5, uniform intent probabilities, documents by rank.
    folder = collections / f"trec-web-{year}"
    printed = rows_of(folder / "expected" / "ntcireval-D.csv.gz")
    expected = [row for row in printed if not row["measure"].startswith("D-nDCG")]
    measures = list(dict.fromkeys(ours(row["measure"]) for row in expected))
    assert len(measures) == 2 * len(NTCIREVAL)
    paths = sorted((folder / "runs").iterdir())
    found = rankprism.evaluate(folder / DIVERSITY[year], paths, measures, order="rank", topics="retrieved")
    per_topic = found.per_topic()
    assert len(expected) == len(measures) * sum(map(len, per_topic.values()))
    scores = [per_topic[row["file"]][row["topic"]][ours(row["measure"])] for row in expected]
    differences = abs(np.array(scores) - np.array([float(row["value"]) for row in expected]))
    worst = int(differences.argmax())
    assert differences[worst] < FOUR_DECIMALS, (expected[worst], scores[worst])


def test_gains_rounded_as_ntcireval_does_make_the_last_decimal_of_d_nerr(collections: Path) -> None:
    # With gains as they are, some scores of 2009 differ in the fourth decimal: that is what digits=4 is for.
    folder = collections / "trec-web-2009"
    printed = rows_of(folder / "expected" / "ntcireval-D.csv.gz")
    expected = [row for row in printed if row["measure"].startswith("D-nERR")]
    measures = ["D_nERR@10", "D_nERR@20"]
    paths = sorted((folder / "runs").iterdir())
    found = rankprism.evaluate(folder / DIVERSITY["2009"], paths, measures, order="rank").per_topic()
    different = [
        row
        for row in expected
        if abs(found[row["file"]][row["topic"]][row["measure"].replace("-", "_")] - float(row["value"]))
        > FOUR_DECIMALS
    ]
    assert (len(different), len(expected)) == (60, 898)


@pytest.mark.parametrize("year", DIVERSITY)
def test_every_rbu_score_of_the_authors_program(collections: Path, year: str) -> None:
    # Amigó et al.'s program, p = 0.8, e = 0.03, whole rankings by rank; a topic that a run lacks scores 0.
    folder = collections / f"trec-web-{year}"
    expected = rows_of(folder / "expected" / "rbu-p0.8-e0.03.csv.gz")
    source: JudgmentsLike = folder / DIVERSITY[year]
    weights = None
    if year == "2014":  # "topic" "doc" "grade" "aspect" "weight", with quotes and tabs
        lines = [
            [x.strip('"') for x in line.split("\t")]
            for line in lines_of(folder / "qrels.all_EvALL_FORMAT.txt.gz")
        ]
        source = [(topic, aspect, doc, float(grade)) for topic, doc, grade, aspect, _ in lines]
        weights = list({(topic, aspect, float(weight)) for topic, _, _, aspect, weight in lines})
    paths = sorted((folder / "runs").iterdir())
    scores = rankprism.evaluate(source, paths, "RBU(p=0.8,e=0.03)", weights=weights, order="rank")
    found = {
        (run, topic): row["RBU"] for run, rows in scores.per_topic().items() for topic, row in rows.items()
    }
    assert {(row["file"], row["topic"]) for row in expected} == found.keys()
    for row in expected:
        assert found[row["file"], row["topic"]] == pytest.approx(
            float(row["RBU"]), rel=0, abs=FOUR_DECIMALS
        ), row


# NTCIREVAL's documented example: topic 0001 of its diversity sample, cutoff 10


def documented(path: Path) -> dict[str, float]:
    """``{measure: score}`` of a file of lines such as ``0001 D#-Q@0010=  0.3965``"""
    rows = [line.split() for line in lines_of(path) if "=" in line and "#" not in line.split()[1][:1]]
    return {name.rstrip("="): float(value) for _, name, value in rows}


@pytest.fixture(scope="module")
def sample_topic(collections: Path) -> rankprism.Scores:
    """Topic 0001 with its intents' probabilities and types: 1 and 2 navigational, 3 informational."""
    folder = collections / "ntcireval-diversity-sample"
    # In topic 0002 there are intents with a probability and without a judged document, which we would refuse.
    lines = [line.split() for line in lines_of(folder / "Dtest.Dqrels") if line.startswith("0001 ")]
    judged = [(t, intent, doc, float(level.removeprefix("L"))) for t, intent, doc, level in lines]
    types = [line.split() for line in lines_of(folder / "Dtest.DINprob") if line.startswith("0001 ")]
    weights = [(t, intent, float(probability)) for t, intent, probability, _ in types]
    judgments = rankprism.read_judgments(judged, weights=weights)
    navigational = {(t, intent) for t, intent, _, kind in types if kind == "nav"}
    judgments = dataclasses.replace(
        judgments,
        navigational=np.array(
            [(t, a) in navigational for t in judgments.topics for a in judgments.aspects[t]]
        ),
    )
    measures = [f"{measure}@10" for measure in NTCIREVAL.values()]
    measures += ["D_Q(beta=0,digits=4)@10", "D_Q(beta=0,digits=4,gain='binary')@10", "RR@10", "P@10"]
    measures += ["DIN_nDCG(digits=4)@10", "DINSharp_nDCG(digits=4)@10"]
    return rankprism.evaluate(judgments, folder / "TRECRUN", measures, order="rank")


def test_documented_d_scores_of_ntcireval(collections: Path, sample_topic: rankprism.Scores) -> None:
    expected = documented(
        collections / "ntcireval-diversity-sample" / "expected" / "TRECRUN.l10.Dnev.0001.txt"
    )
    found = sample_topic.per_topic()["TRECRUN"]["0001"]
    pairs = {
        "I-rec@0010": "StRecall@10",
        "MSnDCG@0010": "D_nDCG(digits=4)@10",
        "Q@0010": "D_Q(digits=4)@10",
        "AP@0010": "D_Q(beta=0,digits=4)@10",
        "nERR@0010": "D_nERR(digits=4)@10",
        "EBR@0010": "D_EBR(digits=4)@10",
        "iRBU@0010": "D_iRBU(digits=4)@10",
        "RBP@0010": "D_RBP(digits=4)@10",
        "D#-MSnDCG@0010": "DSharp_nDCG(digits=4)@10",
        "D#-Q@0010": "DSharp_Q(digits=4)@10",
        "RR": "RR@10",
        "P@0010": "P@10",
    }
    for theirs, measure in pairs.items():
        assert found[measure] == pytest.approx(expected[theirs], rel=0, abs=FOUR_DECIMALS), theirs


def test_documented_din_scores_of_ntcireval(collections: Path, sample_topic: rankprism.Scores) -> None:
    folder = collections / "ntcireval-diversity-sample" / "expected"
    expected = documented(folder / "TRECRUN.l10.DINnev.0001.txt")
    found = sample_topic.per_topic()["TRECRUN"]["0001"]
    pairs = {
        "I-rec@0010": "StRecall@10",
        "MSnDCG@0010": "DIN_nDCG(digits=4)@10",
        "DIN#-MSnDCG@0010": "DINSharp_nDCG(digits=4)@10",
    }
    for theirs, measure in pairs.items():
        assert found[measure] == pytest.approx(expected[theirs], rel=0, abs=FOUR_DECIMALS), theirs
    plain = documented(folder / "TRECRUN.l10.Dnev.0001.txt")
    assert expected["MSnDCG@0010"] < plain["MSnDCG@0010"]


# Risk, from the scores that ndeval printed


@pytest.mark.parametrize("alpha", [0, 1, 5])
def test_risk_from_what_ndeval_printed(collections: Path, alpha: int) -> None:
    # No risk-sensitive score of a public run was published. ndeval's own six decimals per topic give U_RISK
    # by its definition; TREC 2014 used α = 0 and 5.
    folder = collections / "trec-web-2012"
    rows = [row for row in rows_of(folder / "expected" / "ndeval.csv.gz") if row["sort"] == "traditional"]
    theirs: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["topic"] != "amean":
            theirs[row["file"]][row["topic"]] = float(row["alpha-nDCG@20"])
    names = ("indri-ql-catb", "desa", "lemur-cwindri", "indri-rm-cata")
    paths = [folder / "runs" / f"{name}.run.gz" for name in names]
    scores = rankprism.evaluate(folder / DIVERSITY["2012"], paths, "alpha_nDCG@20", topics="retrieved")
    for name, risk in scores.risk("indri-ql-catb", alpha).mean().items():
        expected = oracles.risk.U_RISK(theirs[name], theirs["indri-ql-catb"], alpha)
        found = risk[f"URisk(alpha_nDCG@20,alpha={alpha:g})"]
        assert found == pytest.approx(expected, rel=0, abs=(1 + alpha) * 1e-6), name


# TREC Dynamic Domain


def test_cube_tests_on_the_judgments_of_trec_dynamic_domain(collections: Path) -> None:
    # No run is public, so one is made up: half of its documents judged, in no particular order. A document's
    # passages on a subtopic count together, and one rated 0 counts as 1, as in the track's program.
    ratings: dict[str, dict[str, dict[str, float]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(float))
    )
    for line in lines_of(collections / "trec-dd-2016" / "qrels.txt.gz"):
        topic, subtopic, doc, _, rating = line.split()
        ratings[topic][subtopic][doc] += max(float(rating), 1)
    assert (len(ratings), sum(map(len, ratings.values()))) == (53, 242)
    assert sum(len(docs) for topic in ratings.values() for docs in topic.values()) == 18910
    rng = random.Random(2016)
    run = {}
    for topic, subtopics in sorted(ratings.items()):
        docs = sorted({doc for judged in subtopics.values() for doc in judged})
        chosen = rng.sample(docs, min(15, len(docs))) + [f"unjudged-{i}" for i in range(15)]
        rng.shuffle(chosen)
        run[topic] = {doc: -float(i) for i, doc in enumerate(chosen)}
    measures: dict[rankprism.Measure, Callable[..., float]] = {
        lookup("CT")(form="trec-dd-2016", cutoff=10): lambda *args: oracles.cube.CT(
            *args, form="trec-dd-2016", cutoff=10
        ),
        lookup("CT")(form="trec-dd-2016"): lambda *args: oracles.cube.CT(*args, form="trec-dd-2016"),
        lookup("nCT")(cutoff=10): lambda *args: oracles.cube.nCT(*args, cutoff=10),
        lookup("ACT")(cutoff=10): lambda *args: oracles.cube.ACT(*args, cutoff=10),
        lookup("ACT"): oracles.cube.ACT,
        lookup("P_at_recall")(form="share-new"): lambda *args: oracles.cube.P_at_recall(
            *args, form="share-new"
        ),
        lookup("MM")(measure=lookup("ERR")(gain="probability")): lambda *args: oracles.combine.MM(
            "ERR", *args, gain="probability"
        ),
    }
    found = rankprism.evaluate(ratings, run, list(measures)).per_topic()["run"]
    for topic, judged in ratings.items():
        for measure, definition in measures.items():
            defined = definition(judged, list(run[topic]))
            assert found[topic][str(measure)] == pytest.approx(defined, rel=1e-10, abs=1e-10), (
                topic,
                measure,
            )
