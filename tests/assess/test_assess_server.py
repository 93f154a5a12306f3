"""The server as people start it: from the command line, killed at any moment, and used by a crowd."""

from __future__ import annotations

import csv
import io
import os
import random
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

import pytest

from rankprism.errors import RankprismError, install
from rankprism.judging.assess import access, store, study_state
from rankprism.judging.assess.insertion import ids
from rankprism.judging.assess.settings import Settings
from tests.support.assessing import Browser, Page, Person, by_worth, make_collection, over_network
from tests.support.machine import posix

CLI = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass
class Running:
    """A server in a process of its own, and what it said."""

    process: subprocess.Popen[str]
    port: int
    lines: list[str] = field(default_factory=list)

    @property
    def links(self) -> dict[str, str]:
        """The path of each link by the name before it."""
        found = (re.match(r"(\S+): http://127\.0\.0\.1:\d+(/\S+)$", line) for line in self.lines)
        return {match[1]: match[2] for match in found if match}

    def browser(self) -> Browser:
        return Browser(over_network(self.port), f"127.0.0.1:{self.port}")

    def person(self, link: str) -> Person:
        person = Person(self.browser())
        assert person.join(link).status == 200
        return person


@contextmanager
def running(command: Path, study: Path | str, *options: str, port: int = 0) -> Iterator[Running]:
    """Serve a study until the block ends; the first lines are read until the server answers."""
    process = subprocess.Popen(
        [command, "assess", "serve", str(study), "--port", str(port), "--rate", "1000000", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        while not (lines and ("Each link" in lines[-1] or "All links" in lines[-1])):
            line = process.stdout.readline()
            assert line, "".join(lines)
            lines.append(line.rstrip("\n"))
        at = re.search(r"served at http://127\.0\.0\.1:(\d+)", lines[0])
        assert at is not None
        server = Running(process, int(at[1]), lines)
        threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True).start()
        for _ in range(600):
            try:
                server.browser().get("/health")
                break
            except OSError:
                time.sleep(0.05)
        yield server
    finally:
        process.kill()
        process.wait(30)
        process.stdout.close()


def test_from_nothing_to_an_evaluated_ranking_with_three_commands(
    cli: CLI, rankprism_command: Path, tmp_path: Path
) -> None:
    collection = make_collection(tmp_path)
    study, prefs = tmp_path / "study.db", tmp_path / "prefs.tsv"
    made = cli(
        "assess", "new", study, *collection.arguments, "--depth", 3, "--ask", "both", "--assessors", "ann"
    )
    assert (made.returncode, made.stderr) == (0, "")
    # Five documents in each of two topics: C(5, 2) pairs and 5 · C(4, 2) triplets.
    assert made.stdout == (
        "study: 3 runs, 2 topics, 10 documents, 80 tasks for 80 judgments: "
        "about 27 minutes at 20 seconds each\n"
        f"Next: rankprism assess serve {study}\n"
    )
    with running(rankprism_command, study) as server:
        assert "this machine only" in server.lines[1]
        assert set(server.links) == {"organiser", "ann"}
        ann = server.person(server.links["ann"])
        ann.work(most=40)
        early = cli("assess", "export", study)  # any time, also while people work
        assert len(early.stdout.splitlines()) == 41
        assert ann.work().code is not None
        server.process.terminate()
        assert server.process.wait(30) == 0 or os.name == "nt"  # where it means to kill
    exported = cli("assess", "export", study, "-o", prefs)
    assert exported.returncode == 0
    assert (tmp_path / "prefs.tsv.provenance.json").is_file()
    found = cli("preferences", "describe", prefs, *collection.runs, "--format", "json")
    assert found.returncode == 0, found.stderr
    table = cli("evaluate", prefs, *collection.runs, "-m", "nPrf@3", "--format", "csv")
    assert table.returncode == 0, table.stderr
    scores = {row["run"]: float(row["score"]) for row in csv.DictReader(io.StringIO(table.stdout))}
    assert scores["good"] > scores["fair"] > scores["poor"]


def test_assessors_may_be_named_one_by_one(cli: CLI, tmp_path: Path) -> None:
    collection = make_collection(tmp_path)
    words = ["--depth", 3, "--assessors", "ann", "--assessors", "ben,eva"]
    made = cli("assess", "new", tmp_path / "s.db", *collection.arguments, *words)
    assert (made.returncode, made.stderr) == (0, "")
    with store.opened(str(tmp_path / "s.db")) as study, study.reading() as connection:
        assert sorted(ids(connection, store.assessor)) == ["ann", "ben", "eva"]


@pytest.mark.parametrize(
    ("submissions", "kills"), [(200, [100]), pytest.param(1000, [250, 500, 750], marks=pytest.mark.nightly)]
)
def test_no_acknowledged_judgment_is_lost_when_the_server_is_killed(
    cli: CLI, rankprism_command: Path, tmp_path: Path, submissions: int, kills: list[int]
) -> None:
    """Submissions by 20 clients, and kill -9 in the middle of them."""
    people = 20
    topics = tuple(map(str, range(1, submissions // 10 + 1)))
    collection = make_collection(tmp_path, topics=topics)  # each has C(5, 2) pairs
    study = tmp_path / "study.db"
    made = cli("assess", "new", study, *collection.arguments, "--depth", 3, "--assessors", people)
    assert f"{submissions} tasks" in made.stdout
    acknowledged: list[tuple[str, frozenset[str], str]] = []
    problems: list[BaseException] = []
    browsers: dict[str, Browser] = {}
    enough = threading.Event()

    def work(name: str, port: int, pause: threading.Event) -> None:
        person = Person(browsers[name])
        person.client.send = over_network(port)
        try:
            page = person.get("/task")
            while page.is_task and not pause.is_set():
                left, right = page.documents
                answer = by_worth(left, right, ())
                page = person.submit(page, answer)
                if page.status == 200:
                    acknowledged.append((name, frozenset((left, right)), left if answer == "left" else right))
            if not page.is_task:
                enough.set()
        except (OSError, HTTPException):
            pass  # killed: whatever was not acknowledged may be gone
        except BaseException as problem:
            problems.append(problem)

    port = 0
    for kill_after in (*kills, submissions):
        with running(rankprism_command, study, port=port) as server:
            port = server.port
            if not browsers:
                for number in range(1, people + 1):
                    person = server.person(server.links[f"assessor-{number}"])
                    browsers[f"assessor-{number}"] = person.client
            pause = threading.Event()
            threads = [threading.Thread(target=work, args=(name, port, pause)) for name in browsers]
            for thread in threads:
                thread.start()
            while len(acknowledged) < kill_after and any(thread.is_alive() for thread in threads):
                time.sleep(0.01)
            if kill_after < submissions:
                server.process.kill()
            for thread in threads:
                thread.join(120)
    assert not problems
    exported = cli("assess", "export", study, "--identities")
    rows = list(csv.DictReader(io.StringIO(exported.stdout), delimiter="\t"))
    stored = [(r["assessor"], frozenset((r["left"], r["right"])), r[r["outcome"]]) for r in rows]
    assert len(set(stored)) == len(stored) == submissions  # each task once, and none twice
    assert len(acknowledged) == len(set(acknowledged))
    assert set(acknowledged) <= set(stored)
    # What was stored and not acknowledged was under way when the server died: one for each person and kill.
    assert len(stored) - len(acknowledged) <= len(kills) * people


def test_links_can_be_lost_and_reissued(cli: CLI, rankprism_command: Path, tmp_path: Path) -> None:
    collection = make_collection(tmp_path)
    study = tmp_path / "study.db"
    cli("assess", "new", study, *collection.arguments, "--depth", 3, "--assessors", "ann,ben")
    with running(rankprism_command, study) as server:
        ann = server.person(server.links["ann"])
        ann.work(most=2)
    again = cli("assess", "link", study, "ann", "eva")
    assert again.returncode == 0
    links = dict(line.split(": ", 1) for line in again.stdout.splitlines())
    address = f"http://127.0.0.1:{server.port}"  # where it was served
    assert all(link.startswith(f"{address}/join/") for link in links.values())
    with running(rankprism_command, study, port=server.port) as server:
        assert set(server.links) == {"organiser"}  # the others were shown before
        person = server.person(links["ann"].removeprefix(address))
        assert "Question 3 of up to" in person.get("/task").text
        assert server.person(links["eva"].removeprefix(address)).get("/task").is_task


def test_a_link_says_where_the_study_is_served(cli: CLI, tmp_path: Path) -> None:
    collection = make_collection(tmp_path)
    study = tmp_path / "study.db"
    cli("assess", "new", study, *collection.arguments)
    never = cli("assess", "link", study, "ann")
    assert never.stdout.startswith("ann: http://127.0.0.1:8000/join/")
    assert never.stderr == (
        f"note: {study} was never served, so its address is not known; http://127.0.0.1:8000 is where "
        f"`serve` puts it by default (--public-url names another)\n"
    )
    with store.opened(str(study)) as opened, opened.writing() as connection:
        study_state.begin(opened, connection, Settings(), "https://assess.example.org")
    served = cli("assess", "link", study, "ann")
    assert (served.stdout.partition("/join/")[0], served.stderr) == ("ann: https://assess.example.org", "")
    named = cli("assess", "link", study, "ann", "--public-url", "https://other.example.org/")
    assert named.stdout.startswith("ann: https://other.example.org/join/")
    for url in (
        "other.example.org",
        "https://a/b",
        "https://a?b",
        "https://[a",
        "https://a:x",
        "https://u@a",
    ):
        with pytest.raises(RankprismError, match="must be like https://assess"):
            access.check_address(url)


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.nightly)])
def test_backups_have_every_acknowledged_answer_whenever_the_server_is_killed(
    cli: CLI, rankprism_command: Path, tmp_path: Path, rounds: int
) -> None:
    """Three people work. Backups are made meanwhile, and the server is killed, at moments that are drawn."""
    moments = random.Random(7)
    collection = make_collection(tmp_path, topics=tuple(map(str, range(1, 41))))  # 40 · C(5, 2) pairs
    study, backup, again = (tmp_path / name for name in ("study.db", "backup.db", "again.db"))
    cli("assess", "new", study, *collection.arguments, "--depth", 3, "--assessors", "ann,ben,eva")
    acknowledged: set[tuple[str, frozenset[str]]] = set()
    browsers: dict[str, Browser] = {}

    def work_on(name: str, port: int) -> None:
        person = Person(browsers[name])
        person.client.send = over_network(port)
        with suppress(OSError, HTTPException):  # killed
            page = person.get("/task")
            for _ in range(40):  # so that there is work left for the other rounds on any machine
                asked = frozenset(page.documents)
                page = person.submit(page, "tie")
                if page.status == 200:
                    acknowledged.add((name, asked))

    def stored(path: Path) -> set[tuple[str, frozenset[str]]]:
        exported = cli("assess", "export", path, "--identities")
        assert exported.returncode == 0, exported.stderr
        rows = list(csv.DictReader(io.StringIO(exported.stdout), delimiter="\t"))
        found = {(row["assessor"], frozenset((row["left"], row["right"]))) for row in rows}
        assert len(found) == len(rows)
        return found

    def copied() -> set[tuple[str, frozenset[str]]]:
        """What a backup has in it, after it was restored."""
        done = cli("assess", "backup", study, backup, "--replace")
        assert (done.returncode, done.stderr) == (0, "")
        done = cli("assess", "restore", backup, again, "--replace")
        assert (done.returncode, done.stderr) == (0, "")
        return stored(again)

    for _ in range(rounds):
        with running(rankprism_command, study) as server:
            if not browsers:
                browsers |= {n: server.person(server.links[n]).client for n in ("ann", "ben", "eva")}
            threads = [threading.Thread(target=work_on, args=(name, server.port)) for name in browsers]
            before = len(acknowledged)
            for thread in threads:
                thread.start()
            enough = before + moments.randint(5, 20)
            while len(acknowledged) < enough and any(thread.is_alive() for thread in threads):
                time.sleep(0.01)
            so_far = set(acknowledged)
            assert so_far <= copied()  # while it is served
            refused = cli("assess", "restore", backup, study, "--replace")
            assert refused.returncode == 2
            assert refused.stderr == (
                f"rankprism: {study}: is served, or open in another program; stop that program first\n"
            )
            time.sleep(moments.uniform(0, 0.3))
            server.process.kill()
            for thread in threads:
                thread.join(60)
        assert Path(f"{study}-wal").exists()
        assert acknowledged <= copied()  # after it was killed
        # And the study goes on from the backup, whatever the killed server has left.
        assert cli("assess", "restore", backup, study, "--replace").returncode == 0
        assert sorted(path.name for path in tmp_path.glob("study.db*")) == ["study.db"]
    assert acknowledged <= stored(study)
    study.unlink()  # once more, without the study: only what SQLite had left is there
    Path(f"{study}-wal").write_bytes(b"left")
    refused = cli("assess", "new", study, *collection.arguments)
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        f"rankprism: {study}-wal: is left from an earlier {study}, and SQLite would"
    )
    done = cli("assess", "restore", backup, study)
    assert done.stdout.startswith(f"{study}: {len(stored(study))} judgments, the last at ")
    assert done.stderr == f"note: removed {study}-wal, which an earlier {study} had left\n"


@posix
def test_ctrl_c_ends_the_server_in_good_order(cli: CLI, rankprism_command: Path, tmp_path: Path) -> None:
    collection = make_collection(tmp_path)
    study = tmp_path / "study.db"
    cli("assess", "new", study, *collection.arguments)
    with running(rankprism_command, study) as server:
        taken = cli("assess", "serve", study, "--port", server.port)
        assert taken.returncode == 2
        assert "cannot listen at 127.0.0.1" in taken.stderr
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) == 0
    assert sorted(path.name for path in tmp_path.glob("study.db*")) == ["study.db"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["serve", "none.db"],
            "none.db: there is no such study; make it with `rankprism assess new none.db …`",
        ),
        (["new", "s.db", "good.run", "--documents", "none.jsonl"], "none.jsonl: there is no such file"),
        (
            ["new", "s.db", "good.run", "--documents", "few.jsonl"],
            "has no text for 5 documents, such as '1-d2'",
        ),
        (
            ["new", "s.db", "good.run", "--documents", "bad.jsonl"],
            "bad.jsonl, line 2: the type 'pdf' is not one of",
        ),
        (
            ["new", "s.db", "good.run", "--documents", "twice.jsonl"],
            "line 2: document '1-d1' is in line 1",
        ),
        (
            ["new", "s.db", "good.run", "--documents", "docs.jsonl", "--topics", "one.tsv"],
            "1 topics of the runs are not in the file of topics, such as '2'",
        ),
        (["new", "s.db", "good.run", "--documents", "docs.jsonl", "--choice", "random"], "needs a budget"),
        (
            ["new", "s.db", "good.run", "--documents", "docs.jsonl", "--choice", "complete", "--budget", "5"],
            "a budget goes with random or adaptive choice",
        ),
        (
            [
                "new",
                "s.db",
                "good.run",
                "--documents",
                "docs.jsonl",
                "--choice",
                "adaptive",
                "--budget",
                "5",
                "-m",
                "P@5",
            ],
            "P@5 cannot rank systems by preferences, which the study collects",
        ),
        (
            ["new", "s.db", "good.run", "--documents", "docs.jsonl", "-m", "nosuch"],
            "unknown measure 'nosuch'",
        ),
        (
            ["new", "s.db", "good.run", "--documents", "docs.jsonl", "--scale", "x.toml"],
            "a scale is for grades",
        ),
        (["new", "no/s.db", "good.run", "--documents", "docs.jsonl"], "the folder no does not exist"),
        (["new", "s.db", "good.run", "--documents", "docs.jsonl", "--assessors", "a,a"], "different names"),
        (["new", "s.db", "good.run", "--documents", "docs.jsonl", "--settle", "2"], "settle is a Kendall's"),
        (["export", "none.db", "-o", "p.tsv"], "none.db: there is no such study"),
        (["import", "none.db", "p.tsv"], "none.db: there is no such study"),
        (["serve", "mysql://localhost/x"], "a study is in SQLite or PostgreSQL"),
    ],
)
def test_bad_input_is_named_and_leaves_nothing_behind(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankprism.cli.app import app

    make_collection(tmp_path)
    (tmp_path / "few.jsonl").write_text('{"id": "1-d1", "text": "x"}\n')
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": "b", "text": "x", "type": "pdf"}\n')
    (tmp_path / "twice.jsonl").write_text('{"id": "1-d1", "text": "x"}\n' * 2)
    (tmp_path / "one.tsv").write_text("1\tTopic 1\n")
    before = set(tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RankprismError, match=re.escape(message)):
        app(["assess", *arguments], standalone_mode=False)
    assert set(tmp_path.iterdir()) == before


def test_exported_grades_are_imported_by_commands(cli: CLI, tmp_path: Path) -> None:
    collection = make_collection(tmp_path)
    study, other, file = (str(tmp_path / name) for name in ("a.db", "b.db", "grades.tsv"))
    lines = "".join(f"1\t0\t1-d{i}\t{'not ' if i > 2 else ''}relevant\tann\n" for i in range(1, 4))
    Path(file).write_text("topic\taspect\tdoc\tlabel\tassessor\n" + lines)
    for target in (study, other):
        assert cli("assess", "new", target, *collection.arguments, "--ask", "grades").returncode == 0
    result = cli("assess", "import", study, file)
    assert (result.returncode, result.stdout) == (0, "3 judgments added, 0 were there already\n")
    out = str(tmp_path / "out.qrels")
    assert cli("assess", "export", study, "-o", out).returncode == 0
    assert sorted(Path(out).read_text().splitlines()) == ["1 0 1-d1 1", "1 0 1-d2 1", "1 0 1-d3 0"]
    result = cli("assess", "import", other, out, "--from", "qrels")
    assert (result.returncode, result.stdout) == (0, "3 judgments added, 0 were there already\n")
    result = cli("assess", "import", other, out, "--from", "winner")
    assert result.returncode == 2
    assert result.stderr == (
        f"rankprism: {out}: the study collects grades, which cannot be read as 'winner'; use one of "
        f"qrels, tsv, jsonl (--from)\n"
    )


def test_bad_input_is_one_line_on_the_command_line(cli: CLI) -> None:
    result = cli("assess", "serve", "none.db")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (
        "rankprism: none.db: there is no such study; make it with `rankprism assess new none.db …`\n"
    )


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    """As if Starlette was not there: the help works, and the command names the extra."""
    import sys

    code = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'starlette' else find(name, *a)\n"
        "sys.argv = ['rankprism', 'assess', *sys.argv[1:]]\n"
        "from rankprism.cli import main; main()"
    )
    shown = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    assert shown.returncode == 0
    result = subprocess.run([sys.executable, "-c", code, "serve", "x.db"], capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr == f"rankprism: assess needs starlette: {install('assess')}\n"


def test_the_help_and_the_options_load_nothing_of_the_extra(tmp_path: Path) -> None:
    import sys

    heavy = ["starlette", "sqlalchemy", "alembic", "jinja2", "uvicorn", "markdown_it", "nh3"]
    code = (
        "import sys\nfrom rankprism.cli.app import app\n"
        "app(['assess', 'new', '--help'], standalone_mode=False)\n"
        "app(['assess', 'import', '--help'], standalone_mode=False)\n"
        f"print('loaded:', *[m for m in {heavy} if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1].strip() == "loaded:"


def test_a_page_is_read_as_the_tests_think() -> None:
    """Guards the reader of pages in `assessing`: no field is an error, not an empty answer."""
    with pytest.raises(AssertionError):
        Page(200, "").field("place")
