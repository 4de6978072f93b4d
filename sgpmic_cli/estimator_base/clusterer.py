"""What all estimators here have in common: scikit-learn's `fit`, which changes the estimator only when it succeeds."""

import copy
from abc import abstractmethod

from sklearn.base import BaseEstimator, ClusterMixin


class Clusterer(ClusterMixin, BaseEstimator):
    """An estimator that finds clusters: `_fit_to` leaves `labels_`."""

    def fit(self, X, y=None):
        """Cluster the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows to cluster.
        y : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        fresh = copy.copy(self)  # an interrupted or failed refit leaves the estimator as it was
        fresh.__dict__ = {
            name: value for name, value in vars(self).items() if not name.endswith("_")
        }
        fresh._fit_to(X)
        self.__dict__ = fresh.__dict__
        return self

    @abstractmethod
    def _fit_to(self, X) -> None:
        """Check the parameters and the rows, and learn."""
