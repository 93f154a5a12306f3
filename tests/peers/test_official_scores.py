"""Official programs on official collections: every score comes out at the precision it is printed with."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

import rankprism
from rankprism.types import Duplicates, Order
from tests.support.files import lines_of, rows_of

# Official runs lack topics, have others or contradict their ranks, which is noted.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

#: The judgments with which ndeval and NTCIREVAL were run.
DIVERSITY = {
    "2009": "qrels.diversity.gz",
    "2012": "qrels-for-ndeval.txt.gz",
    "2014": "qrels.ndeval.txt.gz",
}
#: ndeval's names and ours
NDEVAL = {
    "ERR-IA": "ERR_IA",
    "nERR-IA": "nERR_IA",
    "alpha-DCG": "alpha_DCG",
    "alpha-nDCG": "alpha_nDCG",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "MAP-IA": "AP_IA",
    "P-IA": "P_IA",
    "strec": "StRecall",
}


def data_lines(path: Path) -> list[list[str]]:
    return [line.split() for line in lines_of(path) if line.strip()]


@pytest.mark.parametrize(("sort", "order"), [("rank", "rank"), ("traditional", "score")])
@pytest.mark.parametrize("year", DIVERSITY)
def test_every_score_and_mean_of_ndeval(collections: Path, year: str, sort: str, order: Order) -> None:
    # Official ndeval (TREC 2012 version), α = β = 0.5, six decimals; means are over the topics of both files.
    folder = collections / f"trec-web-{year}"
    expected = [row for row in rows_of(folder / "expected" / "ndeval.csv.gz") if row["sort"] == sort]
    theirs = list(expected[0])[3:]
    assert len(theirs) == 21
    ours = [NDEVAL[name.partition("@")[0]] + "".join(name.partition("@")[1:]) for name in theirs]
    paths = sorted((folder / "runs").iterdir())
    scores = rankprism.evaluate(folder / DIVERSITY[year], paths, ours, order=order, topics="retrieved")
    per_topic, means = scores.per_topic(), scores.mean()

    assert {row["file"] for row in expected} == set(scores.runs)
    assert {(row["file"], row["topic"]) for row in expected if row["topic"] != "amean"} == {
        (run, topic) for run in per_topic for topic in per_topic[run]
    }
    for row in expected:
        found = means[row["file"]] if row["topic"] == "amean" else per_topic[row["file"]][row["topic"]]
        printed = {ours[i]: float(row[name]) for i, name in enumerate(theirs)}
        assert found == pytest.approx(printed, rel=0, abs=5.1e-7), (row["file"], row["topic"])


@pytest.mark.parametrize(
    ("year", "judgments", "ndcg", "err"),
    [
        ("2009", "prels.1-50.gz", "nDCG(dcg='exp-log2')@10", "ERR(max_rel=2)@10"),
        ("2012", "qrels.adhoc.txt.gz", "nDCG(dcg='exp-log2')@20", "ERR@20"),
        ("2014", "qrels.adhoc.txt.gz", "nDCG(dcg='exp-log2')@20", "ERR@20"),
    ],
)
def test_every_score_and_mean_of_gdeval(
    collections: Path, year: str, judgments: str, ndcg: str, err: str
) -> None:
    # gdeval.pl, five decimals, documents by score.
    folder = collections / f"trec-web-{year}"
    path = folder / "runs" / "lemur-cwindri.run.gz"
    scores = rankprism.evaluate(folder / judgments, path, [ndcg, err], topics="retrieved")
    found = scores.per_topic()["lemur-cwindri"]
    expected = {row["topic"]: row for row in rows_of(folder / "expected" / "lemur-cwindri.gdeval.csv")}
    mean = expected.pop("amean")
    columns = [name for name in mean if name.startswith(("ndcg", "err"))]

    # gdeval prints, and averages over, the retrieved topics that have a relevant document: all of 2012 and of
    # 2014's 47, but in 2009 not topic 20, where we score 0.
    without = set(scores.conventions["topics without relevant documents"])
    assert without == ({"20"} if year == "2009" else set())
    assert expected.keys() == found.keys() - without
    for topic, row in expected.items():
        assert [found[topic][ndcg], found[topic][err]] == pytest.approx(
            [float(row[column]) for column in columns], rel=0, abs=5.1e-6
        ), topic
    ours = [sum(found[topic][measure] for topic in expected) / len(expected) for measure in (ndcg, err)]
    assert ours == pytest.approx([float(mean[column]) for column in columns], rel=0, abs=5.1e-6)


@pytest.mark.parametrize("year", DIVERSITY)
def test_subtopic_recall_is_ntcirevals_intent_recall(collections: Path, year: str) -> None:
    # NTCIREVAL 230128, four decimals, documents by rank.
    folder = collections / f"trec-web-{year}"
    expected = [
        r for r in rows_of(folder / "expected" / "ntcireval-D.csv.gz") if r["measure"].startswith("I-rec")
    ]
    paths = sorted((folder / "runs").iterdir())
    measures = ["StRecall@10", "StRecall@20"]
    found = rankprism.evaluate(
        folder / DIVERSITY[year], paths, measures, order="rank", topics="retrieved"
    ).per_topic()
    assert len(expected) == 2 * sum(len(topics) for topics in found.values())
    for row in expected:
        score = found[row["file"]][row["topic"]][row["measure"].replace("I-rec", "StRecall")]
        assert score == pytest.approx(float(row["value"]), rel=0, abs=5.1e-5), row


def test_trec_2009_has_the_counts_that_sakai_and_song_print(collections: Path) -> None:
    # SIGIR 2011, Table 1(a) and section 5.2: 50 topics, 199 intents, at most 6 a topic; 4,942 relevant
    # documents, 6,499 judgments of relevance; 3622, 1113, 178, 28, 1 documents with 1..5 intents.
    judgments = rankprism.read_judgments(collections / "trec-web-2009" / "qrels.diversity.gz")
    frame = judgments.to_frame("pandas")
    relevant = frame[frame["grade"] > 0]
    assert len(frame) == 27964  # lines of the file
    assert relevant["topic"].nunique() == 50
    intents = Counter(topic for topic, _ in set(zip(relevant["topic"], relevant["aspect"], strict=True)))
    assert sum(intents.values()) == 199
    assert max(intents.values()) == 6
    assert len(relevant) == 6499
    documents = Counter(zip(relevant["topic"], relevant["doc"], strict=True))
    assert len(documents) == 4942
    assert Counter(documents.values()) == {1: 3622, 2: 1113, 3: 178, 4: 28, 5: 1}


def test_sakai_and_song_case_g(collections: Path) -> None:
    # SIGIR 2011, Table 6, Case G is topic 20, α = 0.5, cutoff 10: THUIR09FuClu has a document on intent 5 at
    # rank 2 and one on intent 2 at rank 3, MSRABASE only one on intent 3 at rank 2. Printed: Δ α-nDCG .150.
    judgments = rankprism.read_judgments(collections / "trec-web-2009" / "qrels.diversity.gz")
    frame = judgments.to_frame("pandas")
    relevant = frame[(frame["topic"] == "20") & (frame["grade"] > 0)]
    intents = relevant.groupby("doc")["aspect"].agg(tuple)

    def only_on(intent: str) -> str:
        return str(intents[intents == (intent,)].index[0])

    runs = {
        "THUIR09FuClu": {"20": {"unjudged": 3.0, only_on("5"): 2.0, only_on("2"): 1.0}},
        "MSRABASE": {"20": {"unjudged": 2.0, only_on("3"): 1.0}},
    }
    scores = rankprism.evaluate(judgments, runs, "alpha_nDCG@10", topics="retrieved").mean()
    first, second = (row["alpha_nDCG@10"] for row in scores.values())
    # The sums are 1/log2(3) + 1/log2(4) and 1/log2(3), over the greedy ideal's 3.3261929001746986, which an
    # independent program computed from the public judgments.
    assert (first, second) == pytest.approx((0.3400072658179442, 0.18968525654008817), rel=1e-12)
    assert round(first - second, 3) == 0.150


#: Judgments of the form `topic x doc grade`, or prels, by collection.
JUDGMENTS = {
    "trec-web-2009": ("prels.1-50.gz", "prels.catB.1-50.gz", "qrels.diversity.gz"),
    "trec-web-2012": ("qrels-for-ndeval.txt.gz", "qrels.adhoc.txt.gz", "qrels.diversity.txt.gz"),
    "trec-web-2014": ("qrels.adhoc.txt.gz", "qrels.all.txt.gz", "qrels.ndeval.txt.gz"),
    "clef-ehealth-2018": (
        "CLEF2018_qread_20180914.txt.gz",
        "CLEF2018_qrel_20180914.txt.gz",
        "CLEF2018_qtrust_20180914.txt.gz",
    ),
    "trec-health-misinfo-2020": ("derived-qrels/misinfo-qrels-*.gz",),
    "trec-health-misinfo-2021": ("derived-qrels/misinfo-qrels-*.gz",),
    "trec-health-misinfo-2022": ("derived-qrels/misinfo-qrels.*.gz",),
    "touche-2022-task2": ("touche-task2-2022-quality.qrels", "touche-task2-2022-relevance.qrels"),
    "ntcir-13-www": ("wwwE.trec.qrels.gz",),
}


@pytest.mark.parametrize("collection", JUDGMENTS)
def test_official_judgments_are_read_line_by_line(collections: Path, collection: str) -> None:
    paths = [
        path for pattern in JUDGMENTS[collection] for path in sorted((collections / collection).glob(pattern))
    ]
    assert len(paths) >= len(JUDGMENTS[collection])
    for path in paths:
        judgments = rankprism.read_judgments(path)
        if path.name.startswith("prels"):  # topic doc grade method probability
            expected = {(line[0], "0", line[1], float(line[2])) for line in data_lines(path)}
        else:
            expected = {(line[0], line[1], line[2], float(line[3])) for line in data_lines(path)}
        topic, aspect, doc, grade = judgments.table.columns()
        assert set(zip(topic, aspect, doc, map(float, grade), strict=True)) == expected, path
        assert len(judgments) == len(expected), path


#: Collections whose README says that runs repeat documents.
WITH_DUPLICATES = {"clef-ehealth-2018"}


@pytest.mark.parametrize("collection", JUDGMENTS)
def test_official_runs_are_read_and_scored(collections: Path, collection: str) -> None:
    folder = collections / collection
    judgments = next(path for pattern in JUDGMENTS[collection] for path in sorted(folder.glob(pattern)))
    paths = sorted(folder.glob("runs*/*"))
    assert paths
    for path in paths:
        assert len(rankprism.read_run(path)) == len(data_lines(path)), path
    duplicates: Duplicates = "first" if collection in WITH_DUPLICATES else "error"
    by_folder = {f"{path.parent.name}/{path.name}": path for path in paths}
    scores = rankprism.evaluate(judgments, by_folder, ["alpha_nDCG@20", "AP"], duplicates=duplicates)
    assert scores.values.shape == (len(paths), len(scores.topics), 2)
    assert (scores.values >= 0).all()
    if collection in WITH_DUPLICATES:
        with pytest.raises(rankprism.InputError, match="occurs twice"):
            rankprism.evaluate(judgments, by_folder, "AP")


def test_all_official_files_are_read_in_seconds(collections: Path) -> None:
    # It takes a second or so; the bound only catches a reader gone wrong.
    start = time.perf_counter()
    for collection, patterns in JUDGMENTS.items():
        for pattern in patterns:
            for path in (collections / collection).glob(pattern):
                rankprism.read_judgments(path)
        for path in (collections / collection).glob("runs*/*"):
            rankprism.read_run(path)
    assert time.perf_counter() - start < 30
