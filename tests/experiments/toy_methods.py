"""Clusterers for the tests: fast ones, slow ones and failing ones.

They do not import scikit-learn, so that the processes that run them start quickly.
"""

import os
import signal
import time

import numpy as np


class Halves:
    """Give random labels that depend on the seed only."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, Y, y=None):
        rng = np.random.RandomState(self.random_state)
        self.labels_ = rng.randint(self.n_clusters, size=len(Y))
        return self

    def fit_predict(self, Y, y=None):
        return self.fit(Y).labels_


class Slow(Halves):
    """Take 0.05 s."""

    def fit(self, Y, y=None):
        time.sleep(0.05)
        return super().fit(Y)


class Flaky(Halves):
    """Fail for every odd seed, unless TOY_MENDED is in the environment."""

    def fit(self, Y, y=None):
        if self.random_state % 2 and not os.environ.get("TOY_MENDED"):
            raise FloatingPointError("the bound\nis not finite")
        return super().fit(Y)


class Broken(Halves):
    """Fail always."""

    def fit(self, Y, y=None):
        raise ValueError("no luck")


class Unnumbered(Halves):
    """Give labels that are NaN."""

    def fit(self, Y, y=None):
        self.labels_ = np.full(len(Y), np.nan)
        return self


class Leaving(Halves):
    """Exit, as a script would."""

    def fit(self, Y, y=None):
        raise SystemExit(7)


class Deadly(Halves):
    """End the process of every odd seed."""

    def fit(self, Y, y=None):
        if self.random_state % 2:
            os._exit(1)
        return super().fit(Y)


class WorkerKiller(Halves):
    """Kill the process that waits for the result."""

    def fit(self, Y, y=None):
        os.kill(os.getppid(), signal.SIGKILL)
        return super().fit(Y)


class Short(Halves):
    """Give one label too few."""

    def fit(self, Y, y=None):
        super().fit(Y)
        self.labels_ = self.labels_[:-1]
        return self


class Graded(Halves):
    """Give more correct labels for a larger `level`; the rows of iris are sorted by class."""

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
    """Fail unless every linear algebra library is limited to one thread."""

    def fit(self, Y, y=None):
        from threadpoolctl import threadpool_info

        counts = [library["num_threads"] for library in threadpool_info()]
        if not counts or max(counts) != 1:
            raise RuntimeError(f"threads: {counts}")
        return super().fit(Y)


class NoClusterer:
    """Lack fit_predict."""


class Chatty(Halves):
    """Have fitted attributes with the names of traces but of other types."""

    def fit(self, Y, y=None):
        self.loss_curve_ = {"train": [3.0, 2.0]}
        self.lower_bounds_ = (1, 2)
        return super().fit(Y)
