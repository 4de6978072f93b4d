"""Run Genie and Lumbermark on a folder in the layout of Gagolewski's suite (see `study.py`).

    python -P benchmarks/rivals.py FOLDER OUT

Both packages have another licence (AGPL), so they have an environment of their own
(`make study`), and the package never imports them. Writes OUT/METHOD/BATTERY/NAME.resultK.gz.
"""

import sys
from pathlib import Path

import numpy as np
from genieclust import Genie
from lumbermark import Lumbermark


def main(folder: Path, out: Path) -> None:
    """Cluster the standardised rows of every set into the number of clusters of its labelings."""
    for path in sorted(folder.glob("*/*.data.gz")):
        X, name = np.loadtxt(path, ndmin=2), path.name.removesuffix(".data.gz")
        X = (X - X.mean(axis=0)) / np.where(np.ptp(X, axis=0) > 0.0, X.std(axis=0), 1.0)
        numbers = {int(np.loadtxt(file).max()) for file in path.parent.glob(f"{name}.labels*.gz")}
        for method in (Genie, Lumbermark):
            battery = out / method.__name__ / path.parent.name
            battery.mkdir(parents=True, exist_ok=True)
            for k in numbers - {1}:
                file = battery / f"{name}.result{k}.gz"
                if not file.exists():
                    labels = method(n_clusters=k).fit_predict(X)
                    np.savetxt(file, labels, fmt="%d", header=method.__name__, comments="")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
