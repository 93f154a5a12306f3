"""trec_eval's measures under its own names, and its command: ``python -m rankprism.trec_eval``.

The command prints what trec_eval 10 prints. :mod:`rankprism.pytrec_eval` offers the same measures for
dictionaries.

`rankprism.pytrec_eval` and `python -m rankprism.trec_eval` replace programs that others call. Both have
to give that program's results, with its names, its order of ties, and its idea of a topic without
relevant documents. They do not go through `evaluate`, for two reasons. A call of pytrec_eval with one
topic and ten documents takes a few microseconds, and people call it in loops; `evaluate` prepares arrays,
notes and a result for tables, which takes milliseconds. And what trec_eval does in odd cases is not what
our measures mean. So `core/trec_eval.cpp` aligns the ranking of a topic with its judgments and has a
short function for each of trec_eval's measures. It is the only place that knows the habits of another
program. `trec_eval/measures.py` lists the measures with their parameters and how they are averaged, and
`core/trec_eval_module.cpp` reads dictionaries and lines. `Version` says what differs between trec_eval
9.0.8, which is in pytrec_eval, and 10. The formulas of the catalogue stay in Python, and
`tests/peers/test_doors.py` compares the two.

`python -m rankprism.ndeval` is a third such program. ndeval prints six decimals, and a score such as
0.9296875 is rounded up or down by its last bit. So `ndeval.py` adds in ndeval's order, in plain Python.

The command differs from trec_eval 10.0 where that program does not do what its documentation says:

- A judged topic that the run lacks is skipped without `-c`. trec_eval 10.0 ends with exit code 4.
- Several lines in a row may begin with `#` in the judgments, and the last line may, too. trec_eval 10.0
  refuses the one and crashes at the other.
- `rbp` scales gains above 1 by the highest one. trec_eval 10.0 compares them with variables that have no
  value yet, so its result depends on which measures were computed before.
- Gains may differ by less than 1. For `-m ndcg.1=0.5,2=0.9`, trec_eval 10.0 takes them all for equal to
  0, and so nDCG is 0.
- `-m dcg -m ndcg.1=3` gives each measure its own gains. trec_eval 10.0 crashes, because the two share
  them.
- `-Z` with a file that lacks a topic or a measure prints −1000000 for it, as documented. trec_eval 10.0
  may crash.
- `-h` prints a help text of our own, and there is no debug output.
"""

from rankprism.lazy import published

__getattr__, __dir__ = published(__name__, __file__)
