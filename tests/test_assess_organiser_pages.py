"""The organiser's pages in a real browser, at three widths, in light and dark mode.

Set RANKPRISM_SCREENSHOTS to a folder to keep the pictures of docs/assess.md and docs/judges.md.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from assessing import Served, by_worth, listening, make_collection, opened
from test_assess_browser import accessible, axe, fits
from test_assess_drawn import Files, answer, files, the_judges
from test_assess_drawn import opened as opened_drawn

from rankprism.assess import store, study_state
from rankprism.assess.estimates import Estimates
from rankprism.assess.settings import Settings

__all__ = ["axe", "files"]  # fixtures

WIDTHS = {"phone": (360, 740), "tablet": (768, 1024), "desktop": (1440, 900)}
#: The pictures in the documentation, with the page, the width and the colours, and the height that is shown.
PICTURES = {
    "dashboard-desktop": ("/organiser", "desktop", "light", 1140),
    "dashboard-phone-dark": ("/organiser", "phone", "dark", 900),
    "judgments-desktop": ("/organiser/judgments", "desktop", "light", 560),
    "estimates-tablet": ("estimates", "tablet", "light", 760),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Three people have judged pairs of twenty topics for three days."""
    folder = tmp_path_factory.mktemp("judged")
    collection = make_collection(folder, tuple(map(str, range(101, 121))))
    gold = folder / "gold.tsv"
    gold.write_text(
        "topic\tleft\tright\toutcome\n" + "".join(f"{t}\t{t}-d1\t{t}-d5\tleft\n" for t in (101, 102, 103))
    )
    settings = Settings(
        name="Jaguars", depth=3, choice="random", budget=80, overlap=2, gold_every=6, repeat_every=7
    )
    served = Served(opened(folder, settings, collection=collection, gold=gold))
    rng = random.Random(4)
    for name, wrong in (("ann", 0.1), ("ben", 0.2), ("carla", 0.3)):
        person = served.person(name)

        def judge(left: str, right: str, given: tuple[str, ...], wrong: float = wrong) -> str:
            x = rng.random()
            return "tie" if x < 0.1 else by_worth(*((left, right) if x > wrong else (right, left)), given)

        person.work(judge, most=30)
        page = person.get("/task")
        comment = "Both pages say nearly the same; the second is only longer."
        person.submit(page, "tie", comment=comment if name == "ben" else "")
    with served.store.writing() as connection:
        for number in connection.scalars(sa.select(store.judgment.c.id)).all():
            when = f"2026-03-{2 + number % 3:02d}T{9 + number % 7:02d}:{number % 60:02d}:00.000+00:00"
            values = {"time": when, "seconds": rng.uniform(12, 50)}
            connection.execute(sa.update(store.judgment).where(store.judgment.c.id == number).values(values))
    study_state.assign(served.store, "101: ann\n102: ann, ben")
    served.site.standings.renew(served.store, settings)
    yield served
    served.store.close()


def picture(page: Any, name: str, width: str, scheme: str) -> None:
    folder = os.environ.get("RANKPRISM_SCREENSHOTS")
    for picture, (path, at, colours, height) in PICTURES.items():
        if folder and (path, at, colours) == (name, width, scheme):
            clip = {"x": 0, "y": 0, "width": WIDTHS[width][0], "height": height}
            page.screenshot(path=Path(folder) / f"assess-{picture}.png", clip=clip, full_page=True)


def test_the_organisers_pages_fit_are_accessible_and_have_a_dark_side(
    judged: Served, files: Files, browser: Any, axe: str, tmp_path: Path
) -> None:
    drawn = opened_drawn(tmp_path / "drawn.db", files)
    answer(drawn, files)
    estimates = Estimates(the_judges(files))
    estimates.renew(drawn)
    estimated = Served(drawn, estimates=estimates)
    paths = ("/organiser", "/organiser/judgments", "/organiser/judgments/5", "/organiser/topics")
    said: list[str] = []
    # Everything is looked at in both colours, and at every width.
    seen = (("phone", "dark"), ("tablet", "light"), ("desktop", "light"))
    with listening(judged) as port, listening(estimated) as other:
        for name, scheme in seen:
            width, height = WIDTHS[name]
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-GB"
            )
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            page.goto(f"http://127.0.0.1:{port}{judged.organiser_link()}")
            page.click("text=Open the dashboard")
            for path in (*paths, "/organiser/instructions"):
                page.goto(f"http://127.0.0.1:{port}{path}")
                fits(page)
                picture(page, path, name, scheme)
                if name != "tablet":
                    if path == "/organiser/judgments":  # a long table keeps axe busy
                        page.goto(f"http://127.0.0.1:{port}{path}?purpose=gold")
                    accessible(page, axe)
            page.goto(f"http://127.0.0.1:{other}{estimated.organiser_link()}")
            page.click("text=Open the dashboard")
            page.wait_for_selector(".systems")
            fits(page)
            picture(page, "estimates", name, scheme)
            # On a phone, too, the scores are in view without scrolling sideways.
            cell = page.locator(".systems tbody td").first.bounding_box()
            assert cell is not None
            assert 0 <= cell["x"] < cell["x"] + cell["width"] <= width
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
            context.close()
    assert said == []
    drawn.close()
