"""The files of a study in SQLite: copies, what is left beside them, and who may read them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from rankprism.errors import InputError
from rankprism.judging.assess import backups, database_file, exchange, store, work
from rankprism.judging.assess.creation import create_study
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from tests.support.assessing import Collection, add_a_later_schema, make_collection, opened
from tests.support.machine import posix

ENDINGS = ("-wal", "-shm", "-journal")


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    folder = tmp_path / "collection"
    folder.mkdir()
    return make_collection(folder)


def new_study(target: Path, collection: Collection) -> Store:
    create_study(
        str(target),
        collection.runs,
        Settings(depth=3),
        documents=collection.documents,
        topics=collection.topics,
        assessors=("ann",),
    )
    return store.opened(str(target)).__enter__()


def answer(open_study: Store, number: int) -> None:
    """Ann, who is the first assessor, answers this many tasks."""
    for _ in range(number):
        task = work.next_task(open_study, Settings(depth=3), 1)
        assert task is not None
        assert work.submit(open_study, 1, task.place, task.attempt, "tie") == "stored"


def answers(path: Path) -> int:
    """How many answers there are in a file, which has to be whole."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(connection.execute("SELECT count(*) FROM judgment").fetchone()[0])


def copy_as_if_killed(source: Path, folder: Path) -> Path:
    """The files of an open study as they would be if its process died now."""
    folder.mkdir()
    for path in source.parent.glob(f"{source.name}*"):
        shutil.copy(path, folder)
    assert (folder / f"{source.name}-wal").stat().st_size > 0
    return folder / source.name


@pytest.fixture
def killed(tmp_path: Path, collection: Collection) -> Path:
    """A study with five answers, of which some are still beside the file."""
    study = new_study(tmp_path / "study.db", collection)
    answer(study, 5)
    copy = copy_as_if_killed(tmp_path / "study.db", tmp_path / "killed")
    study.close()
    return copy


# ── new studies ──────────────────────────────────────────────────────────────────────────────────


def test_what_a_removed_study_left_would_get_into_a_new_one_and_is_refused(
    killed: Path, collection: Collection, tmp_path: Path
) -> None:
    killed.unlink()
    before = set(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=r"study\.db-wal: is left from an earlier .*rm .*-wal .*-shm"):
        new_study(killed, collection)
    assert set(tmp_path.rglob("*")) == before
    # This is why: SQLite takes the old answers for answers of any database that is put there.
    fresh = tmp_path / "fresh.db"
    new_study(fresh, collection).close()
    shutil.copy(fresh, killed)
    with closing(sqlite3.connect(killed)) as connection:
        assert connection.execute("SELECT count(*) FROM judgment").fetchone() == (5,)


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_file_beside_a_new_study_is_refused(
    ending: str, tmp_path: Path, collection: Collection
) -> None:
    study = tmp_path / "study.db"
    Path(f"{study}{ending}").touch()
    with pytest.raises(InputError, match=rf"study\.db{ending}: is left from an earlier"):
        new_study(study, collection)
    with pytest.raises(InputError, match=rf"study\.db{ending}: is left from an earlier"):
        backups.back_up(str(make_with(1, tmp_path / "other.db", collection)), str(study))
    Path(f"{study}{ending}").unlink()
    new_study(study, collection).close()


def make_with(number: int, target: Path, collection: Collection) -> Path:
    study = new_study(target, collection)
    answer(study, number)
    study.close()
    return target


def test_a_study_that_exists_is_removed_with_what_is_beside_it(killed: Path, collection: Collection) -> None:
    with pytest.raises(InputError, match=r"exists already; .* rm \S+/study\.db \S+-wal \S+-shm$"):
        new_study(killed, collection)


def test_a_study_in_sqlite_is_named_by_its_file_alone(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=rf"named by its file alone: write {tmp_path}/s\.db"),
        store.opened(f"sqlite:///{tmp_path}/s.db"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


# ── copies ───────────────────────────────────────────────────────────────────────────────────────


def test_a_backup_has_what_a_plain_copy_lacks(killed: Path, tmp_path: Path) -> None:
    plain, backup = tmp_path / "plain.db", tmp_path / "backup.db"
    shutil.copy(killed, plain)
    assert backups.back_up(str(killed), str(backup)).judgments == 5
    assert answers(backup) == 5
    assert sorted(path.name for path in tmp_path.glob("backup.db*")) == ["backup.db"]
    with closing(sqlite3.connect(plain)) as connection:
        assert connection.execute("SELECT count(*) FROM judgment").fetchone() == (0,)


def test_a_study_is_copied_while_others_read_and_write_it(tmp_path: Path, collection: Collection) -> None:
    study = new_study(tmp_path / "study.db", collection)
    answer(study, 3)
    backup = tmp_path / "backup.db"
    with study.writing() as connection:  # an answer that is under way is not in the copy
        connection.execute(sa.delete(store.judgment))
        found = backups.back_up(str(tmp_path / "study.db"), str(backup))
    assert (found.judgments, answers(backup)) == (3, 3)
    assert found.last is not None
    assert str(found) == f"3 judgments, the last at {found.last}"
    study.close()


def test_a_restored_study_goes_on_where_the_backup_was_made(tmp_path: Path, collection: Collection) -> None:
    target, backup = tmp_path / "study.db", tmp_path / "backup.db"
    study = new_study(target, collection)
    answer(study, 4)
    expected = exchange.export(study, "jsonl").text
    backups.back_up(str(target), str(backup))
    answer(study, 2)
    study.close()
    content = backup.read_bytes()
    assert backups.restore(str(backup), str(target), replace=True).judgments == 4
    assert backup.read_bytes() == content
    with store.opened(str(target)) as again:
        assert exchange.export(again, "jsonl").text == expected
        answer(again, 16)  # two topics with C(5, 2) pairs each, less four
        assert work.next_task(again, Settings(depth=3), 1) is None


def test_restoring_removes_what_an_old_study_left(killed: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    backups.back_up(str(tmp_path / "study.db"), str(backup))
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute("DELETE FROM judgment WHERE id > 2")
    killed.unlink()
    Path(f"{killed}-journal").touch()
    assert backups.restore(str(backup), str(killed)).judgments == 2
    assert [path.name for path in killed.parent.iterdir()] == ["study.db"]
    assert answers(killed) == 2


def test_a_study_that_somebody_has_open_is_not_replaced(tmp_path: Path, collection: Collection) -> None:
    target, backup = tmp_path / "study.db", tmp_path / "backup.db"
    study = new_study(target, collection)
    answer(study, 2)
    other = make_with(1, tmp_path / "other.db", collection)
    backups.back_up(str(target), str(backup))
    before = sorted(tmp_path.iterdir())
    for act in (backups.restore, backups.back_up):  # a backup must not overwrite a served study, either
        with pytest.raises(InputError, match=r"study\.db: is served, or open in another program"):
            act(str(other), str(target), replace=True)
    assert sorted(tmp_path.iterdir()) == before
    answer(study, 1)
    study.close()
    assert answers(target) == 3
    backups.restore(str(backup), str(target), replace=True)
    assert answers(target) == 2


def test_nothing_is_replaced_unless_it_is_wanted(tmp_path: Path, collection: Collection) -> None:
    one, two = (make_with(n, tmp_path / f"{n}.db", collection) for n in (1, 2))
    for act in (backups.restore, backups.back_up):
        with pytest.raises(
            InputError, match=r"2\.db: exists already; name a new file, or replace it \(--rep"
        ):
            act(str(one), str(two))
        with pytest.raises(InputError, match="is the same file as"):
            act(str(one), str(one), replace=True)
        with pytest.raises(InputError, match=r"the folder .* does not exist"):
            act(str(one), str(tmp_path / "no" / "x.db"))
        with pytest.raises(InputError, match=r"none\.db: there is no such"):
            act(str(tmp_path / "none.db"), str(tmp_path / "x.db"))
    assert (answers(one), answers(two)) == (1, 2)
    backups.back_up(str(one), str(two), replace=True)
    assert answers(two) == 1


def damaged_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 * 5 : 4096 * 20] = b"\xa5" * (4096 * 15)
    path.write_bytes(data)


def changed(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damaged_page, "is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "malformed"),
        (
            lambda path: path.write_text("not a database, though as long as a header of one is. " * 9),
            "not a da",
        ),
        (lambda path: path.write_bytes(b""), "does not contain a study"),
        (changed("DROP TABLE alembic_version"), "does not contain a study"),
        (changed("UPDATE alembic_version SET version_num = '9999'"), "was made by a newer rankprism"),
        (changed("DROP TABLE token"), "is damaged: it has no table token"),
        (changed("ALTER TABLE place DROP COLUMN leased"), "its table place has no column leased"),
        (changed("UPDATE judgment SET assessor = 77"), "refers to a missing assessor"),
        (changed("UPDATE study SET settings = '{}'"), "its settings have no name"),
    ],
)
def test_a_damaged_backup_replaces_nothing(
    damage: Callable[[Path], object], message: str, tmp_path: Path, collection: Collection
) -> None:
    target = make_with(3, tmp_path / "study.db", collection)
    backup = tmp_path / "backup.db"
    backups.back_up(str(target), str(backup))
    damage(backup)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=message) as error:
        backups.restore(str(backup), str(target), replace=True)
    assert "backup.db: " in str(error.value)
    assert ".part" not in str(error.value)
    assert sorted(tmp_path.iterdir()) == before
    assert answers(target) == 3


def test_no_backup_is_made_of_a_damaged_study_and_the_last_one_stays(
    tmp_path: Path, collection: Collection
) -> None:
    study = make_with(3, tmp_path / "study.db", collection)
    backup = tmp_path / "backup.db"
    backups.back_up(str(study), str(backup))
    damaged_page(study)
    with pytest.raises(InputError, match=r"study\.db: (is damaged|cannot be copied)"):
        backups.back_up(str(study), str(backup), replace=True)
    assert answers(backup) == 3
    # This is what a backup is for, so the damaged study can be replaced.
    backups.restore(str(backup), str(study), replace=True)
    assert answers(study) == 3
    study.write_text("no database")
    backups.restore(str(backup), str(study), replace=True)
    assert answers(study) == 3


def test_a_backup_keeps_the_schema_that_the_study_has(
    tmp_path: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it can be made before a new version is tried. `restore` brings it to this version."""
    study = make_with(3, tmp_path / "study.db", collection)
    add_a_later_schema(tmp_path, monkeypatch)
    backup, again = tmp_path / "backup.db", tmp_path / "again.db"
    backups.back_up(str(study), str(backup))
    assert revision(study) == revision(backup) == "0001"
    backups.restore(str(backup), str(again))
    assert revision(backup) == "0001"
    assert revision(again) == "0002"
    assert answers(again) == 3


def revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


@posix
def test_a_link_to_a_study_stays_a_link(tmp_path: Path, collection: Collection) -> None:
    (tmp_path / "disk").mkdir()
    real = make_with(1, tmp_path / "disk" / "real.db", collection)
    link = tmp_path / "study.db"
    link.symlink_to(real)
    other = make_with(2, tmp_path / "other.db", collection)
    backups.restore(str(other), str(link), replace=True)
    assert link.is_symlink()
    assert answers(real) == 2
    real.unlink()
    Path(f"{real}-wal").write_bytes(b"left")  # SQLite looks for it beside the real file
    assert database_file.beside(str(link)) == [f"{link}-wal"]
    backups.restore(str(other), str(link))
    assert sorted(path.name for path in (tmp_path / "disk").iterdir()) == ["real.db"]
    assert answers(link) == 2


def test_studies_in_postgresql_are_left_to_its_own_programs(tmp_path: Path) -> None:
    url = "postgresql+psycopg://me:secret@host/name"
    with pytest.raises(InputError, match="pg_dump --format=custom") as error:
        backups.back_up(url, str(tmp_path / "backup.db"))
    assert "secret" not in str(error.value)
    with pytest.raises(InputError, match="pg_restore --dbname"):
        backups.restore(str(tmp_path / "backup.db"), url)


# ── killed on the way ────────────────────────────────────────────────────────────────────────────

#: Copies a study again and again, and is killed at the first, the second, … thing that it does with a file.
KILLED = """
import os, shutil, signal, sqlite3, sys
from pathlib import Path
from rankprism.judging.assess import backups

act, source, folder = getattr(backups, sys.argv[1]), sys.argv[2], Path(sys.argv[3])
work, target = folder / "work", folder / "work" / "study.db"
for step in range(1, 1000):
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(folder / "killed", work)
    child = os.fork()
    if child == 0:
        left = step
        def count(event, arguments):
            global left
            if event.partition(".")[0] in ("open", "os", "shutil", "sqlite3") and str(work) in str(arguments):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        act(source, str(target), replace=True)
        os._exit(0)
    ended = os.waitpid(child, 0)[1] == 0
    connection = sqlite3.connect(target)
    whole = connection.execute("PRAGMA integrity_check").fetchone()[0]
    print(whole, connection.execute("SELECT count(*) FROM judgment").fetchone()[0], flush=True)
    connection.close()
    if ended:
        break
"""


@posix
@pytest.mark.parametrize("act", ["restore", "back_up"])
def test_whoever_is_killed_while_replacing_a_study_leaves_the_old_or_the_new_one(
    act: str, killed: Path, tmp_path: Path, collection: Collection
) -> None:
    """The old study has five answers, some beside the file, and the new one has two."""
    source = make_with(2, tmp_path / "source.db", collection)
    command = [sys.executable, "-c", KILLED, act, str(source), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    states = done.stdout.splitlines()
    assert set(states) == {"ok 5", "ok 2"}
    assert states == sorted(states, reverse=True)  # and never the old one again after the new one
    assert len(states) > 8


# ── who may read and write them ──────────────────────────────────────────────────────────────────


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_may_read_the_files_of_a_study(
    umask: int, tmp_path: Path, collection: Collection
) -> None:
    before = os.umask(umask)
    try:
        study = new_study(tmp_path / "study.db", collection)
        answer(study, 1)
        backups.back_up(str(tmp_path / "study.db"), str(tmp_path / "backup.db"))
        backups.restore(str(tmp_path / "backup.db"), str(tmp_path / "again.db"))
        again = store.opened(str(tmp_path / "again.db")).__enter__()
        answer(again, 1)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("*.db*")}
        again.close()
        study.close()
    finally:
        os.umask(before)
    names = [f"{name}.db{ending}" for name in ("again", "study") for ending in ("", "-wal", "-shm")]
    assert modes == dict.fromkeys(["backup.db", *names], 0o600)


@posix
def test_nothing_is_stored_in_a_file_that_was_removed(tmp_path: Path) -> None:
    study = opened(tmp_path, assessors=("ann",))
    answer(study, 1)
    (tmp_path / "study.db").rename(tmp_path / "moved.db")
    with pytest.raises(store.Unavailable, match=r"was removed or replaced while it was open"):
        answer(study, 1)
    shutil.copy(tmp_path / "moved.db", tmp_path / "study.db")
    with pytest.raises(store.Unavailable, match=r"was removed or replaced while it was open"):
        answer(study, 1)
    study.close()
