"""Notes about what measures make of several aspects: grades, weights and scales."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankprism._core import JudgmentTable
from rankprism.data import Alignment, Cells, Floats, Judgments, Note, batches, some
from rankprism.errors import RankprismError, listed
from rankprism.evaluation.inspection.evaluated import Evaluated
from rankprism.measures import Measure, Role
from rankprism.text import quoted

#: A scale counts as much longer if it is at least this many times as long as another one.
_MUCH_LONGER = 4


def best_aspect(judgments: Judgments, measures: Sequence[Measure]) -> Note | None:
    """A measure of one aspect takes each document's best grade, which is rarely meant for shared aspects.

    For subtopics the best grade is what everybody takes: a document is relevant if it is so for any of them.
    """
    folded = [measure for measure in measures if measure.of(Role.FOLD) == "max"]
    aspects = judgments.shared_aspects if folded else ()
    if not aspects:
        return None
    one = folded[0]
    return Note(
        "best-aspect",
        f"{listed(map(str, folded), 3)} {'takes' if len(folded) == 1 else 'take'} the best of each "
        f"document's {len(aspects)} aspects ({some(aspects)}), so a document that is good on any one of them "
        f'counts as good. To score one aspect, write "Aspect({one},aspect={quoted(aspects[0])})"; to score '
        f"all of them together, write CAM({one}), MM({one}) or TOMA({one})",
        len(folded),
        str(one),
    )


def unused_weights(evaluated: Evaluated) -> Note | None:
    """Aspect weights were given, but no measure uses them."""
    judgments = evaluated.judgments
    # EvALL files always have weights, and so have nuggets, so nobody chose to give them.
    if judgments.weights is None or judgments.format in ("evall", "nuggets") or _are_uniform(judgments):
        return None
    if any(uses_weights(measure, judgments) for measure in evaluated.measures):
        return None
    names = [str(measure) for measure in evaluated.measures]
    return Note(
        "unused-weights",
        f"no chosen measure uses the aspect weights: {listed(names, 3)}. Measures that do are e.g. nDCG_IA, "
        f"D_nDCG, RBU, CAM(nDCG) and alpha_nDCG(weighted=True)",
        len(names),
        names[0],
    )


def _are_uniform(judgments: Judgments) -> bool:
    start, weights = judgments.cells.aspect_start, np.asarray(judgments.weights)
    return bool((np.maximum.reduceat(weights, start[:-1]) == np.minimum.reduceat(weights, start[:-1])).all())


def uses_weights(measure: Measure, judgments: Judgments) -> bool:
    """Whether aspect weights can change a score.

    The measure is tried on a topic with a document for each aspect: on rankings of one document, and of all
    documents with each of them at the top. Its scores under different weights are compared.
    """
    cells = judgments.cells
    t = int(np.argmax(cells.aspects))
    first, aspects = int(cells.aspect_start[t]), int(cells.aspects[t])
    highest = cells.grade.max(initial=1.0)
    names = cells.names[first : first + aspects]
    rising = np.arange(1.0, aspects + 1) / (aspects * (aspects + 1) / 2)
    weights = np.asarray(judgments.weights)
    tried = [rising, rising[::-1], weights[first : first + aspects]]  # to some, 1 and more is another kind
    if (weights == 0).any():
        tried.append(np.eye(aspects)[0])  # some measures ask only whether a weight is 0

    every = list(range(aspects))
    rankings = [*([doc] for doc in every), *(every[doc:] + every[:doc] for doc in every)]

    # Documents are sorted by id, descending, and document d is to be the one of aspect d.
    ids = [f"{aspects - doc:09}" for doc in every]
    table = JudgmentTable.from_columns("", ["1"] * aspects, list(names), ids, np.full(aspects, highest))

    def scores(chosen: Floats) -> Floats:
        topic = Cells(table, chosen, scales=cells.scales)
        runs = [Alignment.of_documents(docs) for docs in rankings]
        return np.concatenate([measure.score(hits) for hits, _, _ in batches(topic, runs)])

    try:
        tries = [scores(chosen) for chosen in tried]
    except RankprismError:  # the measure takes only certain labels, so this is not known and not noted
        return True
    return any((one != tries[0]).any() for one in tries)


def unequal_scales(evaluated: Evaluated) -> Note | None:
    """TOMA measures distances between labels, so an aspect with a long scale outweighs the others."""
    if all(measure.name != "TOMA" for measure in evaluated.measures):
        return None
    scales = evaluated.judgments.cells.labels.scales
    by_default = [s for s in scales if s.place == tuple(range(len(s.place))) and len(s.place) > 1]
    if not by_default:
        return None
    short, long = (choose(by_default, key=lambda s: s.place[-1]) for choose in (min, max))
    if long.place[-1] < _MUCH_LONGER * short.place[-1]:
        return None
    return Note(
        "unequal-scales",
        f"TOMA compares aspects whose scales differ much in length: the labels of {quoted(long.aspect)} "
        f"are at 0 to {long.place[-1]}, those of {quoted(short.aspect)} at 0 to {short.place[-1]}, so "
        f"{quoted(long.aspect)} decides almost alone. To place them otherwise, give an embedding "
        f"(--embed {short.aspect}=0,…,{long.place[-1]})",
        1,
        long.aspect,
    )
