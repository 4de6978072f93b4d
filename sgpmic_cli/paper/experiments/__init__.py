"""The experiments of the paper. The help of the commands shows the ranges of the sweeps."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SweepRange:
    """The parameter that a sweep varies, and the metrics that it shows."""

    name: str  # of the command and of its folder
    parameter: str
    metrics: tuple[str, ...]
    datasets: tuple[str, ...]  # of the paper's figure
    methods: tuple[str, ...]
    values: tuple[str, ...]
    meaning: str  # of the values
    n_jobs: int = -1  # processes; 1 where the run time is shown


INDUCING = SweepRange(
    name="sweep-inducing",
    parameter="n_inducing",
    metrics=("acc", "nmi", "ari", "seconds"),
    datasets=("wine", "sonar", "yale"),
    methods=("sgp-mic",),
    values=("1", "3", "5", "10", "30", "50", "100", "150", "N"),
    meaning="Numbers of inducing points to try; N stands for all rows of a data set.",
    n_jobs=1,
)
CLUSTERS = SweepRange(
    name="sweep-clusters",
    parameter="n_clusters",
    metrics=("acc", "nmi", "ari"),
    datasets=("australian", "segment"),
    methods=(
        *("pca-fcm", "isomap-fcm", "ppca-fcm", "fgplvm-fcm"),
        *("ae-fcm", "vae-fcm", "sgp-mic"),
    ),
    values=("1", "3", "9", "27", "80"),
    meaning="Multiples of the number of classes to try, always fewer clusters than rows.",
)
