"""A small collection to judge, and people who judge it over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

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
        """What stands behind `rankprism assess new STUDY`."""
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
    """What stands on a page of the app."""

    status: int
    text: str

    def field(self, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]*)"', self.text)
        assert found is not None, f"the page has no field {name}:\n{self.text}"
        return unescape(found[1])

    @property
    def documents(self) -> tuple[str, ...]:
        """The titles of the documents, those that were read before first."""
        return tuple(map(unescape, re.findall(r'<span class="name">(.*?)</span>', self.text)))

    @property
    def code(self) -> str | None:
        found = re.search(r'<output class="code">(.*?)</output>', self.text)
        return None if found is None else found[1]

    @property
    def is_task(self) -> bool:
        return 'name="attempt"' in self.text


@dataclass
class Person:
    """An assessor with a browser of their own: anything with httpx's `get` and `post`."""

    client: Any
    acknowledged: list[tuple[str, str, str]] = field(default_factory=list)

    def join(self, path: str) -> Page:
        return self.post(path, consent="yes")

    def get(self, path: str) -> Page:
        answer = self.client.get(path)
        return Page(answer.status_code, answer.text)

    def post(self, path: str, **fields: str) -> Page:
        answer = self.client.post(path, data=fields, follow_redirects=True)
        return Page(answer.status_code, answer.text)

    def submit(self, page: Page, answer: str, **more: str) -> Page:
        return self.post(
            "/task",
            csrf=page.field("csrf"),
            place=page.field("place"),
            attempt=page.field("attempt"),
            answer=answer,
            **more,
        )

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
