"""What tests of axioms share: the paper's table, searched once, and the figures of an independent search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rankprism.meta.axioms import AxiomTable, paper_table
from tests.support.machine import COLLECTIONS
from tests.support.paper_table import INSTANCES

GOLDEN = COLLECTIONS.parent / "reference" / "golden.json"


@pytest.fixture(scope="session")
def table() -> AxiomTable:
    return paper_table(instances=INSTANCES)


@pytest.fixture(scope="session")
def golden() -> Any:
    if not GOLDEN.is_file():
        pytest.skip(f"the reference figures are not there: looked for {GOLDEN}")
    return json.loads(Path(GOLDEN).read_text(encoding="utf-8"))["RBU_SIGIR2018"]["table1_axioms"]
