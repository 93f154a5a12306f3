"""What the core computes along short rows, compared with numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rankprism._core import counts_before, highest, in_order, padded_hits
from rankprism.data.hits import NOWHERE

Floats = npt.NDArray[np.float64]
shapes = array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)
values = arrays(np.float64, shapes, elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]))


@given(values)
def test_highest(found: Floats) -> None:
    assert np.array_equal(highest(found), found.max(-1, initial=0.0))


@given(values)
def test_counts_before(found: Floats) -> None:
    something = found > 0
    assert np.array_equal(counts_before(found), np.cumsum(something, axis=-1) - something)


def test_arrays_need_not_be_contiguous() -> None:
    found = np.arange(24.0).reshape(2, 3, 4).transpose(2, 1, 0)
    assert np.array_equal(highest(found), found.max(-1))
    assert np.array_equal(counts_before(found), np.cumsum(found > 0, axis=-1) - (found > 0))


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5))
def test_in_order(topics: int, aspects: int, docs: int) -> None:
    rng = np.random.default_rng(topics * 100 + aspects * 10 + docs)
    found = rng.random((topics, aspects, docs))
    order = np.array([rng.permutation(docs) for _ in range(topics)], dtype=np.int32).reshape(topics, docs)
    order[:, docs // 2 + 1 :] = -1
    expected = np.where(
        order[:, None, :] >= 0, np.take_along_axis(found, np.maximum(order, 0)[:, None, :], -1), 0.0
    )
    assert np.array_equal(in_order(found, order), expected)


def test_an_order_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="another shape"):
        in_order(np.zeros((2, 1, 3)), np.zeros((2, 2), dtype=np.int32))


def test_hits_of_two_runs() -> None:
    """Topics 2 and 0 of three; document 1 of topic 2 is relevant to both aspects, document 0 to one."""
    pool = np.array([[[1.0, 2.0], [0.0, 3.0]], [[5.0, 0.0], [0.0, 0.0]]])
    start = np.array([0, 1, 1, 4])
    rank, doc = np.array([7, 2, 5, 6], dtype=np.int32), np.array([0, 1, -1, 0], dtype=np.int32)
    empty = np.array([0, 0, 0, 0]), np.array([], dtype=np.int32), np.array([], dtype=np.int32)
    ranks, grade, condensed, judged, negative = padded_hits(
        [start, empty[0]], [rank, empty[1]], [doc, empty[2]], np.array([2, 0]), pool
    )
    assert ranks.tolist() == [[2, 6], [7, NOWHERE], [NOWHERE, NOWHERE], [NOWHERE, NOWHERE]]
    assert condensed.tolist() == [[1, 3], [1, NOWHERE], [NOWHERE, NOWHERE], [NOWHERE, NOWHERE]]
    assert judged.tolist() == [[2, 5, 6], [7, NOWHERE, NOWHERE], [NOWHERE] * 3, [NOWHERE] * 3]
    assert grade.tolist() == [[[2, 1], [3, 0]], [[5, 0], [0, 0]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]]
    assert negative is None
    doc[2] = -2
    *_, negative = padded_hits([start], [rank], [doc], np.array([2, 0]), pool)
    assert negative is not None
    assert negative.tolist() == [[0, 1, 0], [0, 0, 0]]
