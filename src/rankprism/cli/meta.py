"""`rankprism meta`: evaluate the measures themselves."""

from __future__ import annotations

from typing import Annotated

import typer

from rankprism.cli.analysis import analysis
from rankprism.cli.collection import Source
from rankprism.cli.group import Group
from rankprism.cli.options import Alpha, Resamples, Seed, Share
from rankprism.errors import InputError
from rankprism.results.result import Result
from rankprism.types import Coefficient, IntuitivenessTest, MethodName

app = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Evaluate the measures themselves.",
)


Intervals = Annotated[
    float,
    typer.Option(
        help="Confidence of the intervals. An interval says how much the figure could change with other "
        "topics. 0 leaves the intervals out."
    ),
]
CompareMeasures = Annotated[
    bool,
    typer.Option(
        "--differences",
        help="Compare every pair of measures instead: print the difference of their figures, its interval "
        "and p.",
    ),
]
Method = Annotated[
    MethodName,
    typer.Option(
        help="The significance test: the paired bootstrap, the randomised Tukey HSD, or the paired t-test "
        "with Holm's correction.",
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
    """How many pairs of systems does a measure separate?

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
        bool,
        typer.Option(
            "--grouped",
            help="Show only the best variant of each measure. Variants with the same figure share a row.",
        ),
    ] = False,
    intervals: Intervals = 0.95,
    differences: CompareMeasures = False,
) -> Result:
    """Does a measure see the improvements that all others see?

    This is Metric Unanimity.

    \b
    rankprism meta unanimity scores.csv --grouped
    """
    from rankprism.meta import unanimity as compute

    found = compute(source.scores, intervals=intervals, on_share=on_share)
    found = found.grouped() if grouped else found
    return found.differences() if differences else found


@app.command()
@analysis("drawing")
def scenarios(
    source: Source,
    on_share: Share,
    longest: Annotated[int, typer.Option(min=1, help="Longest ranking of the third scenario.")] = 50,
    repetitions: Annotated[
        int, typer.Option(min=1, help="How often the second and the third scenario are drawn.")
    ] = 10,
    seed: Seed = 0,
    intervals: Intervals = 0.95,
    depth: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Cut every ranking at this rank first, so that runs of different length can be compared.",
            show_default=False,
        ),
    ] = None,
) -> Result:
    """Are measures still unanimous if grades, weights and lengths differ?

    This is Metric Unanimity as given, and with random grades, aspect weights and lengths of rankings.

    \b
    rankprism meta scenarios qrels.txt runs/*.run -m RBU -m AP_IA -m alpha_nDCG@20
    """
    from rankprism.meta import scenarios as compute

    collection = source.collection
    if collection is None:
        raise InputError("scenarios need judgments and runs to draw from; scores are not enough")
    if collection.preferences is not None:
        raise InputError("scenarios draw absolute grades; leave out preferences and their measures")
    return compute(
        collection.absolute,
        list(collection.runs),
        source.scores.measures,
        longest=longest,
        repetitions=repetitions,
        seed=seed,
        intervals=intervals,
        depth=depth,
        on_share=on_share,
        **collection.settings,
    )


@app.command()
@analysis("correlating")
def correlation(
    source: Source,
    on_share: Share,
    coefficient: Annotated[
        Coefficient,
        typer.Option(
            help="The coefficient. For tau-ap, the measure of a row is the gold ranking.",
        ),
    ] = "tau-b",
    per_topic: Annotated[
        bool,
        typer.Option(
            "--per-topic",
            help="Correlate the scores of each topic and average over topics, instead of correlating the "
            "mean scores.",
        ),
    ] = False,
    p: Annotated[
        float, typer.Option(help="Parameter p of RBO. With a larger p, lower ranks count more.")
    ] = 0.9,
    clustered: Annotated[
        bool, typer.Option("--clustered", help="Put measures that rank the systems alike side by side.")
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
            help="A simple measure that decides which measure is right, e.g. StRecall@10. With judgments and "
            "runs, name it with -m too. Repeatable.",
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        IntuitivenessTest,
        typer.Option(
            help="The test that gives p: a t-test over topics, or the sign test of Sakai (2012), whose p is "
            "far too small.",
        ),
    ] = "topics",
    intervals: Intervals = 0.95,
) -> Result:
    """Which of two measures agrees with simple measures?

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
        int | None,
        typer.Option(
            min=1, help="Number of topics in each half. Default: half of all topics.", show_default=False
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Number of times that topics are drawn.")] = 1000,
    bin_width: Annotated[float, typer.Option(help="Width of a bin of differences.")] = 0.01,
    bins: Annotated[
        int, typer.Option(min=2, help="Number of bins. The last bin holds all larger differences.")
    ] = 21,
    error: Annotated[float, typer.Option(help="Highest swap rate that is accepted.")] = 0.05,
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
        typer.Option(
            help="A number of topics. Repeatable. Default: ten steps up to all topics.", show_default=False
        ),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Number of random sets of topics for each size.")] = 10,
    method: Method = "bootstrap",
    alpha: Alpha = 0.05,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Result:
    """How does power grow with the number of topics?

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
        typer.Option(
            metavar="MEASURE",
            help="One of the two measures. Default: the first one given.",
            show_default=False,
        ),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE",
            help="The other of the two measures. Default: the second one given.",
            show_default=False,
        ),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Number of cases to show.")] = 10,
    depth: Annotated[
        int, typer.Option(min=1, help="Number of ranks to show, if judgments and runs are given.")
    ] = 10,
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
