"""`rankprism meta`: evaluate the measures themselves."""

from __future__ import annotations

from typing import Any

from rankprism.cli.door import OUTPUT, SCORED, Group, Option, flag
from rankprism.cli.frame import Call, analysis
from rankprism.cli.reading import Scored
from rankprism.cli.shared import DIFFERENCES
from rankprism.errors import InputError

meta = Group("meta", "Evaluate the measures themselves.")


@analysis("meta:power", DIFFERENCES, what="resampling", of=meta)
def power(source: Scored, call: Call, differences: bool) -> Any:
    """How many pairs of systems does a measure separate?

    This is discriminative power.

    \b
    rankprism meta power qrels.txt runs/*.run -m alpha_nDCG@20 -m P@20
    rankprism meta power scores.csv --method tukey --plot power.pdf
    """
    found = call(source.scores)
    return found.differences() if differences else found


@analysis(
    "meta:unanimity",
    flag(
        "--grouped",
        "Show only the best variant of each measure. Variants with the same figure share a row.",
        group=OUTPUT,
    ),
    DIFFERENCES,
    what="counting",
    of=meta,
)
def unanimity(source: Scored, call: Call, grouped: bool, differences: bool) -> Any:
    """Does a measure see the improvements that all others see?

    This is Metric Unanimity.

    \b
    rankprism meta unanimity scores.csv --grouped
    """
    found = call(source.scores)
    found = found.grouped() if grouped else found
    return found.differences() if differences else found


@analysis("meta:scenarios", what="drawing", of=meta)
def scenarios(source: Scored, call: Call) -> Any:
    """Are measures still unanimous if grades, weights and lengths differ?

    This is Metric Unanimity as given, and with random grades, aspect weights and lengths of rankings.

    \b
    rankprism meta scenarios qrels.txt runs/*.run -m RBU -m AP_IA -m alpha_nDCG@20
    """
    collection = source.collection
    if collection is None:
        raise InputError("scenarios need judgments and runs to draw from; scores are not enough")
    if collection.preferences is not None:
        raise InputError("scenarios draw absolute grades; leave out preferences and their measures")
    if "tied" in source.scores.conventions:
        raise InputError("scenarios score one order of tied documents; leave out --tied")
    return call(collection.collection, measures=source.scores.measures)


@analysis(
    "meta:correlation",
    flag("--clustered", "Put measures that rank the systems alike side by side.", group=OUTPUT),
    what="correlating",
    of=meta,
)
def correlation(source: Scored, call: Call, clustered: bool) -> Any:
    """Do measures rank the systems alike?

    \b
    rankprism meta correlation scores.csv --coefficient tau-ap
    """
    found = call(source.scores)
    return found.clustered() if clustered else found


@analysis("meta:agreement", what="resampling", of=meta)
def agreement(source: Scored, call: Call) -> Any:
    """Do measures find the same differences significant?

    \b
    rankprism meta agreement scores.csv --alpha 0.01
    """
    return call(source.scores)


@analysis(
    "meta:intuitiveness",
    Option(
        "--gold",
        multiple=True,
        metavar="MEASURE",
        completes="complete_measure",
        help="A simple measure that decides which measure is right, e.g. StRecall@10. With judgments and "
        "runs, name it with -m too. Repeatable.",
        group=SCORED,
    ),
    what="counting",
    of=meta,
)
def intuitiveness(source: Scored, call: Call, gold: list[str] | None) -> Any:
    """Which of two measures agrees with simple measures?

    \b
    rankprism meta intuitiveness scores.csv --gold StRecall@10
    """
    if not gold:
        raise InputError("name a gold measure among the others, e.g. --gold StRecall@10")
    return call(source.scores, gold=gold)


@analysis("meta:swap", DIFFERENCES, what="drawing topics", of=meta)
def swap(source: Scored, call: Call, differences: bool) -> Any:
    """How often would other topics reverse a difference?

    This is the swap method.

    \b
    rankprism meta swap scores.csv --trials 1000
    """
    found = call(source.scores)
    return found.differences() if differences else found


@analysis(
    "meta:stability",
    Option(
        "--size",
        multiple=True,
        type=int,
        help="A number of topics. Repeatable. Default: ten steps up to all topics.",
    ),
    what="resampling",
    leaves=("sizes",),
    of=meta,
)
def stability(source: Scored, call: Call, size: list[int] | None) -> Any:
    """How does power grow with the number of topics?

    \b
    rankprism meta stability scores.csv --size 10 --size 20
    """
    return call(source.scores, sizes=size)


@analysis("meta:disagreement", leaves=("judgments",), of=meta)
def disagreement(source: Scored, call: Call) -> Any:
    """On which ranked lists do two measures differ most?

    \b
    rankprism meta disagreement qrels.txt runs/*.run -m alpha_nDCG@10 -m P@10
    """
    return call(source.scores, judgments=None if source.collection is None else source.collection.collection)
