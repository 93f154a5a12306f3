"""What people would say about documents that they have not seen, predicted from judges and runs.

P(label ≥ k) of a pair follows a cumulative logit model, log-odds = α_k + x·β + v_tk. The x are what the
judges and the runs say about the pair, with slopes β that all thresholds k share. v_t is an effect of the
topic, which is partly the same for all thresholds. Ridge penalties keep slopes and effects small where there
are few labels.

The prediction for a pair never depends on its own label. Pairs are dealt into folds before anything is drawn,
and a fold is predicted by the labels of the other folds (cross-fitting). A useless judge
therefore makes predictions worse, but does not bias an estimate that corrects them. A judge whose labels are
turned round is as good as its mirror image, because slopes may be negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankprism.data import Bools, Floats, Longs
from rankprism.judging.judges.labels import Labels
from rankprism.judging.judges.pool import FOLDS, Ranked, uniforms

FOLDS_OF_PAIRS = 5
#: The penalties of slopes, of the effect of a topic, and of a threshold's distance from the shares of labels.
SLOPE, TOPIC, THRESHOLD = 2.0, 0.7, 0.2
#: Variances of the effect of a topic on a single threshold. Held-out labels choose one.
OFFSETS = (0.03, 0.1, 0.3, 1.0, 3.0)
#: The least probability of a label, and of one on an aspect among several. Some aspects have one relevant
#: document among hundreds.
FLOOR, FLOOR_OF_ASPECTS = 0.001, 0.0001
STEPS = 25
#: Values of ρ that are tried, see `likeness`, and the number of draws of all labels with each.
ALIKE, DRAWS_OF_LIKENESS = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9), 40
#: The offset of the first of two fits.
FIRST_OFFSET = 0.3


@dataclass(frozen=True, eq=False)
class Predicted:
    """The probability of each label of each cell, which is a pair and an aspect."""

    levels: Floats  #: the labels, in ascending order
    chance: Floats  #: (cell, level)
    fold: Longs  #: the fold of each cell
    offset: Floats  #: the variance of the effects on single thresholds, chosen for each fold
    #: (cell,) the standard deviation of the effect of the cell's group, see `uncertainty`; None: not needed
    effect_sd: Floats | None = None
    alike: float = 0.0  #: how alike the labels of a document on different aspects are, see `drawn_vectors`

    def mean(self, gain: Floats) -> Floats:
        """(cell,) the expected gain, from the gain of each level."""
        return np.asarray(self.chance @ gain)

    def variance(self, gain: Floats) -> Floats:
        """(cell,) the variance of the gain."""
        return np.asarray(np.maximum(self.chance @ gain**2 - self.mean(gain) ** 2, 0.0))


def features(labels: Labels, ranked: Ranked | None, cells: tuple[Longs, Longs]) -> Floats:
    """(cell, feature) what judges and runs say about each cell, with mean 0 and variance 1.

    Each judge gives its label, a step at each label if there are three to six, and whether the label is
    missing. With several aspects, it also gives the mean of its labels of the document on all aspects.
    """
    pair, aspect = cells
    columns: list[Floats] = []
    several = labels.has_aspects
    for given in labels.judges.values():
        label = given[pair, aspect]
        missing = np.isnan(label)
        scale = labels.scale(given)
        mean = float(label[~missing].mean()) if not missing.all() else 0.0
        columns += [np.where(missing, mean, label), missing.astype(np.float64)]
        if 3 <= len(scale) <= 6:
            columns += [np.where(missing, 0.0, label >= step) for step in scale[1:]]
        if several:
            there = ~np.isnan(given)
            whole = np.where(there, given, 0.0).sum(1) / np.maximum(there.sum(1), 1)
            columns.append(whole[pair])
    if ranked is not None:
        about = np.zeros((len(labels.docs), 3))
        about[: len(ranked.about_pairs)] = ranked.about_pairs
        columns += list(about[pair].T)
    if not columns:
        return np.zeros((len(pair), 0))
    x = np.stack(columns, axis=1)
    spread = x.std(0)
    return np.asarray((x - x.mean(0))[:, spread > 1e-9] / spread[spread > 1e-9])


def folds_of(hashed: npt.NDArray[np.uint64], seed: int) -> Longs:
    """The fold of each pair, which is independent of the sample."""
    return (uniforms(hashed, seed, FOLDS) * FOLDS_OF_PAIRS).astype(np.int64)


def cross_fitted(
    x: Floats,
    group: Longs,
    label: Floats,
    fold: Longs,
    offsets: Sequence[float] = OFFSETS,
    several: bool = False,
) -> Predicted:
    """Predict each fold from the labels of the others.

    x : (cell, feature). group : the topic, or the topic and aspect, of each cell.
    label : (cell,) NaN where nobody has labelled the cell. fold : (cell,).
    several : cells are pairs and aspects. Aspects may have few relevant documents, so a feature is added that
        says how many cells of the group look relevant, see `apparent_shares`.
    """
    floor = FLOOR_OF_ASPECTS if several else FLOOR
    known = np.flatnonzero(~np.isnan(label))
    levels = np.unique(label[known])
    groups = int(group.max(initial=0)) + 1
    if len(levels) < 2:
        chance = np.ones((len(label), max(1, len(levels))))
        return Predicted(levels if len(levels) else np.zeros(1), chance, fold, np.zeros(FOLDS_OF_PAIRS))
    above = (label[known, None] >= levels[1:]).astype(np.float64)
    place = np.searchsorted(levels, label[known])
    # (offset, cell, level); the log-likelihood of the labels of each fold, by the models without that fold
    every = np.empty((len(offsets), len(label), len(levels)))
    likely = np.zeros((len(offsets), FOLDS_OF_PAIRS))
    spread = np.zeros((len(offsets), len(label)))
    for f in range(FOLDS_OF_PAIRS):
        train, held = fold[known] != f, fold[known] == f
        inside = np.flatnonzero(fold == f)
        z, start = x, None
        if several and x.shape[1]:
            model = fitted(x[known[train]], group[known[train]], above[train], groups, FIRST_OFFSET)
            share = apparent_shares(x, group, model, int(np.searchsorted(levels[1:], 0.0, "right")))[group]
            z = np.column_stack([x, (share - share.mean()) / max(share.std(), 1e-9)])
        for o, offset in enumerate(offsets):
            start = fitted(z[known[train]], group[known[train]], above[train], groups, offset, start)
            every[o, inside] = _chances(z[inside], group[inside], *start, floor)
            if several:
                about = uncertainty(z[known[train]], group[known[train]], start, offset)
                spread[o, inside] = about[group[inside]]
            likely[o, f] = np.log(every[o, known[held], place[held]]).sum()
    # The fold's own labels do not choose its model.
    others = likely.sum(1, keepdims=True) - likely
    best = others.argmax(0)
    own = best[fold], np.arange(len(label))
    return Predicted(levels, every[own], fold, np.asarray(offsets)[best], spread[own] if several else None)


def drawn_vectors(
    chance: Floats,
    aspects: int,
    alike: float,
    rng: np.random.Generator,
    draws: int,
    odds: Floats | None = None,
) -> Longs:
    """(draw, document, aspect) labels as numbers of levels, drawn from the probabilities (cell, level).

    The labels of a document depend on each other: each is where √ρ s + √(1-ρ) e falls among the quantiles of
    its probabilities, with normal s of the document and e of the cell. ρ is `alike`.

    odds : (draw, document, aspect) what the odds of reaching any level are multiplied by, see `odds_ratios`.
    """
    from scipy.special import ndtr

    ends = np.cumsum(chance[:, :-1], axis=1).reshape(-1, aspects, chance.shape[1] - 1)
    shape = (draws, len(ends))
    if alike:
        z = np.sqrt(alike) * rng.normal(size=shape)[:, :, None]
        u = ndtr(z + np.sqrt(1 - alike) * rng.normal(size=(*shape, aspects)))
    else:
        u = rng.random((*shape, aspects))
    found = np.zeros(u.shape, dtype=np.int64)
    for k in range(ends.shape[2]):
        below = ends[:, :, k]
        found += u > (below if odds is None else below / (below + (1 - below) * odds))
    return found


def odds_ratios(effect_sd: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """(draw, document, aspect) exp(σ z - σ²/2), whose mean is 1, with a normal z for each draw and aspect.

    How many documents serve an aspect is often hardly known, because none of them was drawn: one or thirty.
    If every draw had the expected ten, an ideal ranking would nearly always find some, and would be too good.

    effect_sd : (document, aspect) σ
    """
    z = rng.normal(size=(draws, 1, effect_sd.shape[1]))
    return np.asarray(np.exp(effect_sd * z - effect_sd**2 / 2))


def likeness(predicted: Predicted, label: Floats, aspects: Longs) -> float:
    """The ρ with which drawn labels of a document are as alike as those that people gave.

    Labels are alike if Σ r_a r_b over pairs of aspects is large, where r = [label > 0] - P(label > 0).
    Probabilities of single labels do not depend on ρ, so all labels may choose it.

    predicted : of the labelled cells. label : (cell,). aspects : (document,) the number of its cells.
    """
    rng = np.random.default_rng(0)
    low = int((predicted.levels <= 0).sum())
    seen, expected = 0.0, np.zeros(len(ALIKE))
    for number in np.unique(aspects[aspects > 1]).tolist():
        own = np.flatnonzero(np.repeat(aspects == number, aspects))
        chance = predicted.chance[own]
        p = chance[:, low:].sum(1).reshape(-1, number)

        def together(error: Floats) -> float:
            return float((error.sum(-1) ** 2 - (error**2).sum(-1)).sum())

        seen += together((label[own] > 0).reshape(-1, number) - p)
        for n, rho in enumerate(ALIKE):
            y = drawn_vectors(chance, number, rho, rng, DRAWS_OF_LIKENESS)
            expected[n] += together((y >= low) - p) / DRAWS_OF_LIKENESS
    return float(np.interp(seen, np.maximum.accumulate(expected), ALIKE))


Model = tuple[Floats, Floats, Floats]


def apparent_shares(x: Floats, group: Longs, model: Model, threshold: int) -> Floats:
    """(group,) log-odds of the share of relevant cells in each group, as judges and runs suggest it.

    exp(x·β) is proportional to the likelihood ratio L of what is known about a cell if it is relevant and if
    it is not. Its mean over cells that are not relevant is 1. The share q of a group maximises
    Σ log(q L + 1 - q), with half a relevant cell and half another one added. It does not need labels of the
    group, so it says something even about a group in which few cells are relevant and none of them was drawn.
    """
    alpha, beta, v = model
    log_odds = x @ beta
    no = 1 / (1 + np.exp(np.clip(alpha[threshold] + log_odds + v[group, threshold], -30, 30)))
    ratio = np.exp(log_odds - log_odds.max())
    ratio *= no.sum() / (no * ratio).sum()
    groups = len(v)
    number = np.bincount(group, minlength=groups)
    share = np.full(groups, 1 - float(no.mean()))
    for _ in range(STEPS):
        yes = share[group] * ratio
        share = (np.bincount(group, yes / (yes + 1 - share[group]), groups) + 0.5) / (number + 1)
    return np.asarray(np.log(share / (1 - share)))


def fitted(
    x: Floats, group: Longs, above: Floats, groups: int, offset: float, start: Model | None = None
) -> Model:
    """α (threshold,), β (feature,) and v (group, threshold) of the cumulative logit model, by Newton's
    method. A step that would make the labels less likely is halved until it does not: where few documents are
    relevant, whole steps may lead ever further away.

    group : (cell,) in any order. above : (cell, threshold) whether the label reaches each threshold.
    """
    order = np.argsort(group, kind="stable")  # sums over groups need the cells of a group side by side
    x, group, above = x[order], group[order], above[order]
    n, K = above.shape
    p = x.shape[1]
    centre = np.log((above.sum(0) + 0.5) / (n - above.sum(0) + 0.5))
    # The effects of a topic on the thresholds: one that they share, and one of each.
    prior = np.linalg.inv(np.full((K, K), 1 / TOPIC) + offset * np.eye(K))
    alpha, beta, v = (centre.copy(), np.zeros(p), np.zeros((groups, K))) if start is None else start
    if n == 0:
        return centre, np.zeros(p), np.zeros((groups, K))
    present, first = np.unique(group, return_index=True)

    def likelihood(eta: Floats, alpha: Floats, beta: Floats, v: Floats) -> float:
        """Its logarithm, less the penalties."""
        fit = (above * eta - np.logaddexp(0.0, eta)).sum()
        far = THRESHOLD * ((alpha - centre) ** 2).sum() + SLOPE * (beta**2).sum()
        return float(fit - (far + np.einsum("gk,kl,gl->", v, prior, v)) / 2)

    eta = alpha + (x @ beta)[:, None] + v[group]
    reached = likelihood(eta, alpha, beta, v)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(eta, -30, 30)))
        w, r = chance * (1 - chance), above - chance
        wx = w[:, :, None] * x[:, None, :]
        # (present group, threshold, threshold and feature)
        across = np.zeros((len(present), K, K + p))
        summed_w = np.add.reduceat(w, first)
        across[:, np.arange(K), np.arange(K)] = summed_w
        across[:, :, K:] = np.add.reduceat(wx, first)
        block = prior + summed_w[:, :, None] * np.eye(K)
        whole = np.zeros((K + p, K + p))
        whole[:K, :K] = np.diag(w.sum(0) + THRESHOLD)
        whole[:K, K:] = wx.sum(0)
        whole[K:, :K] = whole[:K, K:].T
        whole[K:, K:] = (w.sum(1)[:, None] * x).T @ x + SLOPE * np.eye(p)
        slope = np.concatenate([r.sum(0) - THRESHOLD * (alpha - centre), x.T @ r.sum(1) - SLOPE * beta])
        own = np.add.reduceat(r, first) - v[present] @ prior
        solved = np.linalg.solve(block, np.concatenate([across, own[:, :, None]], axis=2))
        reduced = whole - np.einsum("gkp,gkq->pq", across, solved[:, :, :-1])
        step = np.linalg.solve(reduced, slope - np.einsum("gkp,gk->p", across, solved[:, :, -1]))
        effect = np.zeros((groups, K))
        effect[present] = solved[:, :, -1] - solved[:, :, :-1] @ step
        size = max(np.abs(step).max(), np.abs(effect).max())
        while True:
            moved = alpha + step[:K], beta + step[K:], v + effect
            eta = moved[0] + (x @ moved[1])[:, None] + moved[2][group]
            value = likelihood(eta, *moved)
            if size < 1e-4 or value >= reached:
                break
            step, effect, size = step / 2, effect / 2, size / 2
        (alpha, beta, v), reached = moved, value
        if size < 1e-4:
            break
    return alpha, beta, v


def uncertainty(x: Floats, group: Longs, model: Model, offset: float) -> Floats:
    """(group,) the standard deviation of the effect of each group, given its labels.

    The variance τ² of effects is estimated by the EM algorithm, from a normal approximation of the likelihood
    of each group's labels at the fitted model. It may be smaller than the penalties of the fit suppose: with
    good judges, little is left for effects to explain.

    x, group : of the labelled cells.
    """
    alpha, beta, v = model
    groups, K = v.shape
    chance = 1 / (1 + np.exp(-np.clip(alpha + (x @ beta)[:, None] + v[group], -30, 30)))
    information = np.bincount(group, (chance * (1 - chance)).sum(1), groups)
    variance = 1 / TOPIC + offset / K
    slope = (information + 1 / variance) * v.mean(1)
    for _ in range(STEPS):
        precision = information + 1 / variance
        variance = float(((slope / precision) ** 2 + 1 / precision).mean())
    return np.asarray(1 / np.sqrt(information + 1 / variance))


def _chances(x: Floats, group: Longs, alpha: Floats, beta: Floats, v: Floats, floor: float) -> Floats:
    """(cell, level) the probability of each label."""
    eta = alpha + (x @ beta)[:, None] + v[group]
    reached = np.minimum.accumulate(1 / (1 + np.exp(-np.clip(eta, -30, 30))), axis=1)
    n = len(x)
    ends = np.concatenate([np.ones((n, 1)), reached, np.zeros((n, 1))], axis=1)
    chance = np.maximum(-np.diff(ends, axis=1), floor)
    return np.asarray(chance / chance.sum(1, keepdims=True))


def known_cells(labels: Labels) -> tuple[Longs, Longs]:
    """The pair and the aspect of each cell that could have a label."""
    numbers = np.array([len(names) for names in labels.aspects])[labels.topic]
    pair = np.repeat(np.arange(len(labels.docs)), numbers)
    first = np.concatenate([[0], np.cumsum(numbers)[:-1]])
    return pair, np.arange(len(pair)) - np.repeat(first, numbers)


def groups_of(labels: Labels, cells: tuple[Longs, Longs]) -> Longs:
    """The number of the topic and aspect of each cell. Cells of one topic and one aspect share an effect."""
    numbers = np.array([len(names) for names in labels.aspects])
    first = np.concatenate([[0], np.cumsum(numbers)[:-1]])
    return np.asarray(first[labels.topic[cells[0]]] + cells[1])


def covered(labels: Labels) -> Bools:
    """(pair,) whether people have labelled a pair on every aspect of its topic."""
    pair, aspect = known_cells(labels)
    missing = np.bincount(pair, np.isnan(labels.people[pair, aspect]), len(labels.docs))
    return np.asarray(missing == 0)
