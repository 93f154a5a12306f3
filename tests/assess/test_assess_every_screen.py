"""Every screen of assessors and organisers: it fits at three widths, is accessible, and has a dark side.

To make the pictures of docs/assess.md, docs/judges.md and docs/assess-screens.md again:

    RANKPRISM_SCREENSHOTS=docs/images python -m pytest -m '' tests/assess/test_assess_every_screen.py
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.assess.test_assess_browser import accessible, axe, fits
from tests.assess.test_assess_drawn import Files, files
from tests.support.assess_screens import Walk, assessor_screens, organiser_screens

__all__ = ["axe", "files"]  # fixtures

DOCS = Path(__file__).parents[2] / "docs"
#: Where pictures are kept; None if they are not wanted.
FOLDER = Path(os.environ["RANKPRISM_SCREENSHOTS"]) if "RANKPRISM_SCREENSHOTS" in os.environ else None
WIDTHS = {"phone": (360, 740), "tablet": (768, 1024), "desktop": (1440, 900)}
#: The large pictures in the documentation: the screen, the window, the colours, and the height that is shown.
PICTURES = {
    "triplet-desktop-light": ("assessor-triplet", "desktop", "light", 900),
    "triplet-tablet-light": ("assessor-triplet", "tablet", "light", 1024),
    "triplet-phone-dark": ("assessor-triplet", "phone", "dark", 740),
    "join-tablet-light": ("assessor-join", "tablet", "light", 700),
    "pair-desktop-light": ("assessor-pair", "desktop", "light", 900),
    "grades-desktop-light": ("assessor-grades", "desktop", "light", 900),
    "grades-phone-dark": ("assessor-grades", "phone", "dark", 740),
    "dashboard-desktop": ("organiser-dashboard", "desktop", "light", 1140),
    "dashboard-phone-dark": ("organiser-dashboard", "phone", "dark", 900),
    "judgments-desktop": ("organiser-judgments", "desktop", "light", 560),
    "estimates-tablet": ("organiser-estimates", "tablet", "light", 760),
}
#: Height of a window in the small pictures of all screens, in pixels.
SMALL = 280

#: The documents that the answers would cover in part, however the page is scrolled.
COVERED = """() => [...document.querySelectorAll('.document iframe')].filter((frame) => {
    const answers = document.querySelector('.answers');
    if (getComputedStyle(answers).position !== 'sticky') return false;
    frame.scrollIntoView({block: 'start'});
    const covers = frame.getBoundingClientRect().bottom > answers.getBoundingClientRect().top + 1;
    scrollTo(0, 0);
    return covers;
  }).map((frame) => frame.title)"""


@pytest.fixture
def walk(browser: Any, tmp_path: Path) -> Iterator[Walk]:
    context = browser.new_context(locale="en-GB")
    with ExitStack() as stack:
        stack.callback(context.close)
        yield Walk(context.new_page(), tmp_path, stack)


def looked_at(page: Any, axe: str, screen: str) -> None:
    """Look at a screen at every width, in light or dark mode; for pictures, in both."""
    seen = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for name, (width, height) in WIDTHS.items():
            is_main = (name, scheme) in (("phone", "dark"), ("tablet", "light"), ("desktop", "light"))
            if FOLDER is None and not is_main:
                continue
            page.set_viewport_size({"width": width, "height": height})
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (colour == "rgb(255, 255, 255)") == (scheme == "light")
            fits(page)
            if page.locator(".answers").count():
                assert page.evaluate(COVERED) == []
            if is_main and name != "tablet":
                accessible(page, axe)
            if FOLDER is not None:
                seen[scheme, name] = page.screenshot()
                keep(page, screen, name, scheme)
    if FOLDER is not None:
        strip(seen, FOLDER / "screens" / f"{screen}.webp")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1440, "height": 900})


def keep(page: Any, screen: str, name: str, scheme: str) -> None:
    """Keep the large pictures of a screen, in few colours and therefore small."""
    from PIL import Image

    for picture, (wanted, at, colours, height) in PICTURES.items():
        if FOLDER is not None and (wanted, at, colours) == (screen, name, scheme):
            clip = {"x": 0, "y": 0, "width": WIDTHS[name][0], "height": height}
            found = Image.open(BytesIO(page.screenshot(clip=clip, full_page=True))).convert("RGB")
            reduced = found.quantize(64, dither=Image.Dither.NONE)
            reduced.save(FOLDER / f"assess-{picture}.png", optimize=True)


def strip(seen: dict[tuple[str, str], bytes], path: Path) -> None:
    """Put the windows of a screen side by side, the light ones above the dark ones."""
    from PIL import Image

    wide = {name: round(SMALL * width / height) for name, (width, height) in WIDTHS.items()}
    size = (sum(wide.values()) + 12, 2 * SMALL + 6)
    whole = Image.new("RGB", size, "#808080")
    for (scheme, name), picture in seen.items():
        small = (
            Image.open(BytesIO(picture)).convert("RGB").resize((wide[name], SMALL), Image.Resampling.LANCZOS)
        )
        before = [width for other, width in wide.items() if list(wide).index(other) < list(wide).index(name)]
        whole.paste(small, (sum(before) + 6 * len(before), 0 if scheme == "light" else SMALL + 6))
    path.parent.mkdir(exist_ok=True)
    whole.save(path, quality=50, method=6)


def every(walk: Walk, screens: Iterator[str], axe: str, role: str) -> None:
    """Look at all screens, and fail if the documentation does not show the same ones in the same order."""
    said: list[str] = []
    walk.page.on("console", lambda message: said.append(message.text))
    found = []
    for screen in screens:
        looked_at(walk.page, axe, f"{role}-{screen}")
        found.append(screen)
        # A page that says what is wrong has a status, and htmx logs it. To take pictures, styles are added.
        known = ("Failed to load resource", "htmx:", "Applying inline style" if FOLDER else "htmx:")
        assert [text for text in said if not text.startswith(known)] == [], screen
    captions = tomllib.loads((DOCS / "images" / "screens" / "captions.toml").read_text(encoding="utf-8"))
    assert list(captions[role]) == found
    assert {path.stem for path in (DOCS / "images" / "screens").glob(f"{role}-*")} == {
        f"{role}-{screen}" for screen in found
    }


def test_every_screen_of_assessors_fits_is_accessible_and_has_a_dark_side(walk: Walk, axe: str) -> None:
    every(walk, assessor_screens(walk), axe, "assessor")


@pytest.mark.nightly
def test_every_screen_of_organisers_fits_is_accessible_and_has_a_dark_side(
    walk: Walk, files: Files, axe: str
) -> None:
    every(walk, organiser_screens(walk, files), axe, "organiser")
