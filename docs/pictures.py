"""Every chart, and the code that draws it. `docs/gallery.md` shows the pictures when the site is built.

A cell begins with `# %%` and the name of its chart, and ends with the expression that draws it.
"""

# %% [markdown]
# ## Scores
#
# How good is each system, and how certain are the means?

# %% intervals
from rankprism import compare, evaluate, leaderboard, meta, plots, sample

qrels, runs = sample.QRELS, list(sample.RUNS)
scores = evaluate(qrels, runs, ["alpha_nDCG@10", "StRecall@10", "D_nDCG@10", "P@10"])
scores.plot.intervals()

# %% [markdown]
# Which topics are hard, and for which systems?

# %% heatmap
scores.plot.heatmap("alpha_nDCG@10")

# %% [markdown]
# On which topics is one system better than another?

# %% differences
scores.plot.differences("diversified", "relevance-only", "P@10")

# %% [markdown]
# Is a system good because it covers many subtopics, or because its documents are relevant?

# %% irec
scores.plot.irec("StRecall@10", "D_nDCG@10")

# %% [markdown]
# Does the order of the systems depend on a parameter of the measure?

# %% sensitivity
alphas = [f"alpha_nDCG(alpha={a})@10" for a in (0, 0.25, 0.5, 0.75, 0.9)]
evaluate(qrels, runs, alphas).plot.sensitivity("alpha")

# %% [markdown]
# ## Comparing systems
#
# Which differences are significant?

# %% difference_intervals
two = scores.select(measures=["alpha_nDCG@10", "P@10"])
plots.difference_intervals(compare(two, baseline="relevance-only"))

# %% [markdown]
# Which ranks may each system have?

# %% leaderboard
plots.leaderboard(leaderboard(two))

# %% [markdown]
# ## Comparing measures
#
# Which measure finds the most differences between systems significant?

# %% asl_curves
plots.asl_curves(meta.power(scores, seed=0))

# %% [markdown]
# How many topics does a measure need for that?

# %% power_growth
plots.power_growth(meta.stability(scores, samples=10, method="t", seed=0))

# %% [markdown]
# How often do two sets of topics disagree about which system is better?

# %% swap_curves
plots.swap_curves(meta.swap(scores, seed=0))

# %% [markdown]
# Which measures rank the systems alike?

# %% correlation_heatmap
plots.correlation_heatmap(meta.correlation(scores))

# %% [markdown]
# Which measure agrees with all others whenever the others agree?

# %% unanimity_bars
plots.unanimity_bars(meta.unanimity(scores))

# %% [markdown]
# ## Several aspects
#
# When documents are judged by relevance and by credibility, which labels are better than which? The labels here are drawn
# at random, 12 documents for each of five topics.

# %% hasse_diagram
from random import Random

from rankprism import aspects, read_judgments

chance, sides, topics = Random(0), ("relevance", "credibility"), ("bank", "crane", "jaguar", "pitch", "seal")
labels = {t: {side: {f"d{i}": chance.randrange(3) for i in range(12)} for side in sides} for t in topics}
judged = read_judgments(labels)
plots.hasse_diagram(aspects.order(judged))

# %% [markdown]
# How close to 1 can the best ranking come by CAM and MM?

# %% attainable_boxes
plots.attainable_boxes(aspects.attainable(judged))

# %% [markdown]
# ## Preferences
#
# Do scores from preferences order the systems as the measures of subtopics do? These four charts show simulated
# assessors.

# %% preference_correlations
from rankprism.judging.preferences import (
    incomplete_correlation,
    measure_correlation,
    plan,
    profile_correlation,
)

plots.preference_correlations(measure_correlation(qrels, runs, documents=8))

# %% [markdown]
# Does this depend on what users prefer?

# %% profile_correlations
plots.profile_correlations(profile_correlation(qrels, runs, documents=8))

# %% [markdown]
# How many triplets of documents have to be judged?

# %% incomplete_curves
plots.incomplete_curves(
    incomplete_correlation(
        qrels,
        runs,
        measures=["nPrf@5", "nPrf(unseen='skip')@5"],
        triplets=[5, 10, 20, 40, 80],
        repetitions=10,
        documents=8,
    )
)

# %% [markdown]
# How many judgments does a study need if the most useful pair is asked next?

# %% judgments_needed
plots.judgments_needed(plan(qrels, runs, budgets=[5, 10, 20, 40], repetitions=3))

# %% [markdown]
# ## Machine judges
#
# What does a judge say about the documents to which people gave a grade? This judge is made up: it is the grades of
# people, of which every third is raised by one.

# %% judge_confusion
from rankprism import judges, read_judgments

rows = read_judgments(qrels).to_frame("pyarrow").to_pylist()
raised = [row | {"grade": min(3, row["grade"] + (number % 3 == 0))} for number, row in enumerate(rows)]
plots.judge_confusion(judges.agree(qrels, {"judge": raised}))

# %% [markdown]
# How far are the scores by a judge's labels from those by people's?

# %% judge_scores
plots.judge_scores(judges.agree(qrels, {"judge": raised}, runs, ["nDCG@10", "P(rel=2)@10"]))

# %% [markdown]
# Does a judge favour a family of runs?

# %% family_bias
family = {"diversified": "by sense", "redundant": "by sense", "shallow": "by sense", "noisy": "others"}
plots.family_bias(judges.agree(qrels, {"judge": raised}, runs, "nDCG@10", family=family))

# %% [markdown]
# Which scores would complete judgments by people give, if people have judged 250 of 1,277 documents?


# %% estimated_scores
def highest(rows):
    """The highest grade of each document on any subtopic."""
    grades = {}
    for row in rows:
        own = grades.setdefault(row["topic"], {})
        own[row["doc"]] = max(row["grade"], own.get(row["doc"], 0))
    return grades


complete, judged = highest(rows), {"judge": highest(raised)}
drawn = judges.select(runs, judged, "P@10", budget=250)
some = [(pair.topic, pair.doc, complete[pair.topic][pair.doc]) for pair in drawn.pairs]
plots.estimated_scores(judges.score(some, judged, runs, "P@10", drawn=drawn))

# %% [markdown]
# What do the preferences of a judge depend on? These votes are made up: the judge likes the left side and long answers, and
# people do not.

# %% judge_biases
import numpy as np

rng = np.random.default_rng(1)
lengths = {(f"q{q}", f"s{s}"): float(rng.normal(s == 3)) for q in range(40) for s in range(4)}


def votes(side, length):
    rows = []
    for (topic, one), words in lengths.items():
        for other in {"s0", "s1", "s2", "s3"} - {one}:
            odds = (int(other[1]) - int(one[1])) / 3 + length * (words - lengths[topic, other]) + side
            rows.append((topic, "", one, other, "left" if rng.logistic() < odds else "right"))
    return rows


table = [{"topic": topic, "doc": doc, "length": length} for (topic, doc), length in lengths.items()]
people, judge = votes(0, 0), votes(0.5, 0.7)
plots.judge_biases(judges.prefer(people, {"judge": judge}, covariates=table, systems="names"))

# %% [markdown]
# How strong are the systems by these votes, and how strong would they be if their answers were equally long?

# %% system_strengths
plots.system_strengths(judges.strengths(judge, covariates=table))
