"""SGP-MIC on rows of which some entries are hidden first, to learn what holes cost and who fills them best."""

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # scikit-learn asks for it
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.utils.validation import validate_data

from sgpmic_cli.estimator_base.clusterer import Clusterer
from sgpmic_cli.model.estimator import SGPMIC

WAYS = ("full", "model", "median", "iterative")  # nothing hidden; who fills in what is
SHARE = 0.3  # of the entries


class HiddenEntriesSGPMIC(Clusterer):
    """SGPMIC in its default setting after entries were hidden at random and filled in one of the `WAYS`.

    The same `pattern` hides the same entries whatever the way and the seed of the fit, so that ways are compared on
    equal rows. Every row keeps one entry.
    """

    def __init__(self, n_clusters=8, *, way="model", pattern=0, random_state=None):
        self.n_clusters = n_clusters
        self.way = way
        self.pattern = pattern
        self.random_state = random_state

    def _fit_to(self, X) -> None:
        if self.way not in WAYS:
            raise ValueError(f"way must be one of {', '.join(WAYS)}, not {self.way!r}.")
        Y = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        model = SGPMIC(self.n_clusters, random_state=self.random_state).fit(self._filled(Y))
        self.labels_, self.n_iter_ = model.labels_, model.n_iter_

    def _filled(self, Y):
        if self.way == "full":
            return Y
        rows = hidden(Y, self.pattern)
        if self.way == "median":
            return SimpleImputer(strategy="median").fit_transform(rows)
        if self.way == "iterative":
            return IterativeImputer(random_state=self.pattern).fit_transform(rows)
        return rows


def hidden(Y, pattern):
    """Rows with NaN in a random share of their entries."""
    rng = np.random.RandomState(pattern)
    gone = rng.random_sample(Y.shape) < SHARE
    kept = rng.randint(Y.shape[1], size=len(Y))
    empty = gone.all(axis=1)
    gone[empty, kept[empty]] = False
    return np.where(gone, np.nan, Y)
