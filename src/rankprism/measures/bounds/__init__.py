"""What a score is at least and at most, whatever the judgments that are missing.

Each function returns a lower and an upper bound over all `Completions`, with the proof in its comment. A
bound is *exact* if some completion attains it, and *outer* if it is only known that no completion goes
beyond. Functions of one aspect give (N, A), the others (N,).

Three facts are used throughout. Discounts never rise with the rank. An ideal ranking draws on every relevant
document, so a ranking is never better than the best one. And the grades of aspects are chosen independently,
so extremes of single aspects are attained together.
"""
