"""Run every command, example and notebook in README and docs, and put in what they really print.

`make docs` calls it; `tests/house/test_docs.py` fails when a page is not what this would write. With
arguments, only these are run: `python docs/refresh.py docs/start.md docs/notebook.ipynb`. Tables that a
program can write are not in the pages: see `_ext/tables.py`.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import idea

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # ranx would compile itself for a minute
ROOT = Path(__file__).resolve().parents[1]
#: What is on the pages of docs/reproduction was computed from collections that are not in the repository.
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
#: The lines that the program may print on standard error: notes, errors, and what it has written to "-".
OURS = re.compile(r"(note|rankprism): |-: \d+ lines, ")
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


def console(block: str, folder: Path) -> str:
    """Commands behind "$ ", each followed by what it prints, on standard error only our own words.

    They are the installed ones, or those in the folder that RANKPRISM_PROGRAMS names.
    """
    scripts = sysconfig.get_path("scripts")
    programs = os.environ.get("RANKPRISM_PROGRAMS", scripts)
    environment = os.environ | {
        "PATH": os.pathsep.join([programs, scripts, os.environ["PATH"]]),
        "PYTHONUTF8": "1",
    }
    commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.M)  # a backslash continues it on the next line
    if not commands:
        return block  # it only shows commands
    out = []
    for command in commands:
        result = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
        )
        if strange := [said for said in result.stderr.splitlines() if not OURS.match(said)]:
            raise SystemExit(
                f"{command}\nprints on standard error what no page should show:\n" + "\n".join(strange)
            )
        out += [*f"$ {command}".splitlines(), *(result.stdout + result.stderr).splitlines()]
    return "".join(f"{line}\n" for line in out)


def session(block: str, names: dict[str, object]) -> str:
    """Python examples, each followed by what it prints, warnings included."""
    out = []
    for example in doctest.DocTestParser().get_examples(block):
        lines = example.source.splitlines()
        out += [f">>> {lines[0]}", *(f"... {line}".rstrip() for line in lines[1:])]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            exec(compile(example.source, "<stdin>", "single"), names)
        out += printed.getvalue().splitlines()
    return "".join(f"{line}\n" for line in out)


def refreshed(page: Path, pictures: Path | None = None) -> str:
    """The page as it should be. What its commands draw and it shows is put into the folder of pictures."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        text = re.sub(
            r"^```console\n(.*?)^```$",
            lambda match: f"```console\n{console(match[1], Path(folder))}```",
            text,
            flags=re.M | re.S,
        )
        for name in re.findall(r"\]\([\w/.]*images/([\w-]+\.svg)\)", text):
            if pictures and (drawn := Path(folder) / name).exists():
                shutil.copy(drawn, pictures)
    return re.sub(
        r"^```pycon\n(.*?)^```$",
        lambda match: f"```pycon\n{session(match[1], names)}```",
        text,
        flags=re.M | re.S,
    )


def executed(notebook: Path) -> str:
    """The notebook with what its cells show now, and without times, paths and versions."""
    import nbformat
    from nbclient import NotebookClient

    content = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            content,
            resources={"metadata": {"path": folder}},
            kernel_name="python3",
            record_timing=False,
            timeout=300,
        ).execute()
    content.metadata["language_info"] = {"name": "python"}
    return f"{nbformat.writes(content)}\n"


def refresh(path: Path) -> None:
    """Write what a page or a notebook shows now."""
    text = executed(path) if path.suffix == ".ipynb" else refreshed(path, ROOT / "docs" / "images")
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    paths = [Path(name).resolve() for name in sys.argv[1:]]
    if not paths:
        idea.draw()
    if len(paths) == 1:
        refresh(paths[0])
    else:  # each in a process of its own: what one page registers must not reach another
        for path in paths or [*PAGES, NOTEBOOK]:
            subprocess.run([sys.executable, "-X", "utf8", __file__, path], check=True)
