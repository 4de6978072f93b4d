"""Base class of all estimators."""

import copy
from abc import abstractmethod
from typing import Any, Self

from sklearn.base import BaseEstimator, ClusterMixin

from sgpmic_cli._typing import Indices


class Clusterer(ClusterMixin, BaseEstimator):
    """A clustering estimator whose `_fit_to` sets `labels_`."""

    labels_: Indices

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The rows to cluster.
        y : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        # Fit a copy, so that an interrupted or failed fit leaves the estimator unchanged.
        fresh = copy.copy(self)
        fresh.__dict__ = {
            name: value for name, value in vars(self).items() if not name.endswith("_")
        }
        fresh._fit_to(X)
        self.__dict__ = fresh.__dict__
        return self

    @abstractmethod
    def _fit_to(self, X: Any) -> None:
        """Check the parameters and the rows, and set the fitted attributes."""
