"""`sgpmic sweep-inducing`: scores and run time against the number of inducing points."""

from sgpmic_cli.commands._sweep import command
from sgpmic_cli.experiments.axes import INDUCING

sweep_inducing = command(
    INDUCING,
    """Score SGP-MIC along a range of inducing points: ACC, NMI and run time, as in the paper's figure 8.

    Writes sweep.csv, sweep.md, sweep.json and a manifest. Runs kept in the same store are used again.
    """,
)
