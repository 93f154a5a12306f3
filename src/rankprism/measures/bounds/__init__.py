"""Lower and upper bounds of a score over all possible missing judgments.

Each function returns a lower and an upper bound over all `Completions`, and its docstring has the proof. A
bound is *exact* if some completion attains it, and *outer* if we only know that no completion goes beyond
it. Functions for one aspect return (N, A), and all others (N,).

All proofs use three facts. Discounts never rise with the rank. An ideal ranking may use every relevant
document, so no ranking is better than the best one. The grades of different aspects are independent, so all
aspects can attain their extreme values at the same time.
"""
