"""doors.py MEASURE,... QRELS RUN...: the CPU time from judgments and runs to scores, by their form.

Frames and tables are in memory before the clock starts; files are read, as text is. Every form has to give
the same scores to the last bit.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

import rankprism
from rankprism.formats.files import run_name

ROUNDS = 5


def table(path: str, columns: dict[str, pa.DataType]) -> pa.Table:
    """A TREC file as a table."""
    return pa.csv.read_csv(
        path,
        read_options=pa.csv.ReadOptions(column_names=list(columns)),
        parse_options=pa.csv.ParseOptions(delimiter=" "),
        convert_options=pa.csv.ConvertOptions(column_types=columns),
    )


def judgments_and_runs(qrels: str, runs: list[str]) -> tuple[pa.Table, pa.Table]:
    text, number = pa.string(), pa.float64()
    judged = table(qrels, {"topic": text, "aspect": text, "doc": text, "grade": number})
    ranked = {"topic": text, "Q0": text, "doc": text, "rank": number, "score": number, "tag": text}
    parts = []
    for path in runs:
        part = table(path, ranked).select(["topic", "doc", "rank", "score"])
        parts.append(part.add_column(0, "run", pa.array([run_name(path)] * len(part))))
    return judged, pa.concat_tables(parts)


def main() -> None:
    measures, qrels, *runs = sys.argv[1:]
    judged, ranked = judgments_and_runs(qrels, runs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        doors: dict[str, tuple[Any, Any]] = {"text files": (qrels, runs)}
        doors["pyarrow tables"] = (judged, ranked)
        doors["polars frames"] = (polars.from_arrow(judged), polars.from_arrow(ranked))
        doors["pandas frames"] = (judged.to_pandas(), ranked.to_pandas())
        for kind, write in (
            ("Parquet files", pa.parquet.write_table),
            ("Arrow files", pa.feather.write_feather),
        ):
            doors[kind] = (folder / f"judged.{kind}", folder / f"ranked.{kind}")
            for content, path in zip((judged, ranked), doors[kind], strict=True):
                write(content, str(path))
        with duckdb.connect(str(folder / "all.duckdb")) as connection:
            connection.from_arrow(judged).create("judged")
            connection.from_arrow(ranked).create("ranked")
        doors["DuckDB files"] = (f"{folder}/all.duckdb::judged", f"{folder}/all.duckdb::ranked")
        best = dict.fromkeys(doors, float("inf"))
        found = set()
        for _ in range(ROUNDS):  # in turn, so that a busy moment of the machine hits all of them
            for door, (judgments, sources) in doors.items():
                start = time.process_time()
                scores = rankprism.evaluate(judgments, sources, measures.split(","))
                best[door] = min(best[door], time.process_time() - start)
                found.add(scores.values.tobytes())
        if len(found) > 1:
            raise SystemExit("the forms give different scores")
    print(json.dumps(best))


if __name__ == "__main__":
    main()
