"""What may go wrong while a study runs: locks, clocks, two tabs, damage, and imports into open tasks."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from rankprism.errors import InputError
from rankprism.judging.assess import access, backups, dashboard, exchange, open_task, store, study_state, work
from rankprism.judging.assess.creation import create_study
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from tests.support.assessing import Collection, Page, Served, make_collection, opened

SETTINGS = Settings(depth=3)
ANN, BEN = 1, 2


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return make_collection(tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path, collection: Collection) -> str:
    """A study of Ann and Ben with two topics of ten pairs each: in a file, or in a PostgreSQL database."""
    name = str(tmp_path / "study.db") if request.param == "sqlite" else request.getfixturevalue("postgres")()
    create_study(
        name,
        collection.runs,
        SETTINGS,
        documents=collection.documents,
        topics=collection.topics,
        assessors=("ann", "ben"),
    )
    return name


@pytest.fixture
def study(target: str) -> Iterator[Store]:
    with store.opened(target) as found:
        yield found


@pytest.fixture
def served(tmp_path: Path, collection: Collection) -> Iterator[Served]:
    served = Served(opened(tmp_path, collection=collection))
    yield served
    served.store.close()


def given(open_study: Store, who: int) -> open_task.Assignment:
    task = work.next_task(open_study, SETTINGS, who)
    assert task is not None
    return task


def standing(open_study: Store) -> list[tuple[int, int, str]]:
    """The task, the assessor and the answer of all judgments that count."""
    judgment = store.judgment
    wanted = sa.select(judgment.c.task, judgment.c.assessor, judgment.c.answer)
    with open_study.reading() as connection:
        return [tuple(row) for row in connection.execute(wanted.where(judgment.c.withdrawn.is_(None)))]


# ── open is not judged ───────────────────────────────────────────────────────────────────────────


def row_of(task: open_task.Assignment, outcome: str, assessor: str = "ann") -> tuple[str, ...]:
    left, right = (text.name for text in task.documents)
    return (task.topic, "", left, right, outcome, assessor)


def test_an_imported_judgment_answers_a_task_that_its_assessor_has_only_opened(study: Store) -> None:
    task = given(study, ANN)
    assert exchange.import_judgments(study, [row_of(task, "left")]) == (1, 0, 0)
    assert [answer for _, _, answer in standing(study)] == ["left"]
    with study.reading() as connection:
        assert work.study_progress(connection, SETTINGS) == (1, 20)  # in the place that she had
    assert given(study, ANN).place != task.place
    # Her page is still open, and whatever she answers there comes too late.
    assert work.submit(study, ANN, task.place, task.attempt, "right") == "differs"
    assert [answer for _, _, answer in standing(study)] == ["left"]


def test_an_imported_judgment_answers_a_task_whose_answer_was_taken_back(study: Store) -> None:
    task = given(study, ANN)
    work.submit(study, ANN, task.place, task.attempt, "right")
    work.undo(study, SETTINGS, ANN)
    assert exchange.import_judgments(study, [row_of(task, "tie")]) == (1, 0, 0)
    assert [answer for _, _, answer in standing(study)] == ["tie"]


def test_a_task_that_somebody_else_has_open_stays_theirs_after_an_import(study: Store) -> None:
    task = given(study, BEN)
    assert exchange.import_judgments(study, [row_of(task, "left")]) == (1, 0, 0)
    assert work.submit(study, BEN, task.place, task.attempt, "right") == "stored"
    assert sorted((who, answer) for _, who, answer in standing(study)) == [(ANN, "left"), (BEN, "right")]


def test_imported_judgments_that_differ_from_the_study_are_counted_and_change_nothing(study: Store) -> None:
    task = given(study, ANN)
    work.submit(study, ANN, task.place, task.attempt, "left")
    topic, given_, left, right, outcome, who = row_of(task, "left")
    turned = (topic, given_, right, left, "right", who)  # the same, seen from the other side
    opposite = (topic, given_, right, left, "left", who)
    assert exchange.import_judgments(study, [row_of(task, outcome)]) == (0, 1, 0)
    assert exchange.import_judgments(study, [turned]) == (0, 1, 0)
    assert exchange.import_judgments(study, [opposite]) == (0, 0, 1)
    assert [answer for _, _, answer in standing(study)] == ["left"]


def submit_at(
    start: threading.Barrier, open_study: Store, task: open_task.Assignment, outcomes: list[str]
) -> None:
    start.wait()
    outcomes.append(work.submit(open_study, ANN, task.place, task.attempt, "left"))


def test_answers_that_come_during_an_import_are_stored_once(study: Store) -> None:
    """Ann answers her open task in the moment in which a file brings an answer to it, twelve times."""
    for _ in range(12):
        task = given(study, ANN)
        start = threading.Barrier(2)
        outcomes: list[str] = []
        thread = threading.Thread(target=submit_at, args=(start, study, task, outcomes))
        thread.start()
        start.wait()
        imported = exchange.import_judgments(study, [row_of(task, "right")])
        thread.join()
        assert (outcomes, imported) in [(["stored"], (0, 0, 1)), (["differs"], (1, 0, 0))]
    found = standing(study)
    assert len({(number, who) for number, who, _ in found}) == len(found) == 12


# ── two tabs ─────────────────────────────────────────────────────────────────────────────────────


def notice(page: Page) -> str:
    return page.text.partition('role="status">')[2].partition("<")[0]


@pytest.mark.parametrize("by_htmx", [True, False])
def test_a_different_answer_from_another_tab_is_told_and_the_same_one_is_not(
    served: Served, by_htmx: bool
) -> None:
    ann = served.person("ann")
    ann.by_htmx = by_htmx
    page = ann.get("/task")
    assert notice(ann.submit(page, "left")) == ""
    assert notice(ann.submit(page, "left")) == ""  # a double click, or a retry
    told = ann.submit(page, "right")
    assert told.status == 200
    assert notice(told) == work.REFUSED["differs"]
    assert notice(ann.submit(page, "left", comment="And why")) == work.REFUSED["differs"]
    assert [answer for _, _, answer in standing(served.store)] == ["left"]
    assert "Question 2 of up to" in told.text


def test_different_grades_from_another_tab_are_told(tmp_path: Path, collection: Collection) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, ask="grades"), collection=collection))
    ann = served.person("ann")
    page = ann.get("/task")
    for label, words in (("relevant", ""), ("relevant", ""), ("not relevant", work.REFUSED["differs"])):
        assert notice(ann.submit(page, "graded", **{"aspect-0": label})) == words
    assert notice(ann.submit(page, "cannot")) == work.REFUSED["differs"]
    served.store.close()


def test_an_old_page_of_a_task_that_is_open_again_is_told_from_a_judged_one(served: Served) -> None:
    ann = served.person("ann")
    page = ann.get("/task")
    after = ann.submit(page, "left")
    again = ann.post("/undo", csrf=after.field("csrf"))
    assert notice(ann.submit(page, "right")) == work.REFUSED["outdated"]
    assert notice(ann.submit(again, "tie")) == ""
    assert [answer for _, _, answer in standing(served.store)] == ["tie"]


# ── locks ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(store, "_SECONDS_TO_WAIT", 1.5)
    return 1.5


def test_all_who_wait_for_a_locked_file_give_up_together(
    impatient: float, served: Served, tmp_path: Path
) -> None:
    """Ten answers wait: one after another this would take ten times as long."""
    people = [served.person(f"p{i}") for i in range(10)]
    pages = [person.get("/task") for person in people]
    found: list[Page] = []

    def submit(number: int) -> None:
        found.append(people[number].submit(pages[number], "tie"))

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(10)]
    with closing(sqlite3.connect(tmp_path / "study.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - start
    words = "The database is not available, and nothing was stored. Wait a moment and try again."
    assert [(page.status, page.text) for page in found] == [(503, words)] * 10
    assert took < 5 * impatient
    assert served.judgments() == 0
    for person, page in zip(people, pages, strict=True):
        assert person.submit(page, "tie").status == 200
    assert served.judgments() == 10


def test_a_lock_of_another_program_is_said_in_one_line(impatient: float, target: str) -> None:
    with store.opened(target) as study:
        task = given(study, ANN)
        other = sa.create_engine(target if "://" in target else f"sqlite:///{target}")
        with other.connect() as connection:
            lock = "LOCK TABLE place" if "://" in target else "BEGIN IMMEDIATE"
            connection.exec_driver_sql(lock)
            with pytest.raises(
                store.Unavailable, match=r"another program has locked the database for 1\.5 s"
            ):
                work.submit(study, ANN, task.place, task.attempt, "tie")
            connection.rollback()
        other.dispose()
        assert work.submit(study, ANN, task.place, task.attempt, "tie") == "stored"


# ── clocks ───────────────────────────────────────────────────────────────────────────────────────


class Times:
    """A machine whose clock can be set, and whose time passes only when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.steady = time.time(), 1000.0
        monkeypatch.setattr(time, "time", lambda: self.wall)
        monkeypatch.setattr(store, "_steady", lambda: self.steady)

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def until_given(self, open_study: Store, who: int) -> int:
        """Seconds that pass, ten at a time, until the assessor gets a task."""
        for waited in range(0, 3 * SETTINGS.lease, 10):
            if work.next_task(open_study, SETTINGS, who) is not None:
                return waited
            self.passes(10)
        raise AssertionError("there is no task after three times the length of a lease")


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Times:
    return Times(monkeypatch)


@pytest.mark.parametrize("jump", [-86_400, 600])
def test_setting_the_clock_changes_no_lease(times: Times, target: str, jump: float) -> None:
    with store.opened(target) as study:
        task = given(study, ANN)
        times.passes(600)
        times.wall += jump
        for _ in range(19):  # Ben does the rest of the work
            work.submit(study, BEN, (other := given(study, BEN)).place, other.attempt, "tie")
        assert work.next_task(study, SETTINGS, BEN) is None
        assert (
            times.until_given(study, BEN) == SETTINGS.lease - 600 + 10
        )  # it ends after its length, and not at that moment
        assert work.submit(study, ANN, task.place, task.attempt, "tie") == "lost"


def test_a_clock_that_went_back_while_the_server_was_down_changes_no_lease(times: Times, target: str) -> None:
    with store.opened(target) as study:
        given(study, ANN)
        times.passes(600)
        work.submit(study, BEN, (other := given(study, BEN)).place, other.attempt, "tie")
        given(study, BEN)  # the latest lease
    times.wall -= 3600
    with store.opened(target) as study:
        with study.writing() as connection:
            study_state.begin(study, connection, SETTINGS, "http://127.0.0.1:8000")
        for _ in range(18):
            work.submit(study, BEN, (other := given(study, BEN)).place, other.attempt, "tie")
        assert times.until_given(study, BEN) == SETTINGS.lease - 600 + 10
        seconds = given(study, BEN)  # and no answer took a negative time
        assert work.submit(study, BEN, seconds.place, seconds.attempt, "tie") == "stored"


def test_the_dashboard_counts_open_tasks_by_the_same_clock(times: Times, target: str) -> None:
    with store.opened(target) as study:
        given(study, ANN)
        with study.reading() as connection:
            loaded = study_state.load(connection)
        times.wall += 10 * SETTINGS.lease
        assert dashboard.view(study, loaded).working == 1
        times.passes(SETTINGS.lease + 1)
        assert dashboard.view(study, loaded).working == 0


def test_a_session_from_a_clock_that_was_wrong_does_not_last_for_longer(study: Store) -> None:
    with study.writing() as connection:
        cookie = access.use_link(connection, access.new_link(connection, "ann"))
        assert cookie is not None
        assert access.session_of(connection, cookie) is not None
        connection.execute(sa.update(store.token).values(created="2999-01-01T00:00:00+00:00"))
        assert access.session_of(connection, cookie) is None


# ── damage ───────────────────────────────────────────────────────────────────────────────────────


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda settings: {key: value for key, value in settings.items() if key != name}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (without("lease"), "its settings have no lease"),
        (lambda s: s | {"depth": "ten"}, "its setting depth must be a whole number; got 'ten'"),
        (lambda s: s | {"depth": True}, "its setting depth must be a whole number; got True"),
        (lambda s: s | {"quota": "x"}, "its setting quota must be a whole number or null; got 'x'"),
        (lambda s: s | {"settle": []}, "its setting settle must be a number or null; got []"),
        (lambda s: s | {"crowd": 1}, "its setting crowd must be true or false; got 1"),
        (lambda s: s | {"consent": None}, "its setting consent must be text; got None"),
        (lambda s: s | {"lease": 0}, "lease must be at least 10; got 0"),
        (lambda s: s | {"ask": "riddles"}, "ask must be one of"),
        (lambda s: s | {"colour": "red"}, "its setting 'colour' is not known"),
        (lambda s: [1], "its column settings must be a JSON object; got [1]"),
    ],
)
def test_damaged_settings_are_named(
    damage: Callable[[dict[str, Any]], Any], message: str, served: Served
) -> None:
    check_damage(served.store, damage, message)


def test_damaged_settings_are_named_in_every_database(study: Store) -> None:
    check_damage(study, without("lease"), "its settings have no lease")


def check_damage(study: Store, damage: Callable[[dict[str, Any]], Any], message: str) -> None:
    with study.writing() as connection:
        settings: Any = connection.scalar(sa.select(store.study.c.settings))
        connection.execute(sa.update(store.study).values(settings=damage(settings)))
    with study.reading() as connection, pytest.raises(InputError) as error:
        study_state.load(connection)
    assert str(error.value).startswith(f"{study.name}: the table study is damaged: {message}")
    assert "restore a backup" in str(error.value)


def test_settings_that_are_whole_are_read_as_they_were_written(served: Served) -> None:
    settings = Settings(depth=3, settle=1, quota=4)  # a whole number where a fraction may be
    with served.store.writing() as connection:
        connection.execute(sa.update(store.study).values(settings=asdict(settings)))
        assert study_state.load(connection).settings == settings


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE study SET settings = '{\"depth\": '", "its column settings is not JSON"),
        ("UPDATE study SET provenance = 'x'", "its column provenance is not JSON"),
        ("DELETE FROM study", "its row is missing"),
    ],
)
def test_text_that_is_not_json_is_named(statement: str, message: str, served: Served) -> None:
    with served.store.writing() as connection:
        connection.exec_driver_sql(statement)
    with served.store.reading() as connection, pytest.raises(InputError, match=message):
        study_state.load(connection)


def test_other_tables_that_are_not_json_are_named_to_the_organiser(
    cli: Callable[..., Any], served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann = served.person("ann")
    assert ann.submit(ann.get("/task"), "left").status == 200
    with served.store.writing() as connection:
        connection.exec_driver_sql("UPDATE task SET given = '[1, '")
    page = ann.get("/task")
    assert (page.status, "The study is damaged" in page.text) == (500, True)
    path = tmp_path / "study.db"
    damaged = f"{path}: is damaged: '[1, ' is not JSON ("
    assert capsys.readouterr().err.startswith(f"rankprism assess: {damaged}")
    served.store.close()
    result = cli("assess", "export", path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"rankprism: {damaged}")
    assert "restore a backup" in result.stderr


def test_a_damaged_study_is_one_line_on_the_command_line(
    cli: Callable[..., Any], served: Served, tmp_path: Path
) -> None:
    with served.store.writing() as connection:
        connection.exec_driver_sql("UPDATE study SET settings = '{}'")
    served.store.close()
    path = tmp_path / "study.db"
    for command in (["export", path], ["link", path, "ann"]):
        result = cli("assess", *command)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr == (
            f"rankprism: {path}: the table study is damaged: its settings have no name; restore a backup "
            f"(rankprism assess restore)\n"
        )


def test_a_damaged_file_is_one_line_on_the_command_line(
    cli: Callable[..., Any], served: Served, tmp_path: Path
) -> None:
    served.store.close()
    path = tmp_path / "study.db"
    data = bytearray(path.read_bytes())
    data[4096 * 2 :] = b"\xa5" * (len(data) - 4096 * 2)
    path.write_bytes(data)
    result = cli("assess", "export", path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        f"rankprism: {path}: the database says database disk image is malformed; restore a backup: "
        f"rankprism assess restore\n"
    )


#: Text that is not UTF-8, and bytes in the place of text.
NO_TEXT = ("CAST(X'ff41' AS TEXT)", "X'ff41'")


@pytest.mark.parametrize("value", NO_TEXT)
@pytest.mark.parametrize("place", ["study.address", "assessor.name", "judgment.comment", "topic.title"])
def test_text_that_is_not_utf_8_is_damage(tmp_path: Path, served: Served, place: str, value: str) -> None:
    ann, boss = served.person("ann"), served.organiser()
    ann.work(most=2)
    table, column = place.split(".")
    with closing(sqlite3.connect(tmp_path / "study.db")) as connection, connection:
        connection.execute(f"UPDATE {table} SET {column} = {value} WHERE rowid = 1")
    told = [ann.get("/task"), boss.get("/organiser"), boss.get("/organiser/judgments")]
    told += [boss.get("/organiser/topics"), boss.get("/organiser/judgments/1")]
    assert {page.status for page in told} <= {200, 500}
    damaged = [page.text for page in told if page.status == 500]
    assert all("The study is damaged, and nothing was stored." in text for text in damaged)
    assert damaged or column == "address"
    why = rf"is damaged \(its table {table} has text in {column} that is not UTF-8\)"
    with pytest.raises(InputError, match=why):
        backups.back_up(str(tmp_path / "study.db"), str(tmp_path / "backup.db"))
    assert not (tmp_path / "backup.db").exists()


@pytest.mark.parametrize("value", NO_TEXT)
def test_commands_say_in_one_line_that_text_is_not_utf_8(
    tmp_path: Path, served: Served, cli: Callable[..., Any], value: str
) -> None:
    served.person("ann").work(most=2)
    served.store.close()
    study = tmp_path / "study.db"
    with closing(sqlite3.connect(study)) as connection, connection:
        connection.execute(f"UPDATE judgment SET comment = {value}")
        connection.execute(f"UPDATE study SET address = {value}")
    for words in (["export", study], ["link", study, "ann"], ["serve", study, "--port", 0]):
        done = cli("assess", *words)
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"rankprism: {study}: is damaged: ")
        assert line.endswith("restore a backup (rankprism assess restore)")


# ── the rest ─────────────────────────────────────────────────────────────────────────────────────


def test_a_new_link_for_the_organiser_ends_the_old_sessions(served: Served) -> None:
    ann, boss = served.person("ann"), served.organiser()
    assert boss.get("/organiser").status == 200
    other = served.organiser()
    told = boss.get("/organiser")
    assert told.status == 403
    assert "The command serve prints a new one" in told.text
    assert other.get("/organiser").status == 200
    assert ann.get("/task").status == 200


@pytest.mark.parametrize("digits", [11, 4300, 4301, 5000, 60_000])
def test_a_document_with_a_number_of_any_length_is_not_found(served: Served, digits: int) -> None:
    ann = served.person("ann")
    assert ann.get(f"/document/{'9' * digits}/left").status == 404
    assert ann.get(f"/document/{'0' * digits}/left").status == 404
    assert ann.get("/document/²/left").status == 404
    place = ann.get("/task").field("place")
    assert ann.get(f"/document/{place}/left").status == 200


HOSTILE = ("=1+1", "+1", "-1", "@x", "\tx", "\rx", '=HYPERLINK("x";"y")', "ok;=1+1", "a;\t@b", "＝1", "a,=b")


def test_cells_that_spreadsheets_would_compute_are_guarded_and_other_formats_stay_exact(
    served: Served, tmp_path: Path
) -> None:
    ann = served.person("ann")
    for number, words in enumerate((*HOSTILE, "plain", "a - b = c")):
        task = work.next_task(served.store, served.site.study.settings, 1)
        assert task is not None, number
        work.submit(served.store, 1, task.place, task.attempt, "tie", words)
    exact = exchange.export(served.store, "jsonl").text.decode().splitlines()
    assert [json.loads(line)["comment"] for line in exact] == [*HOSTILE, "plain", "a - b = c"]
    text = exchange.export(served.store, "guarded-csv").text.decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    comments = [row["comment"] for row in rows]
    assert comments[0] == "'=1+1"
    assert comments[-2:] == ["plain", "a - b = c"]
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            for part in cell.split(";"):  # as a spreadsheet with semicolons would split them
                assert not part.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    assert all(line.startswith('"') and line.endswith('"') for line in text.splitlines())
    answer = served.organiser().client.get("/organiser/export?to=guarded-csv")
    assert answer.text == text
    assert answer.headers["content-disposition"] == 'attachment; filename="A-study.csv"'
    assert ann.get("/organiser/export?to=guarded-csv").status == 403


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl"])
def test_an_export_without_names_adds_nothing_to_its_own_study(
    served: Served, tmp_path: Path, format: str
) -> None:
    """Its assessors are called a1, a2, …, but they are no new people."""
    for name in ("ann", "ben"):
        served.person(name).work(most=3)
    file = tmp_path / f"prefs.{format}"
    file.write_bytes(exchange.export(served.store, format).text)
    assert exchange.import_judgments(served.store, file) == (0, 6, 0)
    assert exchange.export(served.store, format).text == file.read_bytes()
    # An edited answer is told, and one at another time is of somebody else who is called a1.
    lines = exchange.export(served.store, "tsv").text.decode().splitlines()
    first = dict(zip(lines[0].split("\t"), lines[1].split("\t"), strict=True))
    edited = first | {"outcome": {"left": "right", "right": "left"}[first["outcome"]]}
    assert exchange.import_judgments(served.store, [edited]) == (0, 0, 1)
    assert exchange.import_judgments(served.store, [first | {"time": "2020-01-01T00:00:00"}]) == (1, 0, 0)


def test_grades_without_names_add_nothing_to_their_own_study(tmp_path: Path, collection: Collection) -> None:
    study = opened(tmp_path, Settings(depth=3, ask="grades"), collection=collection)
    rows = [("ann", 1), ("ben", 0)]
    lines = [
        json.dumps({"topic": "1", "aspect": "0", "doc": "1-d1", "grade": grade, "assessor": name})
        for name, grade in rows
    ]
    (tmp_path / "grades.jsonl").write_text("\n".join(lines) + "\n")
    assert exchange.import_judgments(study, tmp_path / "grades.jsonl") == (2, 0, 0)
    (tmp_path / "again.tsv").write_bytes(exchange.export(study, "tsv").text)
    assert exchange.import_judgments(study, tmp_path / "again.tsv") == (0, 2, 0)
    study.close()


def test_grades_are_guarded_too(tmp_path: Path, collection: Collection) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_text('[aspects.quality]\nlabels = ["-bad", "=good"]\ngrades = [0, 1]\n')
    study = opened(tmp_path, Settings(depth=3, ask="grades"), collection=collection, scale=scale)
    row = {"topic": "1", "aspect": "quality", "doc": "1-d1", "label": "-bad", "assessor": "ann"}
    (tmp_path / "grades.jsonl").write_text(json.dumps(row) + "\n")
    exchange.import_judgments(study, tmp_path / "grades.jsonl")
    (found,) = csv.DictReader(io.StringIO(exchange.export(study, "guarded-csv").text.decode()))
    assert (found["label"], found["grade"], found["aspect"]) == ("'-bad", "0.0", "quality")
    assert b"\t-bad\t0.0\t" in exchange.export(study, "tsv").text
    study.close()
