"""The settings of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from rankprism.errors import InputError, one_of
from rankprism.judging.assess.crowd import check_completion_url, check_parameter
from rankprism.judging.assess.wording import Wording, default_instructions, default_wording, stored_wording
from rankprism.measures import parse
from rankprism.types import Ask, AtLeast, BothOrders, Called, Natural, Positive, StudyChoice, fact

#: The default measure that ranks the systems, down to the depth of the study. The pooled estimate uses both
#: pairs and triplets, errs less with few judgments, and does not treat documents that nobody saw as bad.
MEASURES = {"preferences": "nPrf(estimate='pooled')", "grades": "alpha_nDCG", "drawn": "nDCG"}
CONSENT = """\
Your answers, your comments and the time that you take are stored and used to evaluate search systems. \
You may stop at any time.
"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a study.

    Parameters
    ----------
    name
        Name of the study.
    ask
        What is asked: which of two documents is better, which is better after another one, both, or a grade
        for each document.
    choice
        Which questions are asked.
    depth
        How many documents of each ranking are judged.
    budget
        Number of questions, for random and adaptive choice.

        Each may be judged several times.
    overlap
        How many assessors judge each question.
    both_orders
        Ask each pair in both orders, of the same assessors or of different ones. Default: no, or same if the
        questions of --tasks have orders.
    repeat_every
        Every N-th question is one that the assessor has answered before, to see whether they agree with
        themselves. Such answers are not exported. Default: never.
    crowd
        Make one link for all who bring a worker id (?worker=ID).
    worker_parameter
        Parameter in which the crowd platform sends the worker id. Default: worker, PROLIFIC_PID or workerId.
    quota
        Answers after which an assessor is done. Default: no limit.
    gold_every
        Every N-th question is a gold question.
    lease
        Seconds after which an unanswered task goes to somebody else.
    minutes
        Minutes after which an assessor gets no more questions. Default: no limit.
    settle
        Stop when the order of the systems is this stable: Kendall's tau that 95 % of resamples of the
        judgments reach. Default: never.
    measure
        What ranks the systems on the dashboard. Default, down to the depth: nPrf with the pooled estimate,
        alpha_nDCG for grades, or nDCG for documents that were drawn.
    batch
        Questions chosen at a time, for adaptive choice.
    instructions, consent
        What assessors read first, and what they agree to, in Markdown. The default of the instructions
        depends on what is asked.
    wording
        The question and the answers. The default depends on what is asked.
    mark
        Mark the words of the topic's title in documents.
    completion_url
        Address of a link on the last page, which leads back to the crowd platform. {code} and {worker} are
        filled in.
    completion_code
        Code on the last page. Default: one for each assessor.
    seed
        Seed for the random numbers. The same seed gives the same result.
    """

    name: str = "Study"
    ask: Ask = "pairs"
    choice: StudyChoice = "complete"
    depth: Positive = 10
    budget: Positive | None = None
    overlap: Positive = 1
    both_orders: BothOrders = "no"
    repeat_every: Annotated[int, AtLeast(2)] | None = None
    crowd: bool = False
    worker_parameter: Annotated[str, Called("NAME")] = ""
    quota: Positive | None = None
    gold_every: Annotated[int, AtLeast(2)] = 10
    lease: Annotated[int, AtLeast(10)] = 1800
    minutes: Positive | None = None
    settle: Annotated[float, Called("TAU")] | None = None
    measure: str = ""
    batch: Positive = 50
    instructions: str = ""
    consent: str = CONSENT
    wording: Wording = field(default_factory=Wording)
    mark: bool = True
    completion_url: Annotated[str, Called("URL")] | None = None
    completion_code: Annotated[str, Called("CODE")] | None = None
    seed: Natural = 0

    def __post_init__(self) -> None:
        one_of("ask", self.ask, Ask)
        collects = "grades" if self.collects_grades else "preferences"
        if self.wording == Wording():
            object.__setattr__(self, "wording", default_wording(self.ask))
        written = self.instructions or default_instructions(self.ask, self.wording)
        object.__setattr__(self, "instructions", written)
        kind = "drawn" if self.choice == "drawn" else collects
        object.__setattr__(self, "measure", self.measure or f"{MEASURES[kind]}@{self.depth}")
        one_of("choice", self.choice, StudyChoice)
        one_of("both_orders", self.both_orders, BothOrders)
        for name, hint in get_type_hints(Settings, include_extras=True).items():
            value, limit = getattr(self, name), fact(AtLeast, hint)
            if limit is not None and value is not None and value < limit.least:
                raise InputError(f"{name} must be at least {limit.least}; got {value}")
        for name in get_type_hints(Settings):
            if "\0" in str(getattr(self, name)):
                raise InputError(f"{name} has a NUL character (\\0), which databases reject; remove it")
        check_parameter(self.worker_parameter)
        if self.completion_url is not None:
            check_completion_url(self.completion_url)
        if self.settle is not None and not 0 < self.settle <= 1:
            raise InputError(f"settle is a Kendall's τ above 0 and up to 1; got {self.settle}")
        if self.choice in ("random", "adaptive") and self.budget is None:
            raise InputError(
                f"the choice {self.choice} needs a budget, the number of questions to ask (--budget)"
            )
        if self.choice not in ("random", "adaptive") and self.budget is not None:
            raise InputError(f"a budget goes with random or adaptive choice; the choice is {self.choice}")
        if self.both_orders != "no" and self.collects_grades:
            raise InputError("both orders are for pairs and triplets; a document to grade has no order")
        if self.choice == "drawn" and not self.collects_grades:
            raise InputError(f"documents that were drawn are graded (--ask grades); got {self.ask!r}")
        if self.choice == "drawn" and self.settle is not None:
            raise InputError(
                "settle looks at the order of systems by all judgments, and drawn documents are a sample; "
                "`rankprism judges select --settled` says when to stop"
            )
        if self.choice == "adaptive" and self.ask != "both":
            raise InputError(f"adaptive choice asks for pairs and triplets (--ask both); got {self.ask!r}")

    @property
    def collects_grades(self) -> bool:
        return self.ask == "grades"


_KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


def read_settings(found: Mapping[str, Any]) -> Settings:
    """Read the settings that a study has stored, or name the setting that is damaged."""
    names = [one.name for one in fields(Settings)]
    kinds = get_type_hints(Settings)
    for name in names:
        if name not in found:
            raise InputError(f"its settings have no {name}")
        if name == "wording":
            found = {**found, name: stored_wording(found[name])}
            continue
        # `Settings` itself checks the words of a Literal.
        allowed = (str,) if get_origin(kinds[name]) is Literal else get_args(kinds[name]) or (kinds[name],)
        # A whole number is stored without a decimal point.
        if type(found[name]) not in (*allowed, *([int] if float in allowed else [])):
            words = " or ".join(_KINDS[kind] for kind in allowed)
            raise InputError(f"its setting {name} must be {words}; got {found[name]!r}")
    unknown = [name for name in found if name not in names]
    if unknown:
        raise InputError(f"its setting {unknown[0]!r} is not known")
    return Settings(**found)


def check_measure(settings: Settings) -> None:
    """Refuse a measure that cannot rank the systems by what the study collects."""
    from rankprism.judging.preferences.selection import preference_measures

    measure = parse(settings.measure)
    if (measure.needs == "preferences") == settings.collects_grades:
        collected = "grades" if settings.collects_grades else "preferences"
        raise InputError(
            f"{measure} cannot rank systems by {collected}, which the study collects (--measure)"
        )
    if settings.choice == "adaptive":
        preference_measures(settings.measure)
