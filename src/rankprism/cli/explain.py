"""`rankprism explain`: what each document of a ranking earned."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.analysis import Call, command
from rankprism.cli.collection import Measured, read_measured
from rankprism.cli.group import commands

app = commands()


@app.command()
@command("evaluation.explanation:explain", reads=read_measured)
def explain(
    read: Measured,
    call: Call,
    topic: Annotated[str, typer.Option(metavar="TOPIC", help="The topic to look at.")],
) -> Any:
    """Show what each document of a ranking earned, and why.

    \b
    rankprism explain qrels.txt runs/a.run -m alpha_nDCG@10 --topic 157
    rankprism explain qrels.txt a.run b.run -m RBU@10 -m nDCG@10 --topic 157
    rankprism explain preferences.tsv a.run -m nPrf@10 --topic 157
    """
    given, measures = read
    return call(runs=list(given.runs), measures=measures, topic=topic, **given.kinds, **given.reading)
