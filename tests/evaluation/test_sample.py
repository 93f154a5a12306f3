"""The sample collection is what its generator makes, and shows what it is meant to show."""

from pathlib import Path

import pytest

from rankprism import evaluate, read_judgments, sample
from rankprism.data.sample.generate import generate


def test_the_shipped_files_are_what_the_generator_makes(tmp_path: Path) -> None:
    generate(tmp_path)
    made = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*.*") if p.is_file())
    assert len(made) == 9
    for name in made:
        assert (tmp_path / name).read_bytes() == (sample.FOLDER / name).read_bytes(), name


@pytest.mark.filterwarnings("ignore:scores by AP_IA grow with the depth:rankprism.RankprismWarning")
def test_the_systems_have_the_characters_they_claim() -> None:
    measures = ["alpha_nDCG@10", "StRecall@10", "P@10", "AP_IA"]
    mean = evaluate(sample.QRELS, list(sample.RUNS), measures, weights=sample.WEIGHTS).mean()
    for system in sample.SYSTEMS:
        assert mean["ideal"]["alpha_nDCG@10"] >= mean[system]["alpha_nDCG@10"]
    assert mean["ideal"]["alpha_nDCG@10"] > 0.999
    assert abs(mean["redundant"]["P@10"] - mean["diversified"]["P@10"]) < 0.05
    assert mean["redundant"]["StRecall@10"] < mean["diversified"]["StRecall@10"] - 0.3
    assert mean["noisy"]["P@10"] < mean["relevance-only"]["P@10"] / 2
    assert mean["shallow"]["AP_IA"] < 0.1


def test_it_has_graded_weighted_subtopics() -> None:
    judgments = read_judgments(sample.QRELS, weights=sample.WEIGHTS)
    assert len(judgments.topics) == 20
    assert {2, 3, 4, 5} == {len(aspects) for aspects in judgments.aspects.values()}
    assert set(judgments.to_frame("polars")["grade"]) == {0.0, 1.0, 2.0, 3.0}
