"""How Sphinx makes the site from these pages. `make site` calls it."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.application import Sphinx

import rankprism.types

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
sys.path.insert(0, str(DOCS / "_ext"))
import api  # noqa: E402

project = "rankprism"
author = "The rankprism authors"
copyright = f"{author}, Apache 2.0"
version = release = PROJECT["version"]

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "gallery",
    "sample_report",
    "tables",
]
exclude_patterns = ["_ext", "_static"]
nb_execution_mode = "off"  # the tests run the notebook, and its outputs are committed

myst_heading_anchors = 3  # as GitHub makes them
default_role = "code"  # docstrings write `name`, as Markdown does
nitpicky = True
# Types in signatures are those of Python, numpy and our own aliases, which have no pages here.
nitpick_ignore_regex = [("py:.*", ".*")]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in vars(rankprism.types) if name.endswith("Like")}
autodoc_preserve_defaults = True
maximum_signature_line_length = 90
add_module_names = False

html_theme = "furo"
html_title = "rankprism"
html_logo = html_favicon = "_static/logo.svg"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("filter.js", {"defer": "defer"})]
html_theme_options = {"navigation_with_keys": True}

# A copied example holds the commands without their prompts and without what they print.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"


def plain_bars(_app: Sphinx, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Escape the bars of |A|, a number of elements, which reStructuredText takes for a substitution."""
    lines[:] = [re.sub(r"(`+[^`]*`+)|\|", lambda m: m[1] or r"\|", line) for line in lines]


def marked(_app: Sphinx, what: str, name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    """Begin the text of a function or class with whether it is stable or provisional."""
    if what in ("function", "class", "exception"):
        lines[:0] = [f"*{api.mark(name)}*", ""]


def plain_aliases(
    _app: Sphinx,
    _what: str,
    _name: str,
    _object: Any,
    _options: Any,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Show JudgmentsLike | None and not autodoc's own TypeAliasForwardRef('JudgmentsLike') | None."""
    plain = partial(re.sub, r"TypeAliasForwardRef\('(\w+)'\)", r"\1")
    return signature and plain(signature), returns and plain(returns)


def adapt_links(app: Sphinx, tree: nodes.document) -> None:
    """Let links that are written for GitHub read well here and lead to the same places."""
    kinds = (addnodes.pending_xref, addnodes.download_reference)
    for link in [node for kind in kinds for node in tree.findall(kind)]:
        if link.get("reftype") not in ("myst", None):
            continue
        here = (DOCS / app.env.docname).parent
        path = Path(os.path.normpath(here / link["reftarget"]))
        new: nodes.Element | None = None
        if not path.is_relative_to(DOCS):
            found = next((p for p in (path, path.with_name(f"{path.name}.md")) if p.exists()), None)
            new = in_repository(found) if found else None
        elif path.name == "sample-report.html":  # made with the site
            new = nodes.reference(refuri=os.path.relpath(path, here), internal=True)
        if new is not None:
            new.extend(link.children)
            link.replace_self(new)
        elif link.astext().endswith(".md"):  # the title of the page says more than its file
            link["refexplicit"] = False
            link[0].clear()


def show_commands(_app: Sphinx, tree: nodes.document) -> None:
    """Treat a block that begins with a prompt as commands and what they print.

    `make docs` runs only what is marked `console`. Blocks that need large files are marked as text.
    """
    for block in tree.findall(nodes.literal_block):
        if block.get("language") in ("default", "text") and block.astext().startswith("$ "):
            block["language"] = "console"


def in_repository(path: Path) -> nodes.Element:
    """A link to a file or a folder that is not part of the site. It is plain text if we have no address."""
    home = PROJECT.get("urls", {}).get("Homepage")
    kind = "tree" if path.is_dir() else "blob"
    return nodes.reference(refuri=f"{home}/{kind}/main/{path.relative_to(ROOT)}") if home else nodes.inline()


def setup(app: Sphinx) -> None:
    for drawing in ("layers", "rooms"):
        app.add_lexer(drawing, TextLexer)
    app.connect("autodoc-process-docstring", plain_bars)
    app.connect("autodoc-process-docstring", marked)
    app.connect("autodoc-process-signature", plain_aliases)
    app.connect("doctree-read", adapt_links)
    app.connect("doctree-read", show_commands)
