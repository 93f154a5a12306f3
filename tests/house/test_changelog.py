"""The changelog: each change is a fragment of its own, and a release joins them."""

from __future__ import annotations

import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def changelog() -> Any:
    """The program that joins fragments."""
    loader = SourceFileLoader("changelog", str(ROOT / ".ci" / "changelog"))
    spec = importlib.util.spec_from_loader("changelog", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_every_fragment_has_the_form_that_the_folder_explains(changelog: Any) -> None:
    assert changelog.faults(ROOT / "changelog.d") == []
    explained = (ROOT / "changelog.d" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^- `(\w+)`:", explained, re.M) == list(changelog.KINDS)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("run-depth.new.md", "It is new.", "KIND is one of breaking, added, changed, fixed"),
        ("Run depth.added.md", "It is new.", "call it WORD.KIND.md"),
        ("run-depth.added.md", "- It is new.", "without a heading or a list"),
        ("run-depth.added.md", "It is new", "one or two sentences"),
        ("run-depth.added.md", "It is new. " * 60, "at most 600"),
    ],
)
def test_a_fragment_of_another_form_is_refused(
    name: str, text: str, said: str, changelog: Any, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    [fault] = changelog.faults(tmp_path)
    assert fault.startswith(name)
    assert said in fault


def test_a_release_joins_the_fragments_above_older_versions(changelog: Any, tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\nHead.\n\n## 0.1.0\n\nThe first version.\n")
    (tmp_path / "changelog.d").mkdir()
    for name, text in {
        "README.md": "# Fragments\n",
        "b.fixed.md": "A tie is\na tie.\n",
        "a.fixed.md": "Zero is zero.\n",
        "c.breaking.md": "Write `--run-depth`.\n",
    }.items():
        (tmp_path / "changelog.d" / name).write_text(text)
    changelog.release(tmp_path, "0.2.0")
    assert (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8") == (
        "# Changelog\n\nHead.\n\n## 0.2.0\n\n### Breaking changes\n\n- Write `--run-depth`.\n\n"
        "### Fixed\n\n- Zero is zero.\n- A tie is a tie.\n\n## 0.1.0\n\nThe first version.\n"
    )
    assert [path.name for path in (tmp_path / "changelog.d").iterdir()] == ["README.md"]


def test_every_link_of_the_changelog_leads_somewhere() -> None:
    for page in (ROOT / "CHANGELOG.md", ROOT / "changelog.d" / "README.md"):
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert link.startswith("https://") or (page.parent / link).exists(), link
