"""`sgpmic sweep-clusters`: scores against the number of clusters."""

from sgpmic_cli.commands._sweep import command
from sgpmic_cli.experiments.axes import CLUSTERS

sweep_clusters = command(
    CLUSTERS,
    """Score methods along a range of clusters, from the classes to many times as many, as in the paper's figure 7.

    Writes sweep.csv, sweep.md, sweep.json and a manifest. Runs kept in the same store are used again.
    """,
)
