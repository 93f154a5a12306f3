"""Gate: what `gate` found, as a result and in the formats that build servers read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rankprism.comparison.boards.lost_topics import LostTopic
from rankprism.data import Floats, Longs
from rankprism.results import HIGHER, LOWER, Cell, Result, Table, marked, mixed_sentence, signs
from rankprism.statistics import smallest_difference
from rankprism.text import html_escaped, markdown_escaped, shown
from rankprism.types import CannotTell

PASSED, FAILED, CANNOT_TELL, UNCHANGED = "passed", "failed", "cannot tell", "unchanged"
#: The exit code of the command for each outcome. Errors have 1 and 2.
EXIT_CODES = {PASSED: 0, UNCHANGED: 0, FAILED: 3, CANNOT_TELL: 4}
#: A gate names the loss that it would find with this power.
POWER = 0.8
_SIGNS = {PASSED: "✅", UNCHANGED: "✅", FAILED: "❌", CANNOT_TELL: "❓"}


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """What `rankprism.gate` found. Arrays have one number for each measure."""

    claims = ("a difference beside a margin",)
    baseline: str
    new: str
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  #: (2, topic, measure): the scores of the baseline and of the new run
    means: Floats  #: (2, measure)
    margin: Floats
    difference: Floats  #: the mean of the new run minus the baseline's
    half_width: Floats  #: the interval is difference ± half_width; NaN if all differences are equal
    level: float  #: the confidence of each interval: 1 - 2α / measures
    failing: Floats  #: p that the loss is not larger than the margin, corrected
    passing: Floats  #: p that the loss is not smaller than the margin, corrected
    changed: Longs  #: the number of topics on which the runs differ at all
    deviation: Floats  #: the standard deviation of the differences over topics
    verdicts: tuple[str, ...]  #: "passed", "failed", "cannot tell" or "unchanged"
    alpha: float
    cannot_tell: CannotTell
    lost: tuple[LostTopic, ...] = ()  #: the topics that lost most by the deciding measure
    reason: str = ""  #: why the gate cannot tell, if the tests do not say it
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        """The verdict on all measures: the first of these that a measure has."""
        return next(word for word in (FAILED, CANNOT_TELL, PASSED, UNCHANGED) if word in self.verdicts)

    @property
    def deciding(self) -> int:
        """The number of the first measure that has the verdict on all measures."""
        return self.verdicts.index(self.outcome)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 passed, 3 failed, 4 cannot tell, if the policy does not decide."""
        return self._code(self.outcome)

    def _code(self, verdict: str) -> int:
        if verdict == CANNOT_TELL and self.cannot_tell != "report":
            verdict = PASSED if self.cannot_tell == "pass" else FAILED
        return EXIT_CODES[verdict]

    @cached_property
    def differences(self) -> Floats:
        """(measure, topic): new - baseline, and 0 where they differ only by rounding."""
        found = (self.values[1] - self.values[0]).T
        rounding = 1e-13 * np.abs(self.values).max(0).T
        return np.where(np.abs(found) <= rounding, 0.0, found)

    @property
    def gains(self) -> Floats:
        """(measure, topic): by how much the new run is better; negative where it is worse."""
        return np.asarray(self.differences * signs(self.measures, self.lower_is_better)[:, None])

    @cached_property
    def detectable(self) -> Floats:
        """The true loss with which each measure would have failed with a power of .8, at Holm's first step.

        It is NaN if the differences do not show how much they vary.
        """
        from scipy import special

        topics = len(self.topics)
        if topics < 2:
            return np.full_like(self.deviation, np.nan)
        critical = special.stdtrit(topics - 1, np.full_like(self.deviation, (1 + self.level) / 2))
        error = self.deviation / np.sqrt(topics)
        loss = self.margin + smallest_difference(critical, topics - 1, POWER) * error
        return np.where(error > 0, loss, np.nan)

    @property
    def rows(self) -> Table:
        """One row for each measure."""
        n = len(self.measures)
        columns: dict[str, list[Any]] = {
            "measure": list(self.measures),
            "direction": [LOWER if name in self.lower_is_better else HIGHER for name in self.measures],
            "baseline": [self.baseline] * n,
            "new": [self.new] * n,
            "baseline mean": self.means[0].tolist(),
            "new mean": self.means[1].tolist(),
            "difference": self.difference.tolist(),
            "low": (self.difference - self.half_width).tolist(),
            "high": (self.difference + self.half_width).tolist(),
            "level": [self.level] * n,
            "margin": self.margin.tolist(),
            "p failed": self.failing.tolist(),
            "p passed": self.passing.tolist(),
            "changed topics": self.changed.tolist(),
            "topics": [len(self.topics)] * n,
            "detectable": self.detectable.tolist(),
            "verdict": list(self.verdicts),
        }
        return Table(columns, probabilities=("p failed", "p passed"))

    @property
    def summary(self) -> Table:
        rows = self.rows.columns
        ends = zip(self.difference, rows["low"], rows["high"], strict=True)
        return Table(
            {
                "measure": rows["measure"],
                "baseline": rows["baseline mean"],
                "new": rows["new mean"],
                "difference": [
                    float(x) if np.isnan(low) else Cell(float(x), between=(low, high))
                    for x, low, high in ends
                ],
                "margin": rows["margin"],
                "p failed": rows["p failed"],
                "p passed": rows["p passed"],
                "changed topics": rows["changed topics"],
                "detectable": rows["detectable"],
                "verdict": rows["verdict"],
            },
            probabilities=("p failed", "p passed"),
        )

    @property
    def note(self) -> str:
        return f"{self.headline}\n{self.explained}"

    @property
    def headline(self) -> str:
        """The outcome in a sentence."""
        runs = f"{shown(self.new)} against {shown(self.baseline)}"
        names = ", ".join(
            shown(m)
            for m, verdict in zip(self.measures, self.verdicts, strict=True)
            if verdict == self.outcome
        )
        words = {
            PASSED: f"Passed: {runs} did not lose more than the margin.",
            FAILED: f"Failed: {runs} lost more than the margin by {names}.",
            CANNOT_TELL: f"Cannot tell whether {runs} lost more than the margin by {names}"
            + (f": {self.reason}." if self.reason else "."),
            UNCHANGED: f"Unchanged: {runs} has the same scores on all topics.",
        }
        after = {"pass": " The policy lets this pass.", "fail": " The policy lets this fail."}
        return words[self.outcome] + (after.get(self.cannot_tell, "") if self.outcome == CANNOT_TELL else "")

    @property
    def explained(self) -> str:
        """What the columns mean."""
        several = len(self.measures)
        holm = f" after the Holm correction for {several} measures" if several > 1 else ""
        lower = " A lower score is better by measures with ↓." if self.lower_is_better else ""
        return (
            f"Means over {len(self.topics)} topics. The difference is new - baseline, with an interval that "
            f"covers {100 * self.level:.3g} %.{lower} Failed and passed: one-sided paired t-tests at "
            f"the margin, p < {self.alpha:g}{holm}. Detectable: the true loss that would have failed with "
            f"probability {POWER:g}."
        )

    def _named(self, m: int) -> str:
        """The name of a measure, with a mark if a lower score is better."""
        return marked(self.measures[m], self.measures[m], self.lower_is_better)

    def _said(self, m: int) -> str:
        """One measure in a sentence."""
        half = self.half_width[m]
        ends = (
            "" if np.isnan(half) else f" [{self.difference[m] - half:.4f}, {self.difference[m] + half:.4f}]"
        )
        because = f" ({self.reason})" if self.reason and self.verdicts[m] == CANNOT_TELL else ""
        finds = "" if np.isnan(half) else f", would have found a loss of {self.detectable[m]:.4f}"
        return (
            f"{self.verdicts[m]}{because}: {self._named(m)} {self.means[0, m]:.4f} → {self.means[1, m]:.4f}, "
            f"difference {self.difference[m]:.4f}{ends}, margin {self.margin[m]:.4g}, "
            f"{self.changed[m]} of {len(self.topics)} topics changed{finds}"
        )

    def to_comment(self) -> str:
        """The outcome as Markdown for a pull request: the table, the topics that lost most, and why."""
        parts = [
            f"### {_SIGNS[self.outcome]} Relevance gate: {self.outcome}",
            " ".join(filter(None, [markdown_escaped(self.headline, None), mixed_sentence(self.about)])),
            self._shown(None)[0].markdown(),
        ]
        if self.lost:
            measure = self.measures[self.deciding]
            rows = [(one.topic, one.baseline, one.score, one.difference) for one in self.lost]
            table = Table.of_rows(("topic", "baseline", "new", "difference"), rows)
            parts += [f"**Topics that lost most by {markdown_escaped(measure)}**", table.markdown()]
        for one in self.lost:
            if one.reasons:
                lines = [f"- Topic {markdown_escaped(one.topic)}:"]
                parts.append(
                    "\n".join([*lines, *(f"  - {markdown_escaped(why, None)}" for why in one.reasons)])
                )
        parts.append(f"<sub>{markdown_escaped(self.explained, None)}</sub>")
        return "\n\n".join(parts) + "\n"

    def to_junit(self) -> str:
        """The outcome as a JUnit file: one test case for each measure.

        A measure that failed is a failure. If the gate cannot tell, it is an error, or what the policy says:
        a failure, or a skipped test.
        """
        tags = {0: "skipped", 3: "failure", 4: "error"}
        cases, count = [], dict.fromkeys(tags.values(), 0)
        for m, verdict in enumerate(self.verdicts):
            inside = ""
            if verdict in (FAILED, CANNOT_TELL):
                tag = tags[self._code(verdict)]
                count[tag] += 1
                inside = f'<{tag} message="{_xml(self._said(m))}"' + (
                    "/>" if tag == "skipped" else f' type="{_xml(verdict)}">{_xml(self._why(m))}</{tag}>'
                )
            out = f"<system-out>{_xml(self._said(m))}</system-out>"
            name = _xml(self.measures[m])
            cases.append(f'  <testcase classname="rankprism.gate" name="{name}">{inside}{out}</testcase>')
        numbers = f'tests="{len(cases)}" failures="{count["failure"]}" errors="{count["error"]}"'
        numbers += f' skipped="{count["skipped"]}"'
        suite = f'<testsuite name="rankprism gate" {numbers}>'
        return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', suite, *cases, "</testsuite>", ""])

    def _why(self, m: int) -> str:
        """The topics that lost most, if this measure decides, one in each line."""
        if m != self.deciding:
            return ""
        return "\n".join(
            f"topic {one.topic}: {one.baseline:.4f} → {one.score:.4f}"
            + (f" ({'; '.join(one.reasons)})" if one.reasons else "")
            for one in self.lost
        )

    def to_annotations(self) -> str:
        """The outcome as workflow commands of GitHub: an error, a warning or a notice for each measure."""
        kinds = {0: "notice", 3: "error", 4: "warning"}
        lines = []
        for m, verdict in enumerate(self.verdicts):
            why = self._why(m) if verdict in (FAILED, CANNOT_TELL) else ""
            text = "\n".join(part for part in (self._said(m), why) if part)
            lines.append(f"::{kinds[self._code(verdict)]} title=Relevance gate::{_command_escaped(text)}\n")
        return "".join(lines)


def _xml(text: str) -> str:
    """Text for XML, in which most control characters must not occur even if they are escaped."""
    return "\n".join(html_escaped(line, None) for line in text.split("\n"))


def _command_escaped(text: str) -> str:
    """Text of a workflow command, which is one line."""
    safe = "\n".join(shown(line, None) for line in text.split("\n"))
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
