"""A small collection to judge, and people who judge it over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from html import unescape
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import pytest
import sqlalchemy as sa

from rankprism.judging.assess import access, open_task, store, study_state, work
from rankprism.judging.assess.app import make_app
from rankprism.judging.assess.connections import Limits
from rankprism.judging.assess.connections import server as make_server
from rankprism.judging.assess.creation import create_study
from rankprism.judging.assess.settings import Settings
from rankprism.judging.assess.store import Store
from rankprism.judging.assess.visit import Site

#: How good each document of a topic is, from the best to the worst.
WORTH = {"d1": 5, "d2": 4, "d3": 3, "d4": 2, "d5": 1}
RUNS = {"good": ["d1", "d2", "d3"], "fair": ["d3", "d2", "d4"], "poor": ["d5", "d4", "d3"]}
TOPICS = ("1", "2")


@dataclass(frozen=True)
class Collection:
    """The files that a study is made of."""

    folder: Path
    runs: tuple[Path, ...]
    documents: Path
    topics: Path

    @property
    def arguments(self) -> list[str]:
        """The arguments after `rankprism assess new STUDY`."""
        return [*map(str, self.runs), "--documents", str(self.documents), "--topics", str(self.topics)]


def make_collection(folder: Path, topics: tuple[str, ...] = TOPICS) -> Collection:
    """Two topics, three systems whose order is good, fair, poor, and documents whose title is their name."""
    runs = []
    for name, docs in RUNS.items():
        path = folder / f"{name}.run"
        lines = [
            f"{topic} Q0 {topic}-{doc} {rank} {9 - rank} {name}\n"
            for topic in topics
            for rank, doc in enumerate(docs, 1)
        ]
        path.write_text("".join(lines))
        runs.append(path)
    rows = [
        {
            "id": f"{topic}-{doc}",
            "title": f"{topic}-{doc}",
            "text": f"Text of {doc}.\n" * 30,
            "url": f"https://example.org/{doc}",
        }
        for topic in topics
        for doc in WORTH
    ]
    documents = folder / "docs.jsonl"
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
    named = folder / "topics.tsv"
    named.write_text("".join(f"{topic}\tTopic {topic}\tWhat is known of {topic}?\n" for topic in topics))
    return Collection(folder, tuple(runs), documents, named)


def worth(name: str) -> int:
    """How good a document is."""
    return WORTH[name.rpartition("-")[2]]


def by_worth(left: str, right: str, given: tuple[str, ...]) -> str:
    """The answer of somebody who prefers the better document."""
    return "left" if worth(left) > worth(right) else "right"


@dataclass(frozen=True)
class Page:
    """A page of the app as people see it."""

    status: int
    text: str

    def field(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.text)
        assert found is not None, f"the page has no field {name}:\n{self.text}"
        return unescape(found[1])

    @property
    def documents(self) -> tuple[str, ...]:
        """The titles of the documents, those that were read before first."""
        return tuple(map(unescape, re.findall(r'<span class="name"[^>]*>(.*?)</span>', self.text)))

    @property
    def heading(self) -> str:
        """The title of the topic."""
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.text)
        return "" if found is None else unescape(found[1])

    @property
    def code(self) -> str | None:
        found = re.search(r'<output class="code">(.*?)</output>', self.text)
        return None if found is None else found[1]

    @property
    def is_task(self) -> bool:
        return 'name="attempt"' in self.text


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    status_code: int
    headers: Mapping[str, str]
    text: str


Send = Callable[[str, str, Mapping[str, str], bytes], Answer]


@dataclass
class Browser:
    """What a browser does, as far as it matters here: it keeps cookies and follows redirects."""

    send: Send
    host: str = "localhost"
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str) -> Answer:
        return self.request("GET", path)

    def post(
        self,
        path: str,
        data: Mapping[str, str] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        follow_redirects: bool = False,
    ) -> Answer:
        body = urlencode(data or {}).encode() if content is None else content
        answer = self.request("POST", path, content=body, headers=headers)
        if follow_redirects and answer.status_code == 303:
            return self.get(answer.headers["location"])
        return answer

    def request(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        if "://" in path:
            path = path.split("/", 3)[3].join(("/", ""))
        sent = {"Host": self.host, "Content-Type": "application/x-www-form-urlencoded"}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = self.send(method, path, sent | dict(headers or {}), content or b"")
        if "set-cookie" in answer.headers:
            for name, morsel in SimpleCookie(answer.headers["set-cookie"]).items():
                self.cookies[name] = morsel.value
        return answer


def in_process(app: Any, scheme: str = "http") -> Send:
    """Sends requests to an ASGI app in this process."""

    async def called(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        raw, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": scheme,
            "path": unquote(raw),
            "raw_path": raw.encode(),
            "query_string": query.encode(),
            "headers": [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()],
            "client": ("127.0.0.1", 1234),
            "server": ("127.0.0.1", 80),
        }
        messages: list[Any] = []

        bodies = [body]

        async def receive() -> dict[str, Any]:
            if not bodies:
                await asyncio.Event().wait()  # the client stays, and says nothing more
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        try:
            await app(scope, receive, send)
        except Exception:  # Starlette answers with 500 and raises it again, for the log
            if not messages:
                raise
        start, *rest = messages
        found = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in start["headers"]}
        text = b"".join(one.get("body", b"") for one in rest)
        return Answer(start["status"], found, text.decode())

    return lambda *request: asyncio.run(called(*request))


def over_network(port: int) -> Send:
    """Sends requests to a server on this machine."""

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request(method, path, body or None, {**headers, "Connection": "close"})
            with connection.getresponse() as answer:
                found = {k.lower(): v for k, v in answer.getheaders()}
                return Answer(answer.status, found, answer.read().decode())

    return send


@dataclass
class Person:
    """An assessor with a browser of their own, with scripts or without."""

    client: Browser
    by_htmx: bool = True

    def join(self, path: str) -> Page:
        return self.post(path, consent="yes")

    def get(self, path: str) -> Page:
        answer = self.client.get(path)
        return Page(answer.status_code, answer.text)

    def post(self, path: str, **fields: str) -> Page:
        answer = self.client.post(path, data=fields, follow_redirects=True)
        return Page(answer.status_code, answer.text)

    def submit(self, page: Page, answer: str, **more: str) -> Page:
        fields = {name: page.field(name) for name in ("csrf", "place", "attempt")}
        headers = {"HX-Request": "true"} if self.by_htmx else {}
        sent = {**fields, "answer": answer, **more}
        found = self.client.post("/task", sent, headers=headers, follow_redirects=True)
        return Page(found.status_code, found.text)

    def work(self, answer: Callable[[str, str, tuple[str, ...]], str] = by_worth, most: int = 10_000) -> Page:
        """Answer everything there is."""
        page = self.get("/task")
        for _ in range(most):
            if not page.is_task:
                break
            *given, left, right = page.documents
            page = self.submit(page, answer(left, right, tuple(given)))
            assert page.status == 200, page.text
        return page


class Served:
    """A study and clients of its app, all in this process."""

    def __init__(self, open_study: Store, **options: Any) -> None:
        self.store = open_study
        with open_study.reading() as connection:
            study = study_state.load(connection)
        options.setdefault("rate", access.Rate(1_000_000))
        self.site = Site(open_study, study, **options)
        self.app = make_app(self.site)

    def client(self, host: str = "localhost", **cookies: str) -> Browser:
        scheme = "https" if self.site.secure else "http"
        return Browser(
            in_process(self.app, scheme), host, {k.replace("_", "-"): v for k, v in cookies.items()}
        )

    def link(self, name: str) -> str:
        with self.store.writing() as connection:
            return f"/join/{access.new_link(connection, name)}"

    def person(self, name: str, port: int | None = None) -> Person:
        """Somebody who has joined: in this process, or over the network at this port."""
        over = self.client() if port is None else Browser(over_network(port), f"127.0.0.1:{port}")
        person = Person(over)
        assert person.join(self.link(name)).status == 200
        return person

    def organiser_link(self) -> str:
        with self.store.writing() as connection:
            return f"/organise/{access.organiser_link(connection)}"

    def organiser(self) -> Person:
        person = Person(self.client())
        assert person.post(self.organiser_link()).status == 200
        return person

    def judgments(self) -> int:
        with self.store.reading() as connection:
            return int(connection.scalar(sa.select(sa.func.count()).select_from(store.judgment)) or 0)


def opened(folder: Path, settings: Settings | None = None, **options: Any) -> Store:
    collection: Collection = options.pop("collection", None) or make_collection(folder)
    target = options.pop("target", None) or str(folder / "study.db")
    create_study(
        target,
        collection.runs,
        settings or Settings(depth=3, name="A study"),
        documents=collection.documents,
        topics=collection.topics,
        **options,
    )
    return store.opened(target).__enter__()


_LATER = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("study", sa.Column("later", sa.Text(), nullable=True))
"""


def add_a_later_schema(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, the newest schema is another one, whose studies have one column more."""
    migrations = folder / "migrations"
    shutil.copytree(store._MIGRATIONS, migrations)
    (migrations / "versions" / "0002_later.py").write_text(_LATER)
    monkeypatch.setattr(store, "_MIGRATIONS", migrations)


@contextmanager
def listening(served: Served, limits: Limits | None = None) -> Iterator[int]:
    """Serve the app of a study from a thread of this process; the port."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        server = make_server(served.app, limits or Limits())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield place.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def made(target: str, collection: Collection, settings: Settings | None = None, **options: object) -> Store:
    names = options.pop("assessors", ("ann", "ben", "eva"))
    create_study(
        target,
        collection.runs,
        settings or Settings(depth=3),
        documents=collection.documents,
        topics=collection.topics,
        assessors=names,  # type: ignore[arg-type]
        **options,  # type: ignore[arg-type]
    )
    opened = store.opened(target)
    return opened.__enter__()


def assessor(open_study: Store, name: str) -> int:
    with open_study.reading() as connection:
        found = connection.scalar(sa.select(store.assessor.c.id).where(store.assessor.c.name == name))
    assert found is not None
    return int(found)


def settings_of(open_study: Store) -> Settings:
    with open_study.reading() as connection:
        return study_state.load(connection).settings


def judge(open_study: Store, who: int, task: open_task.Assignment) -> str:
    left, right = (worth(text.name) for text in task.documents)
    return work.submit(open_study, who, task.place, task.attempt, "left" if left > right else "right")
