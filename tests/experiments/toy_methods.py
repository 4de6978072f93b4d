"""Clusterers for the tests: quick, slow, and such as go wrong."""

import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


class Halves(ClusterMixin, BaseEstimator):
    """Random labels of two clusters, from the seed alone."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, Y, y=None):
        self.labels_ = np.random.RandomState(self.random_state).randint(
            self.n_clusters, size=len(Y)
        )
        return self


class Slow(Halves):
    """The same, taking its time."""

    def fit(self, Y, y=None):
        time.sleep(0.05)
        return super().fit(Y)


class Flaky(Halves):
    """Fails for every odd seed; with TOY_MENDED in the environment for none."""

    def fit(self, Y, y=None):
        if self.random_state % 2 and not os.environ.get("TOY_MENDED"):
            raise FloatingPointError("the bound\nis not finite")
        return super().fit(Y)


class Broken(Halves):
    """Fails always."""

    def fit(self, Y, y=None):
        raise ValueError("no luck")


class Unnumbered(Halves):
    """Gives no numbers."""

    def fit(self, Y, y=None):
        self.labels_ = np.full(len(Y), np.nan)
        return self


class Leaving(Halves):
    """Ends the program, as a script would."""

    def fit(self, Y, y=None):
        raise SystemExit(7)


class WorkerKiller(Halves):
    """Kills the process that waits for it."""

    def fit(self, Y, y=None):
        os.kill(os.getppid(), signal.SIGKILL)
        return super().fit(Y)


class Short(Halves):
    """Forgets a row."""

    def fit(self, Y, y=None):
        super().fit(Y)
        self.labels_ = self.labels_[:-1]
        return self


class Graded(Halves):
    """The larger `level`, the more rows carry their right cluster (the rows of iris come class by class)."""

    def __init__(self, n_clusters=2, level=0.0, random_state=None):
        self.n_clusters = n_clusters
        self.level = level
        self.random_state = random_state

    def fit(self, Y, y=None):
        if self.level < 0:
            raise ValueError("below zero")
        super().fit(Y)
        right = np.arange(len(Y)) * self.n_clusters // len(Y)
        known = np.random.RandomState(self.random_state).uniform(size=len(Y)) < self.level
        self.labels_ = np.where(known, right, self.labels_)
        return self


class Threads(Halves):
    """Fails unless every linear algebra library is held to one thread."""

    def fit(self, Y, y=None):
        from threadpoolctl import threadpool_info

        counts = [library["num_threads"] for library in threadpool_info()]
        if not counts or max(counts) != 1:
            raise RuntimeError(f"threads: {counts}")
        return super().fit(Y)


class NoClusterer:
    """Lacks fit_predict."""


class Deadly(Halves):
    """Takes its process down."""

    def fit(self, Y, y=None):
        os._exit(1)


class Chatty(Halves):
    """Watches itself in ways of its own."""

    def fit(self, Y, y=None):
        self.loss_curve_ = {"train": [3.0, 2.0]}
        self.lower_bounds_ = (1, 2)
        return super().fit(Y)
