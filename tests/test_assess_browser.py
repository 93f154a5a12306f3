"""A study in a real browser: by keyboard only, at three widths, in the dark, and with hostile documents.

Set RANKPRISM_SCREENSHOTS to a folder to keep pictures of every screen. docs/assess.md shows some of them.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from assessing import Served, by_worth, listening, make_collection, opened
from attacks import VECTORS

import rankprism
from rankprism import documents
from rankprism.assess import access, exchange, rendering
from rankprism.assess.settings import Settings

#: Where pictures are kept; None if they are not wanted.
FOLDER = Path(os.environ["RANKPRISM_SCREENSHOTS"]) if "RANKPRISM_SCREENSHOTS" in os.environ else None
#: Every width, and both colours. For pictures, each width is looked at in both.
LOOKED_AT = (("phone", "dark"), ("tablet", "light"), ("desktop", "light"))
WIDTHS = {"phone": (360, 740), "tablet": (768, 1024), "desktop": (1440, 900)}


@pytest.fixture(scope="module")
def axe() -> str:
    pytest.importorskip("axe_playwright_python")
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def accessible(page: Any, axe: str) -> None:
    """Fails with what axe-core finds wrong with a page."""
    page.evaluate(axe)
    # Documents are shown in frames without scripts, which axe cannot enter.
    found = page.evaluate("axe.run(document, {iframes: false})")
    problems = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]
    assert problems == []
    assert found["passes"]


def fits(page: Any) -> None:
    """Fails if a page is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def keep(page: Any, name: str) -> None:
    """Keep a picture of a page, in few colours and therefore small."""
    if FOLDER is not None:
        from PIL import Image

        picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
        picture.quantize(64, dither=Image.Dither.NONE).save(FOLDER / f"assess-{name}.png", optimize=True)


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


#: The titles of the documents, from the best to the worst.
NAMES = ("The animal", "Facts about jaguars", "Jaguar cars of the post-war years", "A note", "Range map")


def _documents(folder: Path) -> Path:
    """Documents of every type, with enough text to scroll."""
    words = (
        "The first jaguars were kept in royal gardens. A jaguar weighs up to 96 kilograms and hunts alone, "
        "mostly at night. Its range reaches from Mexico to Argentina. "
    )
    rows = [
        {"type": "text", "text": words * 12},
        {
            "type": "markdown",
            "text": f"# Jaguars\n\n{words}\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        },
        {
            "type": "html",
            "text": f"<h1>Cars</h1><p>{words * 4}</p><table><tr><td>XK</td><td>1948</td></tr></table>",
        },
        {"type": "text", "text": "Short."},
        {"type": "text", "text": words * 3},
    ]
    path = folder / "documents.jsonl"
    lines = [
        json.dumps({"id": f"1-d{i}", "title": title, "url": f"https://example.org/{i}", **row})
        for i, (title, row) in enumerate(zip(NAMES, rows, strict=True), 1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@contextmanager
def studies(folder: Path) -> Iterator[tuple[Served, Served]]:
    """A study of triplets for a crowd, which begins with a pair for practice, and a study of grades."""
    made = make_collection(folder, topics=("1",))
    made.topics.write_text(
        "1\tjaguar\tSomebody wants to know about jaguars: the animals, and perhaps also the cars.\n"
    )
    collection = type(made)(folder, made.runs, _documents(folder), made.topics)
    practice = folder / "practice.tsv"
    practice.write_text("topic\tleft\tright\toutcome\n1\t1-d1\t1-d3\tleft\n")
    scale = folder / "scale.toml"
    scale.write_text(
        '[aspects.relevance]\nlabels = ["not", "partly", "highly"]\n'
        '[aspects.trust]\nlabels = ["low", "high"]\n'
    )
    settings = Settings(name="Jaguars", depth=3, ask="triplets", crowd=True, quota=2, minutes=30)
    graded = Settings(name="Jaguars", depth=3, ask="grades", overlap=9)
    for name in ("triplets", "grades"):
        (folder / name).mkdir()
    both = (
        Served(opened(folder / "triplets", settings, collection=collection, practice=practice)),
        Served(opened(folder / "grades", graded, collection=collection, scale=scale)),
    )
    yield both
    for one in both:
        one.store.close()


def answered(page: Any, *keys: str) -> None:
    """Press keys, and wait until the answer is stored."""
    place = page.locator("form.answers input[name=place]").input_value()
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(
        "p => (document.querySelector('form.answers input[name=place]') || {}).value != p", arg=place
    )
    page.wait_for_load_state("networkidle")


def begin(page: Any, address: str) -> None:
    page.goto(address)
    page.check("input[name=consent]")
    page.click("button:has-text('Begin')")
    page.wait_for_selector("form.answers")
    page.wait_for_load_state("networkidle")


def looked_at(page: Any, axe: str, how: str, screen: str) -> None:
    fits(page)
    accessible(page, axe)
    keep(page, f"{screen}-{how}")


def test_every_screen_of_assessors_fits_is_accessible_and_has_a_dark_side(
    browser: Any, axe: str, tmp_path: Path
) -> None:
    said: list[str] = []
    with studies(tmp_path) as (served, graded), listening(served) as port, listening(graded) as graded_port:
        with served.store.writing() as connection:
            crowd = f"http://127.0.0.1:{port}/crowd/{access.first_links(connection, crowd=True)[None]}"
        for name, scheme in LOOKED_AT if FOLDER is None else product(WIDTHS, ("light", "dark")):
            width, height = WIDTHS[name]
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB"
            )
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            look = partial(looked_at, page, axe, f"{name}-{scheme}")
            page.goto(f"{crowd}?STUDY_ID=7")
            look("wrong-link")
            assert "parameter worker or PROLIFIC_PID or workerId" in page.inner_text("main")
            assert [text for text in said if "400 (Bad Request)" not in text] == []
            said.clear()  # a browser notes every page with an error
            page.goto(f"{crowd}?PROLIFIC_PID=5f1e{name}{scheme}")
            look("join")
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
            begin(page, page.url)
            look("pair")
            panes = page.locator(".asked iframe").evaluate_all(
                "all => all.map((one) => one.getBoundingClientRect().width)"
            )
            assert panes[0] == panes[1]
            answered(page, "s")
            assert "The organiser would have said: " in page.inner_text(".notice")
            page.wait_for_selector(".given")
            look("triplet")
            bar = page.locator(".answers").bounding_box()
            assert bar is not None
            assert (
                bar["y"] + bar["height"] <= height + 1
            )  # the answers are in view, and leave room for the text
            assert bar["height"] < 90
            page.goto(f"http://127.0.0.1:{port}/instructions")
            look("instructions")
            page.goto(f"http://127.0.0.1:{port}/task")
            page.wait_for_load_state("networkidle")
            answered(page, "a")
            answered(page, "b")
            look("done")
            begin(page, f"http://127.0.0.1:{graded_port}{graded.link(f'{name}-{scheme}')}")
            look("grades")
            answered(page, "3", "1", "Enter")
            context.close()
        with graded.store.reading() as connection:
            assert {one.label for one in exchange.grades(connection)} == {"highly", "low"}
    assert said == []  # nor has the policy of a page blocked anything


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
