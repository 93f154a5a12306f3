"""The dashboard ranks the systems as `evaluate` does with the export, to the last bit."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import sqlalchemy as sa

from rankprism import evaluate, read_judgments, sample
from rankprism.judging.assess import exchange, store, study_state
from rankprism.judging.assess.creation import create_study
from rankprism.judging.assess.dashboard import Standings, standing
from rankprism.judging.assess.settings import Settings
from rankprism.judging.preferences import draw_profiles, simulate
from tests.support import assessing

#: Most documents of the runs are not judged, which is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore::rankprism.RankprismWarning")

RUNS = [str(run) for run in sample.RUNS]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts of most documents of the sample; every seventh one has none."""
    docs = sorted({doc for _, _, doc, _ in zip(*read_judgments(sample.QRELS).table.columns(), strict=True)})
    path = tmp_path_factory.mktemp("texts") / "docs.jsonl"
    rows = [{"id": doc, "text": f"Text of {doc}"} for i, doc in enumerate(docs) if i % 7]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def preferences(texts: Path) -> list[tuple[str, ...]]:
    """Some of what three simulated users say of the documents that have a text, and the header."""
    known = {json.loads(line)["id"] for line in texts.read_text().splitlines()}
    judged = read_judgments(sample.QRELS)
    columns = simulate(judged, RUNS, draw_profiles(judged, 3), documents=6).columns()
    rows = [row for row in zip(*columns.values(), strict=True) if {*" ".join(row[1:4]).split()} <= known]
    return [tuple(columns), *random.Random(2).sample(rows, 700)]


def written(path: Path, rows: list[tuple[str, ...]]) -> Path:
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


def study(path: Path, texts: Path, **settings: Any) -> str:
    made = Settings(**{"depth": 4, "ask": "both", **settings})
    create_study(str(path), RUNS, made, documents=texts, missing="skip")
    return str(path)


@pytest.mark.parametrize(
    ("ask", "measure"),
    [("pairs", "nPrf@10"), ("triplets", "Prf(combine='min',unseen='skip')"), ("both", "")]
    + [
        pytest.param(ask, measure, marks=pytest.mark.nightly)
        for ask, measure in (
            ("pairs", ""),
            ("triplets", "nPrf@10"),
            ("both", "Prf(combine='min',unseen='skip')"),
        )
    ],
)
def test_preferences_rank_the_systems_as_evaluate_does(
    ask: str, measure: str, texts: Path, preferences: list[tuple[str, ...]], tmp_path: Path
) -> None:
    """The study asks about four documents of a ranking, and the measures look at up to all of them."""
    made = study(tmp_path / "study.db", texts, ask=ask, measure=measure)
    wanted = {"pairs": (False,), "triplets": (True,), "both": (False, True)}[ask]
    rows = [row for i, row in enumerate(preferences) if i == 0 or bool(row[1]) in wanted]
    source = written(tmp_path / "in.tsv", rows)
    with store.opened(made) as opened:
        exchange.import_judgments(opened, source)
        with opened.reading() as connection:
            settings = study_state.load(connection).settings
        found = standing(opened, settings, 1)
        (tmp_path / "out.tsv").write_bytes(exchange.export(opened, "tsv").text)
    means = evaluate(tmp_path / "out.tsv", RUNS, settings.measure).mean()
    assert {one.name: one.score for one in found.systems} == {
        run: scores[settings.measure] for run, scores in means.items()
    }
    scores = [one.score for one in found.systems]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 3


@pytest.mark.parametrize("measure", ["", "alpha_nDCG@10", "RBU(p=0.9,e=0.05)", "P"])
def test_grades_rank_the_systems_as_evaluate_does(measure: str, texts: Path, tmp_path: Path) -> None:
    made = study(tmp_path / "study.db", texts, ask="grades", measure=measure)
    known = {json.loads(line)["id"] for line in texts.read_text().splitlines()}
    graded: dict[tuple[str, str], float] = {}
    for topic, _, doc, grade in zip(*read_judgments(sample.QRELS).table.columns(), strict=True):
        graded[topic, doc] = max(grade, graded.get((topic, doc), 0.0))
    with store.opened(made) as opened:
        with opened.reading() as connection:
            settings = study_state.load(connection).settings
            in_study = set(connection.scalars(sa.select(store.document.c.name)))
        lines = [f"{t} 0 {d} {int(g > 0)}" for (t, d), g in graded.items() if d in known & in_study]
        (tmp_path / "in.qrels").write_text("\n".join(lines) + "\n")
        exchange.import_judgments(opened, tmp_path / "in.qrels")
        found = standing(opened, settings, 1)
        (tmp_path / "out.qrels").write_bytes(exchange.export(opened, "qrels").text)
    means = evaluate(tmp_path / "out.qrels", RUNS, settings.measure).mean()
    assert {one.name: one.score for one in found.systems} == {
        run: scores[settings.measure] for run, scores in means.items()
    }


def test_the_commands_agree_with_the_dashboard(
    cli: Callable[..., CompletedProcess[str]],
    texts: Path,
    preferences: list[tuple[str, ...]],
    tmp_path: Path,
) -> None:
    made, out = tmp_path / "study.db", tmp_path / "prefs.tsv"
    new = cli(
        "assess", "new", made, *RUNS, "--documents", texts, "--depth", 4, "--missing", "skip", "--ask", "both"
    )
    assert new.returncode == 0, new.stderr
    for command in (["import", made, written(tmp_path / "in.tsv", preferences)], ["export", made, "-o", out]):
        done = cli("assess", *command)
        assert done.returncode == 0, done.stderr
    provenance = json.loads((tmp_path / "prefs.tsv.provenance.json").read_text())
    measure = provenance["settings"]["measure"]
    assert measure == "nPrf(estimate='pooled')@4"  # the depth of the study
    printed = cli("evaluate", out, *RUNS, "-m", measure, "--format", "json")
    assert printed.returncode == 0, printed.stderr
    means = {row["run"]: row["score"] for row in json.loads(printed.stdout)["rows"]}
    with store.opened(str(made)) as opened:
        with opened.reading() as connection:
            settings = study_state.load(connection).settings
        assert {one.name: one.score for one in standing(opened, settings, 1).systems} == means


def test_a_document_may_be_called_like_a_place_in_a_ranking(tmp_path: Path) -> None:
    """Documents without a text need a name when runs are scored, and no document of the study may have it."""
    run = tmp_path / "r.run"
    run.write_text("1 Q0 x 1 4 r\n1 Q0 a 2 3 r\n1 Q0 #1 3 2 r\n1 Q0 ##1 4 1 r\n")
    texts = tmp_path / "docs.jsonl"
    texts.write_text("".join(json.dumps({"id": doc, "text": doc}) + "\n" for doc in ("a", "#1", "##1")))
    create_study(str(tmp_path / "s.db"), [run], Settings(measure="Prf@4"), documents=texts, missing="skip")
    rows = tmp_path / "in.tsv"
    rows.write_text("topic\tleft\tright\toutcome\n1\ta\t#1\tright\n1\t##1\t#1\tright\n")
    with store.opened(str(tmp_path / "s.db")) as opened:
        exchange.import_judgments(opened, rows)
        (system,) = standing(opened, Settings(measure="Prf@4"), 1).systems
    assert system.score == evaluate(rows, run, "Prf@4").mean()["r"]["Prf@4"] > 0


# ── when there is no order ───────────────────────────────────────────────────────────────────────


def test_a_dashboard_does_not_say_that_nobody_has_judged_when_somebody_has(tmp_path: Path) -> None:
    files = assessing.make_collection(tmp_path)
    made = str(tmp_path / "study.db")
    create_study(made, files.runs, Settings(), documents=files.documents, topics=files.topics)
    with store.opened(made) as opened:
        with opened.reading() as connection:
            settings = study_state.load(connection).settings
        standings = Standings()
        assert standings.renew(opened, settings).problem == "Nobody has judged anything yet."
        assert standings.latest(opened, settings) == standings.renew(opened, settings)
        rows = tmp_path / "in.tsv"
        rows.write_text("topic\tleft\tright\toutcome\n1\t1-d1\t1-d2\tleft\n")
        exchange.import_judgments(opened, rows)
        assert standings.latest(opened, settings) is None  # it is being computed, although it was just now
        standings.background.wait()
        latest = standings.latest(opened, settings)
        assert latest is not None
        assert (latest.problem, latest.judgments) == ("", 1)


def test_answers_that_cannot_be_used_are_not_called_nobody(tmp_path: Path) -> None:
    files = assessing.make_collection(tmp_path)
    made = str(tmp_path / "study.db")
    create_study(made, files.runs, Settings(), documents=files.documents, topics=files.topics)
    with store.opened(made) as opened:
        found = standing(opened, Settings(), 3)  # three answers, and none that compares documents
    assert found.problem.startswith("All answers so far are to practice or gold questions, or say that")


@pytest.mark.parametrize(
    ("settings", "measure"),
    [
        ({}, "nPrf(estimate='pooled')@10"),
        ({"ask": "triplets", "depth": 20}, "nPrf(estimate='pooled')@20"),
        ({"ask": "both", "choice": "adaptive", "budget": 9, "depth": 5}, "nPrf(estimate='pooled')@5"),
        ({"ask": "grades", "depth": 7}, "alpha_nDCG@7"),
        ({"ask": "grades", "measure": "RBU"}, "RBU"),
    ],
)
def test_the_default_measure_looks_at_what_the_study_asks_about(settings: Any, measure: str) -> None:
    assert Settings(**settings).measure == measure
