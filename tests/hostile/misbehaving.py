"""Clusterers that misbehave in a fit. `exits_at_import` misbehaves when it is imported."""

import contextlib
import os
import signal
import sys
import time

import numpy as np


class Good:
    """Random labels. Without scikit-learn, whose import takes long."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit_predict(self, Y):
        self.misbehave(Y)
        return np.random.RandomState(self.random_state).randint(self.n_clusters, size=len(Y))

    def misbehave(self, Y):
        pass


class Exits(Good):
    def misbehave(self, Y):
        os._exit(7)


class Crashes(Good):
    def misbehave(self, Y):
        os.kill(os.getpid(), signal.SIGSEGV)


class Killed(Good):
    def misbehave(self, Y):
        os.kill(os.getpid(), signal.SIGKILL)


class Interrupts(Good):
    def misbehave(self, Y):
        raise KeyboardInterrupt


class Strange(BaseException):
    def __str__(self):
        raise RuntimeError("no string")


class Wordless(Good):
    def misbehave(self, Y):
        raise Strange


class Hangs(Good):
    def misbehave(self, Y):
        time.sleep(10_000)


class Hungry(Good):
    def misbehave(self, Y):
        self.hoard = [np.ones(1 << 24) for _ in range(1 << 12)]


class Leaves(Good):
    def misbehave(self, Y):
        sys.exit("\x1b[31mgood\nbye")


class Garbles(Good):
    """Writes into every open descriptor."""

    def misbehave(self, Y):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b'{"status": "ok"}\n')


class Rude(Good):
    """Prints, changes the data, the folder and the streams, and returns labels."""

    def misbehave(self, Y):
        print("noise on stdout", flush=True)
        os.write(1, b"more noise\n")
        os.chdir("/")
        os.closerange(0, 3)
        base = Y
        while isinstance(base, np.ndarray):  # a read-only view may have a writable base
            with contextlib.suppress(ValueError):
                base.flags.writeable = True
                base[:] = 0.0
            base = base.base
