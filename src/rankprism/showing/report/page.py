"""The page: data, style sheet and scripts in one HTML file that makes no requests."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from rankprism.errors import InputError, install
from rankprism.text import shown

#: The scripts in the order in which they need each other.
MODULES = (
    "data",
    "dom",
    "state",
    "charts",
    "marks",
    "board",
    "systems",
    "measures",
    "topics",
    "rankings",
    "main",
)

#: Data with more characters are compressed, which makes a large page five times as small.
PACKED = 2_000_000
#: Level of compression. The highest one, 9, takes four times as long and saves 2 %.
_LEVEL = 6

#: Puts compressed data back in their place before any module reads them.
UNPACK = """\
const told = document.getElementById("data");
if (told.type !== "application/json") {
  const bytes = Uint8Array.from(atob(told.textContent), (letter) => letter.charCodeAt(0));
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  told.textContent = await new Response(text).text();
}
const modules = {};"""

#: An import of names in braces from a module; an export of one name, or of several in braces.
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:const|function) (?:(\w+)|\{ (.*?) \})", re.MULTILINE)


def page(data: Mapping[str, Any]) -> str:
    """Make the page that shows the data."""
    check_installed()
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    style, script = asset("style.css"), joined()
    text = as_json(data)
    packed = len(text) > PACKED
    return environment.from_string(asset("page.html")).render(
        title=shown(str(data["title"])),
        policy=policy(style, script),
        style=style,
        script=script,
        kind="application/gzip;base64" if packed else "application/json",
        data=base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode() if packed else text,
    )


def check_installed() -> None:
    """Refuse to make a page without the package that it needs. Call it before any work is done."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise InputError(f"a report needs one more package: {install('report')}") from None


def as_json(data: Mapping[str, Any]) -> str:
    r"""Write JSON that cannot end the element around it, whatever the ids are.

    >>> print(as_json({"id": "</script>\u2028"}))
    {"id":"\u003c/script>\u2028"}
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return re.sub("[<\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def joined() -> str:
    """Join all modules into one script, in which each module is a function that returns its exports."""
    return "\n".join([UNPACK, *(_wrapped(name, asset(f"{name}.js")) for name in MODULES)])


def _wrapped(name: str, text: str) -> str:
    """Turn a module into a function that returns its exports.

    >>> print(_wrapped("b", 'import { a } from "./a.js";\\nexport const b = a;\\n'))
    modules.b = (() => {
    const { a } = modules.a;
    const b = a;
    return { b };
    })();
    """
    names = ", ".join(one or several for one, several in EXPORT.findall(text))
    text = IMPORT.sub(r"const \1 = modules.\2;", text)
    text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
    return f"modules.{name} = (() => {{\n{text}return {{ {names} }};\n}})();"


def policy(style: str, script: str) -> str:
    """A content security policy that allows this style sheet and this script, and nothing from elsewhere."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'; "
        f"form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def asset(name: str) -> str:
    """The text of a file in `assets`."""
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")
