"""`rankprism compare` tests which systems differ; `rankprism topic-set-size` finds how many topics to use."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rankprism.cli.analysis import Call, check_output, command, note_options, write_result
from rankprism.cli.choices import one_of
from rankprism.cli.collection import Baselines, Source, read_source
from rankprism.cli.group import commands
from rankprism.cli.options import Alpha, Seed, Sort, noted
from rankprism.cli.signature import given_to, with_options_of
from rankprism.errors import InputError
from rankprism.types import Correction

app = commands()


@app.command()
@command("comparison:compare", "resampling")
def compare(
    source: Source,
    call: Call,
    baseline: Baselines = None,
    test: Annotated[
        Any,
        typer.Option(
            click_type=one_of("comparison:TESTS"),
            help="The significance test. tukey is the randomised Tukey HSD. anova-tukey is Tukey's HSD after "
            "a two-way analysis of variance, and dunnett is Dunnett's test after the same analysis, for "
            "comparisons with a baseline.",
        ),
    ] = "t",
    correction: Annotated[
        Correction | None,
        typer.Option(
            help="Correction for the number of pairs. max-t is for the test fisher. Default: holm, or "
            "none if the test itself corrects for the number of pairs."
        ),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="The largest difference that does not matter, e.g. 0.01, or 2% of the baseline's mean. The "
            "result then says which runs are better, worse, equivalent or not worse.",
        ),
    ] = None,
    alpha: Alpha = 0.05,
    resamples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of resamples. Default: 10,000, or the number of pairs divided by alpha if that is "
            "more.",
        ),
    ] = None,
    seed: Seed = 0,
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
    found = call(
        source.scores if sort is None else source.scores.sorted(sort),
        baseline=source.baselines,
        test=test,
        correction=correction,
        margin=margin,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
    )
    if by_topic:
        return found.by_topic(most)
    # The table of means has verdicts only if there is one baseline.
    return Detailed(found) if pairs or (margin is not None and len(found.baselines) != 1) else found


@app.command("topic-set-size")
@with_options_of(read_source, write_result, note_options)
def topic_set_size(
    difference: Annotated[float, typer.Option(help="Smallest difference of means that you want to find.")],
    variance: Annotated[
        float | None,
        typer.Option(
            help="Variance of the scores, or for two systems the variance of their differences. Default: "
            "estimated from the scores."
        ),
    ] = None,
    systems: Annotated[int, typer.Option(min=2, help="Number of systems that will be compared.")] = 2,
    alpha: Alpha = 0.05,
    power: Annotated[
        float, typer.Option(help="Probability with which the test should find the difference.")
    ] = 0.8,
    **others: Any,
) -> None:
    """Find how many topics an experiment needs.

    The variance is estimated from scores of earlier systems, unless you give it.

    \b
    rankprism topic-set-size scores.csv --difference 0.05
    rankprism topic-set-size --variance 0.04 --difference 0.05
    """
    from rankprism.comparison import topic_set_size as compute

    check_output(**given_to(write_result, others))
    with noted(others["quiet"]):
        scores = read_source(**given_to(read_source, others)).scores if others["files"] else None
        found = compute(
            scores, difference=difference, variance=variance, systems=systems, alpha=alpha, power=power
        )
    write_result(found, **given_to(write_result, others))
