"""Clusterers for the tests: fast ones, failing ones and misbehaving ones."""

import os
import signal
import sys
import time

import numpy as np


class Halves:
    """Give random labels that depend on the seed only. The others change `labels`."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def labels(self, Y):
        return np.random.RandomState(self.random_state).randint(self.n_clusters, size=len(Y))

    def fit_predict(self, Y, y=None):
        self.labels_ = self.labels(Y)
        return self.labels_


def doing(act):
    """Return a class like `Halves` that first calls `act`."""

    class Doing(Halves):
        def labels(self, Y):
            act()
            return super().labels(Y)

    return Doing


def fail(error):
    raise error


Slow = doing(lambda: time.sleep(0.05))
Broken = doing(lambda: fail(ValueError("no luck")))
Leaving = doing(lambda: sys.exit(7))
Killed = doing(lambda: os.kill(os.getpid(), signal.SIGKILL))
Prints = doing(lambda: print("noise on stdout", flush=True))


class Flaky(Halves):
    """Fail for every odd seed, unless TOY_MENDED is in the environment."""

    def labels(self, Y):
        if self.random_state % 2 and not os.environ.get("TOY_MENDED"):
            raise FloatingPointError("the bound\nis not finite")
        return super().labels(Y)


class Unnumbered(Halves):
    def labels(self, Y):
        return np.full(len(Y), np.nan)


class Short(Halves):
    """Give one label too few."""

    def labels(self, Y):
        return super().labels(Y)[:-1]


class Writes(Halves):
    """Change the data."""

    def labels(self, Y):
        Y[0] = 0.0
        return super().labels(Y)


class Threads(Halves):
    """Fail unless every linear algebra library is limited to one thread."""

    def labels(self, Y):
        from threadpoolctl import threadpool_info

        counts = [library["num_threads"] for library in threadpool_info()]
        if not counts or max(counts) != 1:
            raise RuntimeError(f"threads: {counts}")
        return super().labels(Y)


class NoClusterer:
    """Lack fit_predict."""
