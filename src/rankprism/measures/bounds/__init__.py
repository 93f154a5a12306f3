"""Lower and upper bounds of a score over all possible missing judgments.

Each function returns a lower and an upper bound over all `Completions`, and its docstring has the proof. A
bound is *exact* if some completion attains it, and *outer* if we only know that no completion goes beyond
it. Functions for one aspect return (N, A), and all others (N,).

All proofs use three facts. Discounts never rise with the rank. An ideal ranking may use every relevant
document, so no ranking is better than the best one. The grades of different aspects are independent, so all
aspects can attain their extreme values at the same time.

With `bounds=True`, `evaluate` also computes which scores are possible if the unjudged documents of a
ranking were judged. `Completions` holds the rankings and the grades that unjudged documents may have. It
turns them into `Gains`: for each rank and aspect, the least and the most that a document can gain, and
what an unjudged document can add to the ideal ranking. Functions compute bounds from these gains, and each
of them gives its proof: those of sums are in `single` and `novelty`, and the parts of a sum decide which of
them applies; those of one measure are beside the measure. A form without bounds says why. Unlike hits, gains
have an entry at every rank, so that a scan over the number of newly relevant documents is a cumulative sum.
To save memory, `evaluate` then takes only a few rankings at a time.
"""
