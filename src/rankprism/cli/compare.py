"""`rankprism compare` tests which systems differ; `rankprism topic-set-size` finds how many topics to use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankprism.cli.analysis import Call, command
from rankprism.cli.collection import Baselines
from rankprism.cli.group import commands
from rankprism.cli.options import Sort
from rankprism.cli.scores import Source, read_source
from rankprism.cli.signature import with_options_of
from rankprism.errors import InputError

if TYPE_CHECKING:
    from rankprism.results import Scores

app = commands()


@app.command()
@command("comparison:compare", "resampling")
def compare(
    source: Source,
    call: Call,
    baseline: Baselines = None,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Show every pair with its difference, interval, effect size and p."),
    ] = False,
    by_topic: Annotated[
        bool,
        typer.Option(
            "--by-topic",
            help="Show on which topics the runs of each pair differ: how many got better and worse, and the "
            "largest gains and losses. CSV and JSON have all topics.",
        ),
    ] = False,
    most: Annotated[
        int, typer.Option(min=1, help="With --by-topic: the number of gains, and of losses, to show.")
    ] = 5,
    sort: Sort = None,
) -> Any:
    """Test which systems differ.

    All pairs of runs are compared, or each run with a baseline.

    \b
    rankprism compare qrels.txt runs/*.run -m alpha_nDCG@20
    rankprism compare scores.csv --baseline bm25 --test fisher
    rankprism compare scores.csv --baseline bm25 --margin 0.01
    """
    from rankprism.results.result import Detailed

    if pairs and by_topic:
        raise InputError("--pairs and --by-topic are two tables; ask for one of them")
    # Sorted by the means that the table shows, which are over the topics of all runs.
    scores = source.scores if sort is None else source.scores.complete().sorted(sort)
    found = call(scores, baseline=source.baselines)
    if by_topic:
        return found.by_topic(most)
    # The table of means has verdicts only if there is one baseline.
    has_verdicts = call.keywords["margin"] is not None
    return Detailed(found) if pairs or (has_verdicts and len(found.baselines) != 1) else found


@with_options_of(read_source)
def read_earlier(**source: Any) -> Scores | None:
    """Scores of earlier systems, if files are named."""
    return read_source(**source).scores if source["files"] else None


@app.command("topic-set-size")
@command("comparison:topic_set_size", reads=read_earlier)
def topic_set_size(scores: Scores | None, call: Call) -> Any:
    """Find how many topics an experiment needs.

    The variance is estimated from scores of earlier systems, unless you give it.

    \b
    rankprism topic-set-size scores.csv --difference 0.05
    rankprism topic-set-size --variance 0.04 --difference 0.05
    """
    return call(scores)
