"""A study in a real browser: by keyboard only, and with hostile documents."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import rankprism
from rankprism.judging.assess import exchange, rendering
from rankprism.judging.assess.settings import Settings
from rankprism.text import documents
from tests.support.assessing import Served, by_worth, listening, make_collection, opened
from tests.support.attacks import VECTORS


@pytest.fixture(scope="module")
def axe() -> str:
    pytest.importorskip("axe_playwright_python")
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def accessible(page: Any, axe: str) -> None:
    """Fails with what axe-core finds wrong with a page."""
    page.evaluate(axe)
    # Documents are shown in frames without scripts, which axe cannot enter.
    problems, passed = page.evaluate(
        "axe.run(document, {iframes: false, resultTypes: ['violations']}).then((found) => "
        "[found.violations.map((one) => [one.id, one.nodes.map((node) => node.html)]), found.passes.length])"
    )
    assert problems == []
    assert passed


def fits(page: Any) -> None:
    """Fails if a page is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def titles(page: Any) -> list[str]:
    return list(page.locator(".document h3 .name").all_inner_texts())


def by_keyboard(page: Any, address: str) -> None:
    """Read the instructions, agree and begin, without a mouse."""
    page.goto(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "consent"
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("form.answers")


def answer_all(page: Any, keys: dict[str, str], most: int = 1000) -> int:
    """Answer by keys until the last page; how many answers it took."""
    for count in range(most):
        if page.locator("#page").get_attribute("data-kind") == "done":
            return count
        place = page.locator("form.answers input[name=place]").input_value()
        *given, left, right = titles(page)
        page.keyboard.press(keys[by_worth(left, right, tuple(given))])
        page.wait_for_function(
            "place => document.querySelector('#page[data-kind=done]') || "
            "(document.querySelector('form.answers input[name=place]') || {}).value != place",
            arg=place,
        )
    return most


def test_two_assessors_judge_a_whole_study_by_keyboard(browser: Any, axe: str, tmp_path: Path) -> None:
    collection = make_collection(tmp_path, topics=("1",))
    settings = Settings(name="Which is better?", depth=3, ask="both", choice="random", budget=12, overlap=2)
    served = Served(opened(tmp_path, settings, collection=collection))
    with listening(served) as port:
        address = f"http://127.0.0.1:{port}"
        people = []
        for name, keys in (("ann", ("a", "b")), ("ben", ("ArrowLeft", "ArrowRight"))):
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            page = context.new_page()
            by_keyboard(page, address + served.link(name))
            people.append((context, page, dict(zip(("left", "right"), keys, strict=True))))
        (_, ann, hers), (_, ben, his) = people
        accessible(ann, axe)
        # Ann comments, errs, and takes it back.
        ann.keyboard.press("c")
        ann.keyboard.type("a b s x u")  # keys do not answer while one types
        ann.keyboard.press("Escape")
        assert served.judgments() == 0
        first = ann.locator("form.answers input[name=place]").input_value()
        ann.keyboard.press("s")
        ann.wait_for_function("p => document.querySelector('input[name=place]').value != p", arg=first)
        assert ann.evaluate("document.activeElement.id") == "question"  # a screen reader goes on there
        ann.keyboard.press("u")
        ann.wait_for_function(
            "p => document.querySelector('form.answers input[name=place]').value == p", arg=first
        )
        assert ann.locator("button.before span").inner_text() == "About the same"
        assert ann.locator("#comment").input_value() == "a b s x u"
        answer_all(ann, hers, most=5)
        ann.reload()  # she comes back later and finds the task she had
        assert answer_all(ann, hers) == 7
        assert ann.locator("output.code").inner_text()
        assert answer_all(ben, his) == 12
        accessible(ben, axe)
        for context, _, _ in people:
            context.close()
    with served.store.reading() as connection:
        found = exchange.preferences(connection, identities=True)
    assert found is not None
    assert len(found) == 24
    assert found.assessors == ("ann", "ben")
    assert {len(given) for given in found.givens} == {0, 1}  # pairs and triplets
    assert set(found.comment or ()) == {"", "a b s x u"}
    for left, right, outcome in zip(*(found.columns()[n] for n in ("left", "right", "outcome")), strict=True):
        assert outcome == by_worth(left, right, ())
    scores = rankprism.evaluate(found, [str(run) for run in collection.runs], "nPrf(estimate='pooled')@3")
    means = {run: next(iter(values.values())) for run, values in scores.mean().items()}
    assert means["good"] > means["fair"] > means["poor"]
    served.store.close()


def test_documents_are_accessible_with_their_marks(browser: Any, axe: str) -> None:
    text = "<h1>Jaguars</h1><p>A jaguar <a href=x>swims</a>.<table><tr><th>a<tr><td>b</table>"
    shown = rendering.page(documents.cleaned(text, "html"), "Jaguars", ("jaguar",))
    assert shown.count("<mark>") == 2
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.set_content(shown.replace('lang="und"', 'lang="en"'))  # nobody knows the language of a document
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
        assert [one["id"] for one in found["violations"]] == []
        page.close()


class _Trap(BaseHTTPRequestHandler):
    """A server that no document may reach."""

    def do_GET(self) -> None:
        self.server.caught.append(self.path)  # type: ignore[attr-defined]
        self.send_response(204)
        self.end_headers()

    do_POST = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def trap() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Trap)
    server.caught = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_cleaned_attacks_do_nothing_even_on_a_page_that_allows_everything(
    browser: Any, trap: ThreadingHTTPServer, tmp_path: Path
) -> None:
    """Without the frame and without a policy: what cleaning leaves is harmless by itself."""
    evil = f"http://127.0.0.1:{trap.server_port}"
    context = browser.new_context()
    page = context.new_page()
    ran: list[str] = []
    page.expose_function("pwn", lambda: ran.append("pwn"))
    for type in ("html", "markdown", "text"):
        for vector in VECTORS:
            shown = documents.cleaned(vector.replace("EVIL", evil), type)
            page.set_content(f"<!DOCTYPE html><meta charset=utf-8><body>{shown}")
            page.evaluate("document.body.innerHTML = document.body.innerHTML")  # parsed once more
            page.evaluate("for (const one of document.querySelectorAll('*')) { one.focus(); one.click() }")
        page.wait_for_timeout(200)
        assert page.url == "about:blank"
    assert ran == []
    assert trap.caught == []  # type: ignore[attr-defined]
    # The trap works: the same attacks, not cleaned.
    for vector in (VECTORS[0], *(one for one in VECTORS if "<img src=EVIL/image" in one)):
        page.set_content(f"<!DOCTYPE html><meta charset=utf-8><body>{vector.replace('EVIL', evil)}")
        page.wait_for_timeout(200)
    assert ran
    assert "/image" in trap.caught  # type: ignore[attr-defined]
    context.close()


def test_attacks_in_a_study_do_nothing(browser: Any, trap: ThreadingHTTPServer, tmp_path: Path) -> None:
    """The way that documents really take, with all of the attacks in one document."""
    evil = f"http://127.0.0.1:{trap.server_port}"
    made = make_collection(tmp_path, topics=("1",))
    rows = [
        {"id": f"1-d{i}", "text": "\n".join(VECTORS[i - 1 :: 5]).replace("EVIL", evil), "type": "html"}
        for i in range(1, 6)
    ]
    made.documents.write_text("".join(json.dumps(row) + "\n" for row in rows))
    served = Served(opened(tmp_path, collection=made))
    with listening(served) as port:
        context = browser.new_context()
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("dialog", lambda dialog: dialog.dismiss())
        page.goto(f"http://127.0.0.1:{port}{served.link('ann')}")
        page.check("input[name=consent]")
        page.click("text=Begin")
        for _ in range(4):
            page.wait_for_selector("form.answers")
            page.wait_for_timeout(300)
            place = page.locator("form.answers input[name=place]").input_value()
            page.keyboard.press("s")
            page.wait_for_function("p => document.querySelector('input[name=place]').value != p", arg=place)
        assert said == []  # a blocked script or request would be an error in the console
        assert trap.caught == []  # type: ignore[attr-defined]
        context.close()
    served.store.close()
