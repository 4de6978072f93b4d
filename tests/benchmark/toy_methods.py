"""Clusterers for the tests: fast ones, slow ones, failing ones and misbehaving ones.

They do not import scikit-learn, so that the processes that run them start quickly.
"""

import contextlib
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


class Strange(BaseException):
    def __str__(self):
        raise RuntimeError("no string")


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
Hangs = doing(lambda: time.sleep(10_000))
Hungry = doing(lambda: [np.ones(1 << 24) for _ in range(1 << 12)])
Broken = doing(lambda: fail(ValueError("no luck")))
Interrupts = doing(lambda: fail(KeyboardInterrupt))
Wordless = doing(lambda: fail(Strange))
Leaving = doing(lambda: sys.exit(7))
Talking = doing(lambda: sys.exit("\x1b[31mgood\nbye"))
Exits = doing(lambda: os._exit(7))
Crashes = doing(lambda: os.kill(os.getpid(), signal.SIGSEGV))
Killed = doing(lambda: os.kill(os.getpid(), signal.SIGKILL))
WorkerKiller = doing(lambda: os.kill(os.getppid(), signal.SIGKILL))  # which waits for the result


class Flaky(Halves):
    """Fail for every odd seed, unless TOY_MENDED is in the environment."""

    def labels(self, Y):
        if self.random_state % 2 and not os.environ.get("TOY_MENDED"):
            raise FloatingPointError("the bound\nis not finite")
        return super().labels(Y)


class Unnumbered(Halves):
    def labels(self, Y):
        return np.full(len(Y), np.nan)


class Deadly(Halves):
    """End the process of every odd seed."""

    def labels(self, Y):
        if self.random_state % 2:
            os._exit(1)
        return super().labels(Y)


class Short(Halves):
    """Give one label too few."""

    def labels(self, Y):
        return super().labels(Y)[:-1]


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


class Chatty(Halves):
    """Have fitted attributes with the names of traces but of other types."""

    def labels(self, Y):
        self.loss_curve_ = {"train": [3.0, 2.0]}
        self.lower_bounds_ = (1, 2)
        return super().labels(Y)


class Garbles(Halves):
    """Write into every open descriptor."""

    def labels(self, Y):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b'{"status": "ok"}\n')
        return super().labels(Y)


class Rude(Halves):
    """Print, change the data, the folder and the streams, and return labels."""

    def labels(self, Y):
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
        return super().labels(Y)
