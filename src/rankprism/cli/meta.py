"""`rankprism meta`: evaluate the measures themselves."""

from __future__ import annotations

from typing import Annotated

import typer

from rankprism.cli.analysis import analysis
from rankprism.cli.choices import one_of
from rankprism.cli.collection import Source
from rankprism.cli.options import Alpha, Resamples, Seed, Share
from rankprism.errors import InputError
from rankprism.results.result import Result

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Evaluate the measures themselves.",
)


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
Method = Annotated[
    str,
    typer.Option(
        click_type=one_of("meta:METHODS"),
        help="The paired bootstrap, the randomised Tukey HSD, or t with Holm's correction.",
    ),
]


@app.command()
@analysis("resampling")
def power(
    source: Source,
    on_share: Share,
    method: Method = "bootstrap",
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    intervals: Intervals = 0.95,
    differences: CompareMeasures = False,
) -> Result:
    """How many pairs of systems does each measure tell apart?

    This is discriminative power.

    \b
    rankprism meta power qrels.txt runs/*.run -m alpha_nDCG@20 -m P@20
    rankprism meta power scores.csv --method tukey --plot power.pdf
    """
    from rankprism.meta import power as compute

    found = compute(
        source.scores,
        method=method,
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
    on_share: Share,
    grouped: Annotated[
        bool, typer.Option("--grouped", help="The best variant of each measure, equal ones in one row.")
    ] = False,
    intervals: Intervals = 0.95,
    differences: CompareMeasures = False,
) -> Result:
    """Does a measure see what all the others see?

    This is Metric Unanimity.

    \b
    rankprism meta unanimity scores.csv --grouped
    """
    from rankprism.meta import unanimity as compute

    found = compute(source.scores, intervals=intervals, on_share=on_share)
    found = found.grouped() if grouped else found
    return found.differences() if differences else found


@app.command()
@analysis("correlating")
def correlation(
    source: Source,
    on_share: Share,
    coefficient: Annotated[
        str,
        typer.Option(
            click_type=one_of("meta:COEFFICIENTS"),
            help="The coefficient. With tau-ap, the measure of a row is the gold ranking.",
        ),
    ] = "tau-b",
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
    """Do measures rank the systems alike?

    \b
    rankprism meta correlation scores.csv --coefficient tau-ap
    """
    from rankprism.meta import correlation as compute

    found = compute(
        source.scores,
        coefficient=coefficient,
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
    method: Method = "bootstrap",
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
    intervals: Intervals = 0.95,
) -> Result:
    """Do measures find the same differences significant?

    \b
    rankprism meta agreement scores.csv --alpha 0.01
    """
    from rankprism.meta import agreement as compute

    return compute(
        source.scores,
        method=method,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        intervals=intervals,
        on_share=on_share,
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
        str,
        typer.Option(
            click_type=one_of("meta:INTUITIVENESS_TESTS"),
            help="The test behind p: over topics, or the sign test of Sakai (2012), whose p is far too "
            "small.",
        ),
    ] = "topics",
    intervals: Intervals = 0.95,
) -> Result:
    """Where two measures disagree, which sides with simple ones?

    \b
    rankprism meta intuitiveness scores.csv --gold StRecall@10
    """
    from rankprism.meta import intuitiveness as compute

    if not gold:
        raise InputError("name a gold measure among the others, e.g. --gold StRecall@10")
    return compute(source.scores, gold=gold, test=test, intervals=intervals, on_share=on_share)


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
    """How often would other topics reverse a difference?

    This is the swap method.

    \b
    rankprism meta swap scores.csv --trials 1000
    """
    from rankprism.meta import swap as compute

    found = compute(
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
    method: Method = "bootstrap",
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Result:
    """How does discriminative power grow with the topics?

    \b
    rankprism meta stability scores.csv --size 10 --size 20
    """
    from rankprism.meta import stability as compute

    return compute(
        source.scores,
        sizes=size,
        samples=samples,
        method=method,
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
    depth: Annotated[int, typer.Option(min=1, help="Number of ranks to show, if runs are given.")] = 10,
) -> Result:
    """On which ranked lists do two measures differ most?

    \b
    rankprism meta disagreement qrels.txt runs/*.run -m alpha_nDCG@10 -m P@10
    """
    from rankprism.meta import disagreement as compute

    return compute(
        source.scores,
        first=first,
        second=second,
        most=most,
        judgments=source.judgments,
        depth=depth,
        **source.lists,
    )
