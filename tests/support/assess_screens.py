"""Every screen that assessors and organisers of a study can see, one after the other in one window.

A walk opens each screen in turn and yields its name. Whoever walks may resize the window and change its
colours before going on. docs/assess-screens.md shows the pictures in the order of the walks.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from rankprism.judging.assess import access, store, study_state
from rankprism.judging.assess.estimates import Estimates
from rankprism.judging.assess.settings import Settings
from tests.assess.test_assess_drawn import Files, answer, the_judges
from tests.assess.test_assess_drawn import opened as opened_drawn
from tests.support.assessing import Collection, Served, by_worth, listening, make_collection, opened

WORDS = (
    "The first jaguars were kept in royal gardens. A jaguar weighs up to 96 kilograms and hunts alone, "
    "mostly at night. Its range reaches from Mexico to Argentina. "
)
ARABIC = "اليغور حيوان من فصيلة السنوريات يعيش في الأمريكتين. يصطاد اليغور (jaguar) وحيدا في الليل. "
TABLE = "<table><tr>" + "".join(f"<th>Model {n}</th>" for n in range(12)) + "</tr></table>"
#: Documents of every type, from the best to the worst.
DOCUMENTS: dict[str, dict[str, str]] = {
    "1-d1": {"title": "The animal", "text": WORDS * 12},
    "1-d2": {
        "title": "Facts about jaguars",
        "type": "markdown",
        "text": f"# Jaguars\n\n{WORDS}\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    },
    "1-d3": {
        "title": "Jaguar cars of the post-war years",
        "type": "html",
        "text": f"<h1>Cars</h1><p>{WORDS * 4}</p><table><tr><td>XK</td><td>1948</td></tr></table>",
    },
    "1-d4": {"title": "A note", "text": "Short."},
    "1-d5": {"title": "Range map", "text": WORDS * 3},
    "long": {"title": "All about jaguars", "text": WORDS * 1200},
    "arabic": {"title": "اليغور في الطبيعة", "text": ARABIC * 8},
    "empty": {"title": "", "url": "", "text": ""},
    "wide": {
        "title": f"Prices {'of used cars and of spare parts ' * 6}".strip(),
        "url": f"https://example.org/{'very-long-path/' * 20}",
        "type": "html",
        "text": f"<pre>{'code ' * 60}</pre>{TABLE}<p>{'x' * 300}</p><img alt='A jaguar swims' src='a.png'>",
    },
}
SCALE = """\
[aspects.relevance]
labels = ["not", "partly", "highly"]
[aspects.trust]
labels = ["low", "high"]
"""


def make_documents(folder: Path) -> Path:
    path = folder / "documents.jsonl"
    rows = [{"id": doc, "url": f"https://example.org/{doc}", **row} for doc, row in DOCUMENTS.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@dataclass(frozen=True)
class Walk:
    """A window, and a folder for the studies that are shown in it."""

    page: Any
    folder: Path
    stack: ExitStack

    def collection(self) -> Collection:
        made = make_collection(self.folder, topics=("1",))
        made.topics.write_text(
            "1\tjaguar\tSomebody wants to know about jaguars: the animals, and perhaps also the cars.\n"
        )
        return Collection(self.folder, made.runs, make_documents(self.folder), made.topics)

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def serve(self, name: str, settings: Settings, **more: Any) -> tuple[Served, str]:
        """Make a study and serve it; the study and its address."""
        (self.folder / name).mkdir()
        served = Served(opened(self.folder / name, settings, **{"collection": self.collection(), **more}))
        return served, self.listen(served)

    def listen(self, served: Served) -> str:
        self.stack.callback(served.store.close)
        return f"http://127.0.0.1:{self.stack.enter_context(listening(served))}"

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_load_state("networkidle")

    def click(self, words: str) -> None:
        self.page.click(f"button:has-text('{words}')")
        self.page.wait_for_load_state("networkidle")

    def begin(self, address: str) -> None:
        self.open(address)
        self.page.check("input[name=consent]")
        self.click("Begin")
        self.page.wait_for_selector("form.answers")
        self.page.wait_for_load_state("networkidle")  # keys have no effect before the page is there

    def answer(self, *keys: str) -> None:
        """Press keys, and wait until the answer is stored."""
        place = self.page.locator("form.answers input[name=place]").input_value()
        for key in keys:
            self.page.keyboard.press(key)
        self.page.wait_for_function(
            "p => (document.querySelector('form.answers input[name=place]') || {}).value != p", arg=place
        )
        self.page.wait_for_load_state("networkidle")


def assessor_screens(walk: Walk) -> Iterator[str]:
    yield from crowd_screens(walk)
    yield from document_screens(walk)
    yield from grade_screens(walk)
    yield from last_screens(walk)
    yield from trouble_screens(walk)


def crowd_screens(walk: Walk) -> Iterator[str]:
    """A worker of a crowd platform: a pair for practice, two triplets, and a code."""
    page = walk.page
    practice = walk.file("practice.tsv", "topic\tleft\tright\toutcome\n1\t1-d1\t1-d3\tleft\n")
    settings = Settings(name="Jaguars", depth=3, ask="triplets", crowd=True, quota=2, minutes=30)
    served, address = walk.serve("crowd", settings, practice=practice)
    with served.store.writing() as connection:
        link = f"{address}/crowd/{access.first_links(connection, crowd=True)[None]}"
    walk.open(f"{link}?STUDY_ID=7")
    assert "parameter worker or PROLIFIC_PID or workerId" in page.inner_text("main")
    yield "link-without-worker"
    walk.open(f"{link}?PROLIFIC_PID=5f1e7a")
    yield "join"
    walk.begin(page.url)
    panes = page.locator(".asked iframe").evaluate_all("all => all.map((one) => one.offsetWidth)")
    assert panes[0] == panes[1]
    yield "pair"
    walk.answer("s")
    assert "The organiser would have said: " in page.inner_text(".notice")
    page.wait_for_selector(".given")
    yield "triplet"
    page.keyboard.press("c")
    page.keyboard.type("Both pages say nearly the same; the second is only longer.")
    page.evaluate("addEventListener('resize', () => scrollTo(0, document.body.scrollHeight))")
    yield "comment"
    page.keyboard.press("Escape")
    walk.answer("a")
    walk.answer("u")
    assert page.locator("button.before").count() == 1
    yield "taken-back"
    study_state.edit_instructions(served.store, "Read both documents **to the end** before you answer.")
    served.site.remembered.clear()
    walk.open(f"{address}/task")
    assert "instructions" in page.inner_text(".notice")
    yield "instructions-have-changed"
    walk.open(f"{address}/instructions")
    yield "instructions"
    walk.open(f"{address}/task")
    walk.answer("a")
    walk.answer("b")
    yield "done-with-a-code"


def document_screens(walk: Walk) -> Iterator[str]:
    """Documents that are hard to show."""
    pairs = {"document-that-is-long": ("long", "1-d4"), "document-right-to-left": ("arabic", "1-d2")}
    pairs |= {"document-that-is-wide": ("wide", "1-d3"), "document-without-text": ("empty", "1-d1")}
    lines = [json.dumps({"topic": "1", "left": left, "right": right}) for left, right in pairs.values()]
    tasks = walk.file("tasks.jsonl", "\n".join(lines) + "\n")
    served, address = walk.serve("documents", Settings(name="Jaguars", choice="file"), tasks=tasks)
    walk.begin(f"{address}{served.link('ann')}")
    titles = {
        tuple(sorted(filter(None, (DOCUMENTS[doc]["title"] for doc in pair)))): name
        for name, pair in pairs.items()
    }
    for _ in pairs:
        found = walk.page.locator(".document h3 .name").all_inner_texts()
        yield titles[tuple(sorted(name.strip() for name in found))]
        walk.answer("x")


def grade_screens(walk: Walk) -> Iterator[str]:
    scale = walk.file("scale.toml", SCALE)
    settings = Settings(name="Jaguars", depth=3, ask="grades")
    served, address = walk.serve("grades", settings, scale=scale)
    walk.begin(f"{address}{served.link('ann')}")
    yield "grades"
    walk.answer("3", "1", "Enter")
    walk.answer("u")
    yield "grades-taken-back"
    subtopics = {
        f"{n}": f"Find pages {what}"
        for n, what in enumerate(
            (
                "about the animal",
                "about the cars of the maker, its dealers and its history",
                "about the guitar",
            )
            * 3,
            1,
        )
    }
    topics = walk.file(
        "topics.jsonl",
        json.dumps({"id": "1", "title": "jaguar", "description": "What is it?", "subtopics": subtopics})
        + "\n",
    )
    collection = walk.collection()
    made = Collection(walk.folder, collection.runs, collection.documents, topics)
    served, address = walk.serve("subtopics", settings, collection=made)
    walk.begin(f"{address}{served.link('ann')}")
    yield "grades-of-subtopics"


def last_screens(walk: Walk) -> Iterator[str]:
    """The ways in which the work of an assessor ends."""
    page = walk.page
    url = "https://app.prolific.com/submissions/complete?cc=C1A2"
    served, address = walk.serve("url", Settings(name="Jaguars", depth=3, quota=1, completion_url=url))
    walk.begin(f"{address}{served.link('ann')}")
    walk.answer("a")
    yield "done-with-a-way-back"
    served, address = walk.serve("time", Settings(name="Jaguars", depth=3, quota=9, minutes=10))
    walk.begin(f"{address}{served.link('ann')}")
    walk.answer("a")
    with served.store.writing() as connection:
        connection.execute(sa.update(store.assessor).values(consented="2020-01-01T00:00:00.000+00:00"))
    walk.open(f"{address}/task")
    assert "Your time is over" in page.inner_text("h1")
    yield "done-when-time-is-over"
    served, address = walk.serve("stopped", Settings(name="Jaguars", depth=3))
    walk.begin(f"{address}{served.link('ann')}")
    study_state.stop(served.store, "The organiser has stopped the study.")
    walk.answer("a")
    assert "The study has ended" in page.inner_text("main")
    yield "done-when-stopped"
    served, address = walk.serve("nothing", Settings(name="Jaguars", depth=3))
    served.link("ben")
    study_state.assign(served.store, "1: ben")
    walk.open(f"{address}{served.link('ann')}")
    page.check("input[name=consent]")
    walk.click("Begin")
    assert "There are no questions for you now." in page.inner_text("main")
    yield "done-for-now"


def trouble_screens(walk: Walk) -> Iterator[str]:
    """What an assessor sees when something is wrong."""
    page = walk.page
    served, address = walk.serve("trouble", Settings(name="Jaguars", depth=3))
    walk.open(f"{address}/join/wrong.token")
    yield "link-that-was-used"
    walk.open(f"{address}/nothing")
    yield "no-such-page"
    walk.begin(f"{address}{served.link('ann')}")
    page.route("**/task", lambda route: route.abort())
    page.keyboard.press("a")
    page.wait_for_selector("#trouble:visible")
    yield "server-not-reached"
    page.unroute("**/task")
    walk.open(f"{address}/task")
    walk.click("Sign out")
    yield "signed-out"
    walk.open(f"{address}/task")
    yield "not-signed-in"
    served.site.rate.most = 0
    walk.open(f"{address}/task")
    yield "too-many-requests"


def organiser_screens(walk: Walk, files: Files) -> Iterator[str]:
    """From the link to the export; then studies without answers, of grades, and of drawn documents."""
    page = walk.page
    served, address = judged(walk)
    walk.open(f"{address}{served.organiser_link()}")
    yield "link"
    walk.click("Open the dashboard")
    yield "dashboard"
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("htmx.ajax('GET', '/organiser', {source: '#live', select: '#live', swap: 'outerHTML'})")
    assert asked == []  # the page is not renewed under the eyes of somebody who reads numbers
    assert page.locator("details[open]").count() == 2
    page.evaluate("addEventListener('resize', () => document.querySelector('#agreement').scrollIntoView())")
    yield "dashboard-charts"
    walk.open(f"{address}/organiser")
    page.evaluate("addEventListener('resize', () => document.querySelector('#assessors').scrollIntoView())")
    yield "dashboard-assessors"
    page.fill("#name", "dora")
    walk.click("Make a link")
    yield "new-link"
    walk.open(f"{address}/organiser/judgments")
    yield "judgments"
    walk.open(f"{address}/organiser/judgments?words=elephant")
    yield "judgments-none"
    with served.store.reading() as connection:
        query = sa.select(store.judgment.c.id).where(store.judgment.c.withdrawn.is_not(None))
        number = connection.scalars(query).first()
    walk.open(f"{address}/organiser/judgments/{number}")
    yield "judgment-with-history"
    walk.open(f"{address}/organiser/topics")
    yield "topics"
    page.fill("#assigned", "999: ann")
    walk.click("Save")
    yield "topics-with-a-mistake"
    walk.open(f"{address}/organiser/topics")
    page.fill("#assigned", "101: ann\n102: ann, ben")
    walk.click("Save")
    yield "topics-assigned"
    walk.open(f"{address}/organiser/instructions")
    page.fill("#text", "Read both documents **to the end** before you answer.")
    walk.click("Save as a new version")
    yield "instructions"
    walk.open(f"{address}/organiser")
    walk.click("Stop the study")
    yield "stopped"
    walk.click("Sign out")
    walk.open(f"{address}/organiser")
    yield "not-signed-in"
    walk.open(f"{address}/organise/wrong.token")
    yield "link-that-was-used"
    fresh, address = walk.serve("fresh", Settings(name="Jaguars", depth=3))
    as_organiser(walk, fresh, address)
    yield "dashboard-before-the-first-answer"
    as_organiser(walk, *graded(walk))
    yield "dashboard-of-grades"
    page.evaluate("addEventListener('resize', () => document.querySelector('#agreement').scrollIntoView())")
    yield "dashboard-of-grades-agreement"
    drawn = opened_drawn(walk.folder / "drawn.db", files)
    without = Served(drawn)
    as_organiser(walk, without, walk.listen(without))
    yield "dashboard-of-drawn-documents"
    answer(drawn, files)
    estimates = Estimates(the_judges(files))
    estimates.renew(drawn)
    estimated = Served(drawn, estimates=estimates)
    as_organiser(walk, estimated, walk.listen(estimated))
    page.set_viewport_size({"width": 360, "height": 740})
    cell = page.locator(".systems tbody td").first.bounding_box()
    assert 0 <= cell["x"] < cell["x"] + cell["width"] <= 360  # on a phone, too, scores are in view
    yield "estimates"


def as_organiser(walk: Walk, served: Served, address: str) -> None:
    walk.open(f"{address}{served.organiser_link()}")
    walk.click("Open the dashboard")


def judged(walk: Walk) -> tuple[Served, str]:
    """Three people have judged pairs of twenty topics for three days."""
    folder = walk.folder / "judged"
    folder.mkdir()
    collection = make_collection(folder, tuple(map(str, range(101, 121))))
    gold = folder / "gold.tsv"
    gold.write_text(
        "topic\tleft\tright\toutcome\n" + "".join(f"{t}\t{t}-d1\t{t}-d5\tleft\n" for t in (101, 102, 103))
    )
    settings = Settings(
        name="Jaguars", depth=3, choice="random", budget=80, overlap=2, gold_every=6, repeat_every=7
    )
    served = Served(opened(folder, settings, collection=collection, gold=gold))
    address, rng = walk.listen(served), random.Random(4)
    for name, wrong in (("ann", 0.1), ("ben", 0.2), ("carla", 0.3)):
        person = served.person(name, port_of(address))

        def judge(left: str, right: str, given: tuple[str, ...], wrong: float = wrong) -> str:
            x = rng.random()
            return "tie" if x < 0.1 else by_worth(*((left, right) if x > wrong else (right, left)), given)

        person.work(judge, most=30)
        if name == "carla":  # she takes an answer back, and gives another
            page = person.get("/task")
            person.submit(page, "left", comment="I have not read the end of A.")
            person.post("/undo", csrf=page.field("csrf"))
        page = person.get("/task")
        comment = "Both pages say nearly the same; the second is only longer."
        person.submit(page, "tie", comment=comment if name == "ben" else "")
    with served.store.writing() as connection:
        judgment, numbers = store.judgment, connection.scalars(sa.select(store.judgment.c.id)).all()
        for number, row in enumerate(sorted(numbers)):  # seven hours on each of three days
            day, share = divmod(3 * number / len(numbers), 1)
            hour, minute = divmod(int(9 * 60 + 7 * 60 * share), 60)
            when = f"2026-03-{2 + day:02.0f}T{hour:02d}:{minute:02d}:00.000+00:00"
            one = sa.update(judgment).where(judgment.c.id == row)
            connection.execute(one.values(time=when, seconds=rng.uniform(12, 50)))
            connection.execute(one.where(judgment.c.withdrawn.is_not(None)).values(withdrawn=when))
    study_state.assign(served.store, "101: ann\n102: ann, ben")
    served.site.standings.renew(served.store, settings)
    return served, address


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def graded(walk: Walk) -> tuple[Served, str]:
    """Two people have graded documents by two aspects."""
    folder = walk.folder / "graded"
    folder.mkdir()
    collection = make_collection(folder, tuple(map(str, range(1, 13))))
    settings = Settings(name="Jaguars", depth=3, ask="grades", overlap=2)
    scale = walk.file("scale.toml", SCALE)
    served = Served(opened(folder, settings, collection=collection, scale=scale))
    address, rng = walk.listen(served), random.Random(5)
    for name in ("ann", "ben"):
        person = served.person(name, port_of(address))
        page = person.get("/task")
        while page.is_task:
            label = rng.choice(("not", "partly", "highly"))
            grades = {"aspect-0": label, "aspect-1": "low" if label == "not" else "high"}
            page = person.submit(page, "graded", **grades)
    served.site.standings.renew(served.store, settings)
    return served, address
