"""`rankprism meta`: evaluate the measures themselves."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from rankprism.cli.analysis import Source, analysis
from rankprism.cli.options import Alpha, Resamples, Seed, Share
from rankprism.data.result import Result
from rankprism.errors import InputError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Evaluate measures: power, unanimity, correlation, agreement, …",
)


class Method(StrEnum):
    bootstrap = "bootstrap"
    tukey = "tukey"
    t = "t"


class Coefficient(StrEnum):
    tau_b = "tau-b"
    tau_a = "tau-a"
    tau_ap = "tau-ap"
    tau_ap_symmetric = "tau-ap-symmetric"
    spearman = "spearman"
    rbo = "rbo"


class IntuitivenessTest(StrEnum):
    topics = "topics"
    sakai = "sakai"


Intervals = Annotated[
    float,
    typer.Option(help="Confidence of the intervals, which say how much other topics would change. 0: none."),
]
CompareMeasures = Annotated[
    bool,
    typer.Option(
        "--differences",
        help="Compare every two measures instead: the difference of their figures, its interval and p.",
    ),
]
MethodOption = Annotated[
    Method, typer.Option(help="The paired bootstrap, the randomised Tukey HSD, or t with Holm's correction.")
]


@app.command()
@analysis("resampling")
def power(
    source: Source,
    on_share: Share,
    method: MethodOption = Method.bootstrap,
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    intervals: Intervals = 0.95,
    differences: CompareMeasures = False,
) -> Result:
    """Discriminative power: how many pairs of systems each measure tells apart."""
    from rankprism.meta import discriminative_power

    found = discriminative_power(
        source.scores,
        method=method.value,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        intervals=intervals,
        on_share=on_share,
    )
    return found.differences() if differences else found


@app.command()
@analysis("counting")
def unanimity(
    source: Source,
    grouped: Annotated[
        bool, typer.Option("--grouped", help="The best variant of each measure, equal ones in one row.")
    ] = False,
    intervals: Intervals = 0.95,
    differences: CompareMeasures = False,
) -> Result:
    """Metric Unanimity: does a measure see what all the others see?"""
    from rankprism.meta import unanimity as compute

    found = compute(source.scores, intervals=intervals)
    found = found.grouped() if grouped else found
    return found.differences() if differences else found


@app.command()
@analysis("correlating")
def correlation(
    source: Source,
    on_share: Share,
    coefficient: Annotated[
        Coefficient, typer.Option(help="With tau-ap, the measure of a row is the gold ranking.")
    ] = Coefficient.tau_b,
    per_topic: Annotated[
        bool, typer.Option("--per-topic", help="Of each topic's scores, averaged, instead of the means.")
    ] = False,
    p: Annotated[float, typer.Option(help="Of RBO: the larger, the deeper it looks.")] = 0.9,
    clustered: Annotated[
        bool, typer.Option("--clustered", help="Put measures that rank alike side by side.")
    ] = False,
    intervals: Intervals = 0.95,
    seed: Seed = 0,
) -> Result:
    """Correlation: do measures rank the systems alike?"""
    from rankprism.meta import correlation as compute

    found = compute(
        source.scores,
        coefficient.value,
        per_topic=per_topic,
        p=p,
        intervals=intervals,
        seed=seed,
        on_share=on_share,
    )
    return found.clustered() if clustered else found


@app.command()
@analysis("resampling")
def agreement(
    source: Source,
    on_share: Share,
    method: MethodOption = Method.bootstrap,
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    intervals: Intervals = 0.95,
) -> Result:
    """Agreement: do measures find the same differences significant?"""
    from rankprism.meta import agreement as compute
    from rankprism.meta import discriminative_power

    return compute(
        discriminative_power(
            source.scores,
            method=method.value,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            intervals=intervals,
            on_share=on_share,
        )
    )


@app.command()
@analysis("counting")
def intuitiveness(
    source: Source,
    on_share: Share,
    gold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="A simple measure to side with, such as StRecall@10; repeatable.",
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        IntuitivenessTest,
        typer.Option(
            help="The test behind p: over topics, or the sign test of Sakai (2012), whose p is far too small."
        ),
    ] = IntuitivenessTest.topics,
    intervals: Intervals = 0.95,
) -> Result:
    """Intuitiveness: where two measures disagree, which sides with simple ones?"""
    from rankprism.meta import intuitiveness as compute

    if not gold:
        raise InputError("name a gold measure among the others, e.g. --gold StRecall@10")
    return compute(source.scores, gold, test=test.value, intervals=intervals, on_share=on_share)


@app.command()
@analysis("drawing topics")
def swap(
    source: Source,
    on_share: Share,
    size: Annotated[
        int | None, typer.Option(min=1, help="Topics in each half; half of all.", show_default=False)
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How often topics are drawn.")] = 1000,
    bin_width: Annotated[float, typer.Option(help="The size of the bins of differences.")] = 0.01,
    bins: Annotated[int, typer.Option(min=2, help="How many; the last takes all that are larger.")] = 21,
    error: Annotated[float, typer.Option(help="The swap rate to stay under.")] = 0.05,
    seed: Seed = 0,
    intervals: Intervals = 0.95,
    differences: CompareMeasures = False,
) -> Result:
    """The swap method: how often would other topics reverse a difference?"""
    from rankprism.meta import swap_rates

    found = swap_rates(
        source.scores,
        size=size,
        trials=trials,
        bin_width=bin_width,
        bins=bins,
        error=error,
        seed=seed,
        intervals=intervals,
        on_share=on_share,
    )
    return found.differences() if differences else found


@app.command()
@analysis("resampling")
def stability(
    source: Source,
    on_share: Share,
    size: Annotated[
        list[int] | None,
        typer.Option(help="A number of topics; repeatable. Ten steps up to all of them.", show_default=False),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Random sets of topics of each size.")] = 10,
    method: MethodOption = Method.bootstrap,
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Result:
    """Stability: how discriminative power grows with the number of topics."""
    from rankprism.meta import stability as compute

    return compute(
        source.scores,
        sizes=size,
        samples=samples,
        method=method.value,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        on_share=on_share,
    )


@app.command()
@analysis("looking")
def disagreement(
    source: Source,
    first: Annotated[
        str | None,
        typer.Option(metavar="MEASURE", help="Without it, the first of the measures.", show_default=False),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(metavar="MEASURE", help="Without it, the second of them.", show_default=False),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="How many cases.")] = 10,
    depth: Annotated[int, typer.Option(min=1, help="Ranks to show, with --qrels.")] = 10,
) -> Result:
    """Disagreements: the ranked lists on which two measures differ most."""
    from rankprism.meta import disagreements

    measures = source.scores.measures
    if (first is None or second is None) and len(measures) < 2:
        raise InputError("two measures are needed: name another with -m")
    return disagreements(
        source.scores,
        measures[0] if first is None else first,
        measures[1] if second is None else second,
        most=most,
        judgments=source.judgments,
        depth=depth,
        **source.lists,
    )
