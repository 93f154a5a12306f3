"""When the tests of `compare` err: `python -m simulations.comparing [part] [studies]` prints tables.

docs/comparing.md quotes them. All systems have the same true mean, so every significant pair is an error.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from rankprism import compare
from rankprism.comparison import Comparison
from rankprism.comparison.margins import FEW_CHANGED
from rankprism.data.arrays import Floats
from rankprism.results.scores import Scores
from rankprism.statistics import resampling

SYSTEMS = 10
ALPHA = 0.05
RESAMPLES = 999


def noise(rng: np.random.Generator, shape: tuple[int, int], skewness: float) -> Floats:
    """Numbers with mean 0, variance 1 and this skewness: normal, or gamma."""
    if skewness == 0:
        return rng.normal(size=shape)
    k = 4 / skewness**2
    return np.asarray((rng.gamma(k, size=shape) - k) / np.sqrt(k))


def study(rng: np.random.Generator, topics: int, scales: Floats, skewness: float = 0.0) -> Scores:
    """Scores of systems on topics, whose residuals have these standard deviations."""
    values = rng.normal(size=topics) + scales[:, None] * noise(rng, (len(scales), topics), skewness)
    runs, names = (
        tuple(f"{what}{i:03}" for i in range(n)) for what, n in zip("rt", values.shape, strict=True)
    )
    return Scores(runs, names, ("M",), values[:, :, None])


def compared(scores: Scores, **settings: Any) -> tuple[Comparison, bool]:
    """The comparison, and whether there was a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return compare(scores, alpha=ALPHA, **settings), bool(caught)


def line(*cells: object) -> None:
    print("|", " | ".join(f"{x:.3f}" if isinstance(x, float) else str(x) for x in cells), "|", flush=True)


def variances(studies: int) -> None:
    """How tests that assume equally noisy systems err if some have several times the variance."""
    line("noisy systems", "times the variance", "topics", "tukey", "anova-tukey", "noted", "t with holm")
    line(*["---"] * 7)
    for topics in (20, 50):
        for noisy, factor in ((5, 1), (5, 2), (5, 3), (5, 4), (5, 9), (1, 4), (1, 9)):
            scales = np.where(np.arange(SYSTEMS) < noisy, np.sqrt(factor), 1.0)
            wrong = np.zeros(4)
            for k in range(studies):
                scores = study(np.random.default_rng([k, topics]), topics, scales)
                dealt, _ = compared(scores, test="tukey", resamples=RESAMPLES, seed=k)
                tukey, noted = compared(scores, test="anova-tukey")
                holm, _ = compared(scores)
                any_found = [bool(x.significant.any()) for x in (dealt, tukey, holm)]
                wrong += [*any_found[:2], noted, any_found[2]]
            line(f"{noisy} of {SYSTEMS}", factor, topics, *(wrong / studies).tolist())


def centred_flips(scores: Scores, of: Comparison, seed: int) -> bool:
    """Whether all intervals z̄ ± c s/√n hold 0, where c is the critical |t| of choices of signs of z - z̄."""
    values = scores.values[:, :, 0]
    z = values[of.pairs[:, 0]] - values[of.pairs[:, 1]]
    topics = z.shape[1]
    w = z - z.mean(1, keepdims=True)
    signs = resampling._signs(topics, range(RESAMPLES), seed)
    x = np.abs(w @ signs) / np.sqrt(topics * (w**2).sum(1))[:, None]
    t = np.sqrt(topics - 1) * x / np.sqrt(1 - x**2)
    critical = np.sort(t.max(0))[-resampling.place_of(ALPHA, RESAMPLES)]
    return bool((np.abs(z.mean(1)) <= critical * z.std(1, ddof=1) / np.sqrt(topics)).all())


def skewness(studies: int) -> None:
    """How max-t and its intervals err if systems with skewed residuals have unequal variances."""
    line(
        "skewness",
        "topics",
        "max-t",
        "noted",
        "t with holm",
        "all Bonferroni intervals hold",
        "centred signs",
    )
    line(*["---"] * 7)
    for skew in (0.0, 1.0, 2.0, 4.0):
        for topics in (10, 20, 50, 200):
            seen = np.zeros(5)
            for k in range(studies):
                scores = study(np.random.default_rng([k, topics]), topics, np.linspace(1, 3, SYSTEMS), skew)
                settings: Mapping[str, Any] = {"correction": "max-t", "resamples": RESAMPLES, "seed": k}
                flips, noted = compared(scores, test="fisher", **settings)
                holm, _ = compared(scores)
                covered = bool((np.abs(flips.difference) <= flips.half_width).all())
                wrong = (bool(flips.significant.any()), noted, bool(holm.significant.any()))
                seen += [*wrong, covered, centred_flips(scores, flips, k)]
            line(f"{skew:g}", topics, *(seen / studies).tolist())


def margins(studies: int) -> None:
    """How often a run whose loss equals the margin counts as not worse, and how often with the note about few
    changed topics. A share of the topics changes."""
    line("topics", "share of changed topics", "not worse", "with a note")
    line(*["---"] * 4)
    margin = 0.01
    for topics in (20, 50, 100, 200):
        for share in (0.05, 0.1, 0.2, 0.4, 1.0):
            rng = np.random.default_rng([topics, int(100 * share)])
            changed = rng.random((studies, topics)) < share
            z = np.where(changed, rng.normal(-margin / share, 0.1, changed.shape), 0.0)
            error = z.std(1, ddof=1) / np.sqrt(topics)
            passed = z.mean(1) + margin > special.stdtrit(topics - 1, 1 - ALPHA) * error
            few = (changed.sum(1) < FEW_CHANGED) & (2 * changed.sum(1) < topics)
            line(topics, share, float(passed.mean()), float((passed & few).mean()))


PARTS: dict[str, Callable[[int], None]] = {"variances": variances, "skewness": skewness, "margins": margins}

if __name__ == "__main__":
    for part in sys.argv[1:2] or PARTS:
        PARTS[part](int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
