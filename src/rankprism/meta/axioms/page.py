"""A table of verdicts as an HTML page that needs no other files."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rankprism.measures import verdicts
from rankprism.meta.axioms.story import about, evidence
from rankprism.meta.axioms.verdict import Verdict
from rankprism.text import html_escaped

if TYPE_CHECKING:
    from rankprism.meta.axioms.table import AxiomTable

#: What is proved or not refuted is blue, and what is refuted is orange (Okabe and Ito). Each cell has its
#: sign as well.
_CLASS = {
    verdicts.PROVED: "proved",
    verdicts.NOT_REFUTED: "open",
    verdicts.REFUTED: "refuted",
    verdicts.UNASKABLE: "none",
}
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: center; border-bottom: 1px solid #8884; }
th:first-child { text-align: left; font-weight: 600; white-space: nowrap; }
thead th { position: sticky; top: 0; background: Canvas; }
td a { color: inherit; text-decoration: none; display: block; }
td a:focus, td a:hover { outline: 2px solid currentColor; }
.proved { background: #0072b266; } .open { background: #56b4e955; } .refuted { background: #e69f0055; }
.differs { box-shadow: inset 0 0 0 2px #d55e00; }
.scroll { overflow-x: auto; }
pre { background: #8881; padding: .8rem 1rem; overflow-x: auto; line-height: 1.35; }
section { margin-top: 2.5rem; } h3 { margin-bottom: .3rem; }
"""


def page(table: AxiomTable, caption: str = "") -> str:
    """The table, and an explanation of every cell below it."""
    from rankprism import __version__
    from rankprism.meta.axioms.table import differs, sign

    heads = "".join(
        f'<th title="{escape(c.summary)}">{escape(name)}</th>'
        for c, name in zip(table.constraints, table.names, strict=True)
    )
    statements = [f"<h3>{escape(str(c))}</h3><pre>{escape(about(c))}</pre>" for c in table.constraints]
    rows, stories = [], []
    cells = iter(table.cells)
    for number, label in enumerate(table.labels):
        measure = escape(str(table.of(label)[0].measure))
        line = [f'<tr><th scope="row">{measure}</th>']
        if table.of_paper:
            line.append(f"<td>{escape(label)}</td>")
        stories.append(f"<section><h2>{escape(label)}</h2><p><code>{measure}</code></p>")
        for c in range(len(table.constraints)):
            _, verdict, printed = next(cells)
            kind = _CLASS[verdict.kind] + (" differs" if differs(verdict, printed) else "")
            anchor = f"c{number}-{c}"
            line.append(f'<td class="{kind}"><a href="#{anchor}">{escape(sign(verdict, printed))}</a></td>')
            stories.append(_section(verdict, anchor, printed if differs(verdict, printed) else None))
        rows.append("".join(line) + "</tr>")
        stories.append("</section>")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Verdicts on measures and axioms</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Verdicts on measures and axioms</h1>
{f"<p>{html_escaped(caption, None)}</p>" if caption else ""}
<p>{escape(table.legend).replace(chr(10), "<br>")}</p>
<div class="scroll"><table>
<thead><tr><th>measure</th>{"<th>in the paper</th>" if table.of_paper else ""}{heads}</tr></thead>
<tbody>
{chr(10).join(rows)}
</tbody>
</table></div>
<section><h2>What the constraints say</h2>
{chr(10).join(statements)}
</section>
{chr(10).join(stories)}
<footer><p>rankprism {__version__}, seed {table.about["seed"]}, {table.about["instances"]:,} random instances
of each constraint, after all small ones.</p></footer>
</body>
</html>
"""


def _section(verdict: Verdict, anchor: str, printed: bool | None) -> str:
    title = f"{escape(str(verdict.constraint))}: {verdict.words}"
    note = "" if printed is None else f"<p>The paper says {'yes' if printed else 'no'}.</p>"
    return f'<h3 id="{anchor}">{title}</h3>{note}<pre>{escape(evidence(verdict))}</pre>'
