"""`rankprism compare` and `rankprism topic-set-size`: which systems differ, and how many topics show it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from rankprism.cli.analysis import Source, analysis, read_source, write_result
from rankprism.cli.options import (
    Alpha,
    OutputFile,
    Quiet,
    ResultFormatOption,
    Seed,
    Share,
    noted,
)
from rankprism.data.result import Detailed, Result

app = typer.Typer(add_completion=False)


class Test(StrEnum):
    t = "t"
    wilcoxon = "wilcoxon"
    fisher = "fisher"
    bootstrap = "bootstrap"
    tukey = "tukey"
    anova_tukey = "anova-tukey"
    dunnett = "dunnett"


class CorrectionName(StrEnum):
    holm = "holm"
    bonferroni = "bonferroni"
    bh = "bh"
    none = "none"


@app.command()
@analysis("resampling")
def compare(
    source: Source,
    on_share: Share,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Compare with this run only. Default: all pairs.", show_default=False
        ),
    ] = None,
    test: Annotated[
        Test,
        typer.Option(
            help="The test. tukey is the randomised HSD, anova-tukey the HSD after a two-way analysis of "
            "variance, dunnett the same for comparisons with a baseline."
        ),
    ] = Test.t,
    correction: Annotated[
        CorrectionName | None,
        typer.Option(
            help="Correction for the number of pairs. Default: holm; none where the test has its own.",
            show_default=False,
        ),
    ] = None,
    alpha: Alpha = 0.05,
    resamples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many resamples a test draws. Default: 10,000, or the number of pairs divided by alpha "
            "if that is more.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Show every pair with its difference, interval, effect size and p."),
    ] = False,
) -> Result:
    """Which systems differ: rankprism compare --qrels qrels.txt runs/*.run -m alpha_nDCG@20"""
    from rankprism import compare as compare_scores

    found = compare_scores(
        source.scores,
        baseline=baseline,
        test=test.value,
        correction=correction.value if correction else None,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        on_share=on_share,
    )
    return Detailed(found) if pairs else found


@app.command("topic-set-size")
def topic_set_size(
    difference: Annotated[float, typer.Option(help="The smallest difference of means worth finding.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Scores of earlier systems, to estimate the variance."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", "-m", metavar="MEASURE", help="A measure to look at; repeatable.", show_default=False
        ),
    ] = None,
    variance: Annotated[
        float | None,
        typer.Option(
            help="Of the scores; for two systems, of their differences. Estimated without it.",
            show_default=False,
        ),
    ] = None,
    systems: Annotated[int, typer.Option(min=2, help="How many systems the experiment will compare.")] = 2,
    alpha: Alpha = 0.05,
    power: Annotated[float, typer.Option(help="The chance to find the difference.")] = 0.8,
    format: ResultFormatOption = None,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """How many topics an experiment needs: rankprism topic-set-size scores.csv --difference 0.05"""
    from rankprism.comparison import topic_set_size as compute

    with noted(quiet):
        scores = read_source(files=files, measure=measure).scores if files else None
        found = compute(
            scores, difference=difference, variance=variance, systems=systems, alpha=alpha, power=power
        )
    write_result(found, format, output)
