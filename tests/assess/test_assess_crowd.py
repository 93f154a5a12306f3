"""A crowd that judges over HTTP, and what the organiser learns from it while it works."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

import rankprism
from rankprism import sample
from rankprism.judging.assess import access, dashboard, exchange, store
from rankprism.judging.assess.settings import Settings
from rankprism.judging.preferences.rankings import read_rankings
from rankprism.judging.preferences.simulation import User, simulate, users_of
from rankprism.measures.preferences.utility import NONE
from rankprism.meta.rank_correlation import tau_a
from tests.support.assessing import Collection, Page, Person, Served, by_worth, make_collection, opened

DEPTH = 5
MEASURE = f"nPrf(estimate='pooled')@{DEPTH}"


def sample_collection(folder: Path) -> Collection:
    """The sample that ships with the package, with documents that have their names for titles."""
    pools = read_rankings(list(sample.RUNS), DEPTH).topics
    documents = folder / "docs.jsonl"
    names = {doc for topic in pools.values() for doc in topic.docs}
    documents.write_text("".join(json.dumps({"id": d, "text": d, "title": d}) + "\n" for d in sorted(names)))
    topics = folder / "topics.tsv"
    topics.write_text("".join(f"{topic}\t{topic}\n" for topic in pools))
    return Collection(folder, sample.RUNS, documents, topics)


def simulated(users: dict[str, dict[str, User]]) -> Callable[[Page], str]:
    """The answer of a simulated user with the TREC profile to what is on a page."""

    def answer(page: Page) -> str:
        user = next(iter(users[page.heading].values()))
        *given, left, right = (user.docs.index(name) for name in page.documents)
        outcome = user.prefers(np.array([left]), np.array([right]), np.array(given or [NONE]))
        return {1.0: "left", 0.0: "right", 0.5: "tie"}[float(outcome[0])]

    return answer


def test_a_simulated_crowd_recovers_the_order_of_the_systems(tmp_path: Path) -> None:
    """Adaptive choice, 5 workers who share the work, 16 questions a topic of the 1,500 or so there are."""
    collection = sample_collection(tmp_path)
    budget = 320
    settings = Settings(
        depth=DEPTH, choice="adaptive", ask="both", budget=budget, batch=64, crowd=True, measure=MEASURE
    )
    served = Served(opened(tmp_path, settings, collection=collection))
    pools = {topic: one.docs for topic, one in read_rankings(list(sample.RUNS), DEPTH).topics.items()}
    answer = simulated(users_of(rankprism.read_judgments(sample.QRELS), pools))
    with served.store.writing() as connection:
        link = access.first_links(connection, crowd=True)[None]
    workers = [Person(served.client()) for _ in range(5)]
    pages = [one.join(f"/crowd/{link}?worker=w{number}") for number, one in enumerate(workers)]
    while any(page.is_task for page in pages):
        for number, worker in enumerate(workers):
            if pages[number].is_task:
                pages[number] = worker.submit(pages[number], answer(pages[number]))
    served.site.supply.background.wait()
    with served.store.reading() as connection:
        found = exchange.preferences(connection)
        asked = connection.scalar(sa.select(sa.func.count()).where(store.task.c.purpose == "study"))
    assert found is not None
    assert len(found) == asked == budget  # every question once
    assert len(found.assessors) == 5
    complete = simulate(sample.QRELS, list(sample.RUNS), documents=DEPTH * len(sample.RUNS))
    truth = rankprism.evaluate(complete, list(sample.RUNS), f"nPrf@{DEPTH}").means[:, 0]
    now = rankprism.evaluate(found, list(sample.RUNS), MEASURE).means[:, 0]
    assert tau_a(truth, now) >= 0.8  # of 15 pairs of systems, one may be the other way round
    standing = served.site.standings.renew(served.store, settings)
    assert standing.problem == ""
    by_name = dict(zip((path.stem for path in sample.RUNS), now, strict=True))
    assert [one.name for one in standing.systems] == sorted(by_name, key=lambda name: -by_name[name])
    for one in standing.systems:
        assert one.score == pytest.approx(by_name[one.name], abs=1e-9)
        assert one.low <= one.score <= one.high
    assert standing.tau_low <= standing.tau <= 1
    served.store.close()


def test_a_study_stops_when_the_order_of_the_systems_is_settled(tmp_path: Path) -> None:
    collection = make_collection(tmp_path, topics=("1", "2", "3", "4"))
    settings = Settings(depth=3, overlap=3, settle=0.9, measure="nPrf(estimate='pooled')@3")
    served = Served(opened(tmp_path, settings, collection=collection))
    ann = served.person("ann")
    last = ann.work(most=dashboard.LEAST - 15)
    assert last.is_task
    served.site.standings.renew(served.store, settings)
    assert ann.get("/task").is_task  # too early to say
    served.person("ben").work(most=15)
    standing = served.site.standings.renew(served.store, settings)
    assert standing.tau_low >= 0.9
    # What is before an assessor may still be answered; then there is nothing more.
    last = ann.submit(ann.get("/task"), "left")
    assert "The study has ended" in last.text
    assert last.code is not None
    assert "The order of the systems is settled" in served.organiser().get("/organiser").text
    served.store.close()


def test_the_dashboard_shows_agreement_over_time(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, overlap=2)))
    settings = served.site.study.settings
    served.person("ann").work()
    served.person("ben").work(by_worth)
    served.person("eva")
    standing = served.site.standings.renew(served.store, settings)
    judgments = [moment.judgments for moment in standing.agreement]
    assert judgments == sorted(judgments)
    assert judgments[-1] == 40
    alpha = standing.agreement[-1].alpha
    assert (alpha.value, alpha.units) == (1.0, 20)  # both always prefer the better document
    assert [one.name for one in standing.systems] == ["good", "fair", "poor"]
    page = served.organiser().get("/organiser").text
    assert "Agreement over time" in page
    assert "α of all assessors, nominal" in page
    assert "eva" in page
    assert '<th scope="col">Left</th>' in page
    rows = {row.name: row for row in dashboard.view(served.store, served.site.study).assessors}
    given = exchange_answers(served)
    for name in ("ann", "ben"):
        sides = [answer for who, answer in given if who == name and answer in ("left", "right")]
        assert rows[name].left == pytest.approx(sides.count("left") / len(sides))
    assert rows["eva"].left is None
    served.store.close()


def exchange_answers(served: Served) -> list[tuple[str, str]]:
    """Who gave which answer, from what the study exports."""
    with served.store.reading() as connection:
        read = exchange.preferences(connection, identities=True)
    assert read is not None
    columns = read.columns()
    return list(zip(columns["assessor"], columns["outcome"], strict=True))


def test_nothing_judged_and_one_run_give_a_dashboard_too(tmp_path: Path) -> None:
    made = make_collection(tmp_path)
    collection = Collection(tmp_path, made.runs[:1], made.documents, made.topics)
    served = Served(opened(tmp_path, Settings(depth=3), collection=collection))
    settings = served.site.study.settings
    assert served.site.standings.renew(served.store, settings).problem == "Nobody has judged anything yet."
    served.person("ann").work(most=2)
    standing = served.site.standings.renew(served.store, settings)
    assert [one.name for one in standing.systems] == ["good"]
    assert "good" in served.organiser().get("/organiser").text
    served.store.close()


def test_graded_studies_rank_the_systems_too(tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, ask="grades", measure="nDCG@3")))
    ann = served.person("ann")
    page = ann.get("/task")
    while page.is_task:
        good = page.documents[0].endswith(("d1", "d2"))
        page = ann.submit(page, "graded", **{"aspect-0": "relevant" if good else "not relevant"})
    standing = served.site.standings.renew(served.store, served.site.study.settings)
    assert [one.name for one in standing.systems] == ["good", "fair", "poor"]
    served.store.close()


def test_the_dashboard_shows_how_well_assessors_agree_on_each_graded_aspect(tmp_path: Path) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_text(
        '[aspects.relevance]\nlabels = ["not", "some", "high"]\n\n'
        '[aspects.credibility]\nlabels = ["low", "good"]\n'
    )
    served = Served(
        opened(tmp_path, Settings(depth=3, ask="grades", overlap=2, measure="nDCG@3"), scale=scale)
    )

    def graded(name: str, relevance: dict[str, str]) -> None:
        person = served.person(name)
        page = person.get("/task")
        while page.is_task:
            doc = page.documents[0][-2:]
            credibility = "good" if doc == "d1" else "low"
            page = person.submit(
                page, "graded", **{"aspect-0": relevance.get(doc, "not"), "aspect-1": credibility}
            )

    graded("ann", {"d1": "high", "d2": "some"})
    graded("ben", {"d1": "high", "d2": "some", "d3": "some"})
    standing = served.site.standings.renew(served.store, served.site.study.settings)
    assert [note[:49] for note in standing.notes] == ["nDCG@3 takes the best of each document's 2 aspect"]
    assert standing.notes[0] in html.unescape(served.organiser().get("/organiser").text)
    last = {moment.aspect: moment for moment in standing.agreement if moment.judgments == 20}
    assert list(last) == ["relevance", "credibility"]
    assert last["relevance"].alpha.units == 10  # five documents of each of two topics
    # Of 20 labels 10 are "not", 6 "some" and 4 "high", so their mean ranks are 5, 13 and 18. Ann and Ben
    # differ in two units by 8 ranks: α = 1 - 19 · (2 · 2 · 8²) / (2 · (10·6·8² + 10·4·13² + 6·4·5²)).
    assert last["relevance"].alpha.value == pytest.approx(1 - 4864 / 22400)
    assert last["credibility"].alpha.value == 1.0
    moments = [moment.judgments for moment in standing.agreement]
    assert moments == sorted(moments)
    assert moments[0] < 20
    page = served.organiser().get("/organiser").text
    assert "α of all assessors, ordinal" in page
    assert '<th scope="row">20</th><td>credibility</td><td>1.00</td>' in page
    served.store.close()


def test_grades_of_subtopics_count_together_for_agreement(tmp_path: Path) -> None:
    made = make_collection(tmp_path)
    topics = tmp_path / "topics.jsonl"
    rows = [{"id": t, "title": t, "subtopics": {"a": f"First side of {t}", "b": "Other side"}} for t in "12"]
    topics.write_text("".join(json.dumps(row) + "\n" for row in rows))
    collection = Collection(tmp_path, made.runs, made.documents, topics)
    settings = Settings(depth=3, ask="grades", overlap=2)
    served = Served(opened(tmp_path, settings, collection=collection))
    for name in ("ann", "ben"):
        person = served.person(name)
        page = person.get("/task")
        while page.is_task:
            good = "relevant" if page.documents[0].endswith("d1") else "not relevant"
            page = person.submit(page, "graded", **{"aspect-0": good, "aspect-1": "not relevant"})
    standing = served.site.standings.renew(served.store, served.site.study.settings)
    last = standing.agreement[-1]
    assert (last.judgments, last.aspect, last.alpha.value) == (20, "", 1.0)
    assert last.alpha.units == 2 * 5 * 2  # topics, documents, subtopics
    served.store.close()
