"""The keyboard and hostile documents in windows of Chromium and Firefox, with real keys and clicks."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from rankprism.judging.assess import app, rendering, store
from rankprism.judging.assess.settings import Settings
from tests.support import real_keys
from tests.support.assessing import Served, listening, make_collection, opened
from tests.support.attacks import HOSTILE, VECTORS
from tests.support.machine import required
from tests.support.real_keys import Window

pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def window(request: pytest.FixtureRequest) -> Iterator[Window]:
    if packages := real_keys.missing():
        required("browser", f"programs are missing: apt-get install {packages}")
    with getattr(real_keys, request.param)() as found:
        yield found


def place(window: Window) -> str:
    return str(window.evaluate("document.querySelector('form.answers input[name=place]').value"))


def pressed(window: Window, *keys: str) -> None:
    """Press keys, and wait for another task."""
    before = place(window)
    window.press(*keys)
    window.until(f"(document.querySelector('form.answers input[name=place]') || {{}}).value != '{before}'")
    window.until("document.activeElement.id == 'question'")
    window.shown()


def begin(window: Window, address: str) -> None:
    window.open(address)
    window.shown()
    window.evaluate("void document.addEventListener('click', () => { document.clicked = true; })")
    window.click("h1", until="document.clicked")
    window.press("Tab", "space", "Tab", "Return")
    window.until("!!document.querySelector('form.answers')")
    window.shown()


def in_document(where: str) -> str:
    """Whether the focus is in a document."""
    return f"(document.activeElement.src || '').endsWith('/{where}')"


def enter(window: Window, where: str) -> None:
    """Click into a document."""
    window.click(f"iframe[src$='/{where}']", until=in_document(where))


def scrolled(where: str) -> str:
    return f"document.querySelector(\"iframe[src$='/{where}']\").contentWindow.scrollY > 0"


def answers(served: Served) -> list[tuple[str, str, Any]]:
    judgment = store.judgment
    query = sa.select(judgment.c.answer, judgment.c.comment, judgment.c.grades)
    with served.store.reading() as connection:
        rows = connection.execute(query.where(judgment.c.withdrawn.is_(None)).order_by(judgment.c.id))
        return [tuple(row) for row in rows]


def test_documents_are_reached_and_scrolled_and_keys_work_inside_them(window: Window, tmp_path: Path) -> None:
    served = Served(opened(tmp_path, Settings(depth=3, ask="triplets", name="A study")))
    with listening(served) as port:
        begin(window, f"http://127.0.0.1:{port}{served.link('ann')}")
        for where in ("given-0", "left", "right"):
            window.press("Tab")
            window.until(in_document(where))
            window.press("Next")
            window.until(scrolled(where))
        window.press("Tab")
        assert window.evaluate("document.activeElement.value") == "left"  # the first button
        window.press("shift+Tab")
        window.until(in_document("right"))
        window.press("Down")  # scrolls, and does not answer
        pressed(window, "a")
        enter(window, "left")
        pressed(window, "u")
        assert answers(served) == []
        enter(window, "given-0")
        window.press("c")
        window.until("document.activeElement.id == 'comment'")
        window.write("as x")  # keys do not answer while one types
        window.press("Escape")
        window.until("document.activeElement.id == 'question'")
        enter(window, "right")
        window.press("Escape")
        window.until("document.activeElement.id == 'question'")
        pressed(window, "Right")
        enter(window, "right")
        pressed(window, "s")
        assert answers(served) == [("right", "as x", None), ("tie", "", None)]
        assert window.console() == []
    served.store.close()


def test_grades_are_given_while_the_focus_is_in_the_document(window: Window, tmp_path: Path) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_text(
        '[aspects.relevance]\nlabels = ["no", "yes"]\n[aspects.trust]\nlabels = ["low", "high"]\n'
    )
    settings = Settings(depth=3, ask="grades", name="Grades")
    served = Served(opened(tmp_path, settings, scale=scale))
    with listening(served) as port:
        begin(window, f"http://127.0.0.1:{port}{served.link('ann')}")
        enter(window, "left")
        window.press("2", "Next")
        window.until(scrolled("left"))
        pressed(window, "1", "Return")
        pressed(window, "1", "2", "Return")  # from the question
        window.press("2", "Return")  # the second row lacks a label, and gets the focus
        window.until("document.activeElement.name == 'aspect-1'")
        assert [grades for _, _, grades in answers(served)] == [
            {"relevance": "yes", "trust": "low"},
            {"relevance": "no", "trust": "high"},
        ]
    served.store.close()


class _Attacks(BaseHTTPRequestHandler):
    """Documents as the app shows them, or without a fence, and everything that they may not reach."""

    def do_GET(self) -> None:
        kind, _, number = self.path[1:].partition("/")
        if kind in ("fenced", "open") and number:
            evil = f"http://127.0.0.1:{self.server.server_port}"  # type: ignore[attr-defined]
            vector = VECTORS[int(number)].replace("pwn()", "top.pwned=1").replace("EVIL", evil)
            self._send(rendering.page(vector, ""), rendering.POLICY if kind == "fenced" else "")
        elif kind in ("fenced", "open"):
            template = Path(app.__file__).with_name("pages").joinpath("task.html").read_text()
            (sandbox,) = re.findall(r'<iframe (sandbox="[^"]*")', template)
            fence = sandbox if kind == "fenced" else ""
            frames = "".join(f'<iframe {fence} src="/{kind}/{n}"></iframe>' for n in range(len(VECTORS)))
            self._send(f"<!DOCTYPE html><title>x</title>{frames}", app.POLICY if kind == "fenced" else "")
        else:
            if self.path != "/favicon.ico":
                self.server.caught.append(self.path)  # type: ignore[attr-defined]
            self.send_response(204)
            self.end_headers()

    do_POST = do_GET

    def _send(self, html: str, policy: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if policy:
            self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        self.wfile.write(html.encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def attacks() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Attacks)
    server.caught = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_attacks_that_were_not_cleaned_do_nothing_in_the_frame(window: Window) -> None:
    """Each has a frame with the origin of the page, and only the sandbox and the policy as fences."""
    with attacks() as server:
        address = f"http://127.0.0.1:{server.server_port}"
        window.open(f"{address}/fenced")
        assert window.evaluate("frames.length") == len(VECTORS)
        assert window.evaluate("[window.pwned === undefined, location.pathname]") == [True, "/fenced"]
        assert server.caught == []  # type: ignore[attr-defined]
        # The trap works: the same attacks, without the fences.
        window.open(f"{address}/open")
        window.until("window.pwned")
        assert "/image" in server.caught  # type: ignore[attr-defined]


def test_a_hostile_document_gets_no_further_when_its_links_and_buttons_are_used(
    window: Window, tmp_path: Path
) -> None:
    """Nothing was removed from the document, and a person presses Enter on everything in it."""
    served = Served(opened(tmp_path, collection=make_collection(tmp_path, topics=("1",))))
    with attacks() as server, listening(served) as port:
        html = HOSTILE.replace("EVIL", f"http://127.0.0.1:{server.server_port}")
        with served.store.writing() as connection:
            connection.execute(sa.update(store.document).values(cleaned=html))
        address = f"http://127.0.0.1:{port}"
        begin(window, address + served.link("ann"))
        first = place(window)
        for number in range(HOSTILE.count("tabindex")):
            # The frame has no document for us if it shows that a page was blocked.
            focused = (
                "(() => { const shown = document.querySelector('iframe').contentDocument;"
                f"const one = shown && shown.querySelectorAll('[tabindex]')[{number}];"
                "if (one) one.focus(); return !!one; })()"
            )
            if not window.evaluate(focused):
                window.open(f"{address}/task")
                window.until(focused)
            window.press("Return", "space")
            assert window.evaluate("location.pathname + frames.length") == "/task2"
        assert window.evaluate("window.pwned === undefined")
        # Typing into a field of the document is no answer. Names that hide properties do not stop the keys.
        window.open(f"{address}/task")
        window.evaluate("void frames[1].document.querySelector('input').focus()")
        window.write("abx")
        assert place(window) == first
        assert served.judgments() == 0
        window.evaluate("void frames[0].document.querySelector('summary').focus()")
        pressed(window, "b")
        assert answers(served) == [("right", "", None)]
        assert server.caught == []  # type: ignore[attr-defined]
        assert window.evaluate("fetch('/task').then((one) => one.status)") == 200  # nobody was signed out
        assert any("Content" in one for one in window.console())  # what the policy blocks is an error there
    served.store.close()
