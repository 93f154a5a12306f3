"""A study that asks what `judges select` drew, whose dashboard shows what `judges score` computes."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import numpy as np
import pytest
import sqlalchemy as sa

from rankprism import InputError, judges
from rankprism.judging.assess import additions, dashboard, exchange, store, work
from rankprism.judging.assess.creation import create_study
from rankprism.judging.assess.drawn_sample import drawn_sample
from rankprism.judging.assess.estimates import Estimates, Judges, check_study
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from tests.judges.test_judges_scoring import Made, made
from tests.support.assessing import Served

MEASURES = ["P(rel=2)@10", "nDCG@10"]
SCALE = '[aspects.relevance]\nlabels = ["none", "some", "good", "best"]\n'
SETTINGS = Settings(name="Drawn", ask="grades", choice="drawn")


class Files(NamedTuple):
    """A made-up collection on the disk, with two batches of drawn documents."""

    made: Made
    runs: list[str]
    judge: str
    documents: Path
    scale: Path
    first: Path
    both: Path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder, c = tmp_path_factory.mktemp("drawn"), made(topics=12, docs=40, runs=4)
    runs = []
    for name, topics in c.runs.items():
        path = folder / f"{name}.run"
        lines = [f"{t} Q0 {d} 0 {s!r} {name}\n" for t, docs in topics.items() for d, s in docs.items()]
        path.write_text("".join(lines))
        runs.append(str(path))
    judge = folder / "judge.qrels"
    judge.write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in c.judge.items() for d, g in docs.items()))
    documents = folder / "docs.jsonl"
    documents.write_text("".join(json.dumps({"id": f"d{n}", "text": f"Text {n}."}) + "\n" for n in range(40)))
    scale = folder / "scale.toml"
    scale.write_text(SCALE)
    one = judges.select(c.runs, {"j": c.judge}, MEASURES, budget=160, seed=1)
    two = judges.select(c.runs, {"j": c.judge}, MEASURES, budget=220, seed=1, after=one.pairs)
    first, both = folder / "first.tsv", folder / "both.tsv"
    first.write_text(one.to_tsv())
    both.write_text(two.to_tsv())
    return Files(c, runs, str(judge), documents, scale, first, both)


def opened(path: Path | str, files: Files, drawn: Path | None = None) -> Store:
    create_study(
        str(path),
        [],
        SETTINGS,
        documents=files.documents,
        scale=files.scale,
        drawn=drawn or files.first,
        assessors=["ann"],
    )
    return store.opened(str(path)).__enter__()


def answer(open_study: Store, files: Files, most: int = 10_000, cannot: int = 0) -> list[tuple[str, str]]:
    """Ann grades as the people of the collection would; the documents in the order in which they came."""
    seen: list[tuple[str, str]] = []
    while len(seen) < most and (task := work.next_task(open_study, SETTINGS, 1)) is not None:
        doc = task.documents[0].name
        label = task.aspects[0].labels[files.made.people[task.topic][doc]]
        said = ("cannot", "", None) if len(seen) < cannot else ("graded", "", {"relevance": label})
        work.submit(open_study, 1, task.place, task.attempt, *said)
        seen.append((task.topic, doc))
    return seen


def the_judges(files: Files) -> Judges:
    return Judges.read({"j": files.judge}, files.runs, MEASURES)


def numbers(scores: judges.EstimatedScores) -> list[Any]:
    return [scores.runs, scores.means.tolist(), scores.half.tolist(), scores.values.tolist()]


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text().splitlines()[1:]]


def test_a_study_goes_from_drawing_to_the_numbers_of_the_command(
    files: Files, cli: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    """The dashboard, `judges score` with the export, and Python say the same to the last digit."""
    target, people = tmp_path / "study.db", tmp_path / "people.tsv"
    new = cli(
        "assess", "new", target, *files.runs, "--drawn", files.first, "--documents", files.documents,
        "--scale", files.scale, "--assessors", "ann",
    )  # fmt: skip
    assert new.returncode == 0, new.stderr
    number = len(rows(files.first))
    documents = len({row[1] for row in rows(files.first)})
    assert f"4 runs, 12 topics, {documents} documents, {number} tasks for {number} judgments" in new.stdout
    with store.opened(str(target)) as open_study:
        assert answer(open_study, files) == [(row[0], row[1]) for row in rows(files.first)]
        estimated = Estimates(the_judges(files)).renew(open_study)
    exported = cli("assess", "export", target, "-o", people)
    assert exported.returncode == 0, exported.stderr
    assert exported.stderr == f"{people}: {number} lines, people\n"
    names = [part for measure in MEASURES for part in ("-m", measure)]
    scored = cli(
        "judges", "score", people, *files.runs, "--judge", f"j={files.judge}", *names, "--format", "json"
    )
    assert scored.returncode == 0, scored.stderr
    printed = {(row["run"], row["measure"]): row for row in json.loads(scored.stdout)["rows"]}
    shown = {
        (one.name, measure): {"score": one.score, "low": one.low, "high": one.high}
        for measure, systems in estimated.by_measure.items()
        for one in systems
    }
    assert len(shown) == len(printed) == 8
    for key, row in printed.items():
        assert shown[key] == pytest.approx({name: row[name] for name in ("score", "low", "high")}, rel=1e-12)
    truth = judges.score(people, {"j": files.made.judge}, files.made.runs, MEASURES)
    assert estimated.scores is not None
    assert numbers(estimated.scores) == numbers(truth)


@pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")
def test_grades_on_several_aspects_are_exported_with_their_probabilities(
    files: Files, tmp_path: Path
) -> None:
    """Every document is also graded for its number: even ones are credible."""
    aspects, names = ("credible", "relevance"), ["alpha_nDCG@10", "ERR_IA@10"]

    def graded(grades: Any) -> dict[str, dict[str, dict[str, int]]]:
        return {
            topic: {"credible": {d: 1 - int(d[1:]) % 2 for d in docs}, "relevance": docs}
            for topic, docs in grades.items()
        }

    judge = tmp_path / "judge.qrels"
    said = graded(files.made.judge)
    judge.write_text(
        "".join(f"{t} {a} {d} {g}\n" for t, of in said.items() for a in aspects for d, g in of[a].items())
    )
    scale = tmp_path / "scale.toml"
    scale.write_text('[aspects.credible]\nlabels = ["no", "yes"]\n' + SCALE)
    chosen = judges.select(files.runs, {"j": judge}, names, budget=150, aspects="all")
    drawn, target, people = (tmp_path / name for name in ("drawn.tsv", "study.db", "people.tsv"))
    drawn.write_text(chosen.to_tsv())
    open_study = opened(target, files._replace(scale=scale), drawn)
    true = graded(files.made.people)
    while (task := work.next_task(open_study, SETTINGS, 1)) is not None:
        doc = task.documents[0].name
        labels = {one.name: one.labels[true[task.topic][one.name][doc]] for one in task.aspects}
        work.submit(open_study, 1, task.place, task.attempt, "graded", "", labels)
    people.write_bytes(exchange.export(open_study, "people").text)
    assert people.read_text().startswith("topic\taspect\tdoc\tgrade\tprobability\tbatch\n")
    assert len(rows(people)) == 2 * len(chosen.pairs)
    shown = Estimates(Judges.read({"j": str(judge)}, files.runs, names)).renew(open_study).scores
    assert shown is not None
    found = judges.score(people, {"j": judge}, files.runs, names, aspects="all")
    assert repr(numbers(shown)) == repr(numbers(found))
    assert not np.isnan(found.half).any()


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_later_batch_joins_a_running_study(
    database: str, files: Files, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    is_file = database == "sqlite"
    open_study = opened(tmp_path / "study.db" if is_file else request.getfixturevalue("postgres")(), files)
    estimates = Estimates(the_judges(files))
    assert estimates.renew(open_study).problem == "No batch of documents is judged completely yet."
    with pytest.raises(InputError, match="no batch is judged completely"):
        exchange.export(open_study, "people")
    first = rows(files.first)
    answer(open_study, files, most=5, cannot=2)
    added = additions.add(open_study, files.both, documents=files.documents)
    more = len(rows(files.both)) - len(first)
    new = {row[1] for row in rows(files.both)} - {row[1] for row in first}
    assert added == (more, more, len(new), 0)  # most documents were drawn for another topic before
    assert additions.add(open_study, files.both).tasks == 0
    answer(open_study, files, most=len(first) - 5)
    one = estimates.renew(open_study)
    # The second batch is waiting, so the first one counts with its own probabilities.
    assert one.sample.batches == 1
    assert {(j.topic, j.doc): j.probability for j in one.sample.judged} == {
        (row[0], row[1]): float(row[2]) for row in first
    }
    assert one.sample.unreadable == 2
    assert [note for note in one.notes if "nobody could judge" in note]
    text = exchange.export(open_study, "people")
    assert text.text.count(b"\n") == 1 + len(first)
    assert f"{added.tasks} judgments are missing there" in text.notes[0]
    second = [(row[0], row[1]) for row in rows(files.both) if row[3] == "2"]
    assert answer(open_study, files) == second
    two = estimates.renew(open_study)
    assert two.sample.batches == 2
    assert two.scores is not one.scores
    assert estimates.renew(open_study).scores is two.scores  # nothing has changed since
    assert {(j.topic, j.doc): j.probability for j in two.sample.judged} == {
        (row[0], row[1]): float(row[2]) for row in rows(files.both)
    }
    open_study.close()


def test_batches_that_came_together_count_together(files: Files, tmp_path: Path) -> None:
    """For the first batch alone, the probabilities are not known."""
    open_study = opened(tmp_path / "study.db", files, files.both)
    answer(open_study, files, most=len(rows(files.first)))
    with open_study.reading() as connection:
        assert drawn_sample(connection).batches == 0
    open_study.close()


def test_estimates_do_not_hold_up_a_request(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_study = opened(tmp_path / "study.db", files)
    answer(open_study, files)
    estimates = Estimates(the_judges(files))
    go_on = threading.Event()
    real = Judges.score

    def slow(self: Judges, found: Any) -> Any:
        assert go_on.wait(30)
        return real(self, found)

    monkeypatch.setattr(Judges, "score", slow)
    served = Served(open_study, estimates=estimates)
    boss = served.organiser()
    assert "The scores are being computed." in boss.get("/organiser").text
    assert "The scores are being computed." in boss.get("/organiser").text
    go_on.set()
    estimates.background.wait()
    page = boss.get("/organiser").text
    assert estimates.latest(open_study) is not None
    (best, *_) = estimates.renew(open_study).by_measure["nDCG@10"]
    assert re.search(rf'<th scope="row">{best.name}</th>\s*<td><strong>{best.score:.3f}</strong>', page)
    assert "labels of people on a pool of 480 pairs" in page
    assert best.ranks is not None
    assert best.ranks[0] == 1
    open_study.close()


def test_without_judges_the_dashboard_says_how_to_name_them(files: Files, tmp_path: Path) -> None:
    open_study = opened(tmp_path / "study.db", files)
    served = Served(open_study)
    assert "--judge NAME=QRELS" in served.organiser().get("/organiser").text
    open_study.close()


def test_what_does_not_fit_is_refused(files: Files, tmp_path: Path) -> None:
    open_study = opened(tmp_path / "study.db", files)
    other = tmp_path / "other.tsv"
    lines = files.both.read_text().splitlines()
    other.write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    with pytest.raises(InputError, match="is in batch 1 of the study and not in that of the file"):
        additions.add(open_study, other)
    other.write_text("\n".join([*lines, "t0\td-new\t0.1\t3"]) + "\n")
    with pytest.raises(
        InputError, match=r"has no text for 1 documents, such as 'd-new', and .*docs\.jsonl has"
    ):
        additions.add(open_study, other, documents=files.documents)
    drawn = {(row[0], row[1]) for row in rows(files.both)}
    free = next(f"d{n}" for n in range(40) if ("t0", f"d{n}") not in drawn)
    other.write_text("\n".join([*lines, f"t0\t{free}\t0.1\t1"]) + "\n")
    with pytest.raises(InputError, match="is in batch 1, of which the study has other documents"):
        additions.add(open_study, other)
    with open_study.reading() as connection:  # nothing of these files got in
        assert connection.scalar(sa.select(sa.func.count()).select_from(store.task)) == len(rows(files.first))
    open_study.close()
    texts = tmp_path / "few.jsonl"
    texts.write_text(json.dumps({"id": "d0", "text": "x"}) + "\n")
    with pytest.raises(InputError, match="need all documents that were drawn"):
        create_study(
            str(tmp_path / "new.db"), [], SETTINGS, documents=texts, drawn=files.first, missing="skip"
        )
    with pytest.raises(InputError, match="documents that were drawn are graded"):
        Settings(ask="pairs", choice="drawn")
    with pytest.raises(InputError, match="drawn documents are a sample"):
        Settings(ask="grades", choice="drawn", settle=0.9)
    with pytest.raises(InputError, match="name the runs, too"):
        Judges.read({"j": files.judge}, [], MEASURES)


def test_a_new_topic_gets_the_scale_of_the_others(files: Files, tmp_path: Path) -> None:
    open_study = opened(tmp_path / "study.db", files)
    more, topics = tmp_path / "more.tsv", tmp_path / "topics.tsv"
    more.write_text(files.both.read_text() + "t99\td7\t0.5\t2\n")
    topics.write_text("t99\tNew\tA new topic\n")
    assert additions.add(open_study, more, documents=files.documents, topics=topics).topics == 1
    with open_study.reading() as connection:
        (one,) = [row for row in dashboard.topic_rows(connection) if row.name == "t99"]
        labels = connection.scalars(sa.select(store.aspect.c.labels).where(store.aspect.c.topic == one.id))
        assert list(labels) == [["none", "some", "good", "best"]]
    assert (one.title, one.total) == ("New", 1)
    open_study.close()


def test_judges_are_for_drawn_documents_only(
    files: Files, cli: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    target = str(tmp_path / "study.db")
    create_study(target, files.runs, Settings(depth=2, ask="grades"), documents=files.documents)
    with store.opened(target) as open_study, pytest.raises(InputError, match="were not drawn with"):
        check_study(open_study)
    refused = cli("assess", "serve", target, "--port", 0, *files.runs)
    assert refused.returncode == 2
    assert "name a judge, too" in refused.stderr
