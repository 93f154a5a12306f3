# Written by tests/support/stubs.py.
# fmt: off
from rankprism.showing.plots.attainable import attainable_boxes as attainable_boxes
from rankprism.showing.plots.bars import differences as differences
from rankprism.showing.plots.bars import unanimity_bars as unanimity_bars
from rankprism.showing.plots.boards import leaderboard as leaderboard
from rankprism.showing.plots.curves import asl_curves as asl_curves
from rankprism.showing.plots.curves import power_growth as power_growth
from rankprism.showing.plots.curves import swap_curves as swap_curves
from rankprism.showing.plots.hasse import hasse_diagram as hasse_diagram
from rankprism.showing.plots.heatmaps import correlation_heatmap as correlation_heatmap
from rankprism.showing.plots.heatmaps import heatmap as heatmap
from rankprism.showing.plots.intent_recall import irec as irec
from rankprism.showing.plots.judges import family_bias as family_bias
from rankprism.showing.plots.judges import judge_biases as judge_biases
from rankprism.showing.plots.judges import judge_confusion as judge_confusion
from rankprism.showing.plots.judges import judge_scores as judge_scores
from rankprism.showing.plots.judges import system_strengths as system_strengths
from rankprism.showing.plots.means import difference_intervals as difference_intervals
from rankprism.showing.plots.means import estimated_scores as estimated_scores
from rankprism.showing.plots.means import intervals as intervals
from rankprism.showing.plots.of_scores import ScorePlots as ScorePlots
from rankprism.showing.plots.output import check_ending as check_ending
from rankprism.showing.plots.output import save as save
from rankprism.showing.plots.preferences import incomplete_curves as incomplete_curves
from rankprism.showing.plots.preferences import preference_correlations as preference_correlations
from rankprism.showing.plots.preferences import profile_correlations as profile_correlations
from rankprism.showing.plots.ranks import sensitivity as sensitivity
from rankprism.showing.plots.record import CHARTS as CHARTS
from rankprism.showing.plots.record import Chart as Chart
from rankprism.showing.plots.record import Frame as Frame
from rankprism.showing.plots.record import chart as chart
from rankprism.showing.plots.record import check_size as check_size
from rankprism.showing.plots.record import draw as draw
from rankprism.showing.plots.studies import judgments_needed as judgments_needed

__all__: list[str]
