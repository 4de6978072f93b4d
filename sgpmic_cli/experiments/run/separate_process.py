"""Runs in processes of their own: methods from elsewhere, and every method when a run has a limit.

Whatever such a run does to its process, the others and this program go on: a crash, an exit, a hang or a hunger for
memory is a failed record with its reason. A process serves one method and is replaced when it is gone; it gets a copy
of the data for each run, and gives the clusters back: they are scored here, where no method can reach.
"""

import json
import os
import pickle
import queue
import struct
import subprocess
import threading
import time
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, BinaryIO

from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.plan.child_process import (
    end_child,
    how_it_ended,
    start_child,
    take_pipes,
)
from sgpmic_cli.experiments.plan.foreign_class import IMPORT_SECONDS
from sgpmic_cli.experiments.run.one_run import Fit, fit, scored
from sgpmic_cli.experiments.run.records import Record, parse_record, record_text
from sgpmic_cli.files.json_file import strict_json

POLL_SECONDS = 0.2
READY = b"ready\n"
GARBLED = "its process answered with something that is no outcome of a run"


@dataclass(frozen=True)
class Limits:
    """What one run may take; None leaves it unlimited."""

    seconds: float | None = None
    bytes: int | None = None  # of memory beyond what the process has when its method is imported

    def __bool__(self) -> bool:
        return self.seconds is not None or self.bytes is not None


def needs_own_process(run: Run, limits: Limits) -> bool:
    """Whether a run may not be computed in a process that others share."""
    return run.cell.method.foreign or bool(limits)


def records_apart(
    runs: Sequence[Run], *, memory: Path, limits: Limits = Limits(), n_jobs: int = 1
) -> Generator[Record, None, None]:
    """Records as they come, from up to `n_jobs` processes at a time; all of them are gone when this ends."""
    waiting = deque(sorted(runs, key=lambda run: run.cell.method.name))
    finished: queue.Queue[tuple[Run, Fit] | BaseException] = queue.Queue()
    stopped = threading.Event()

    def work() -> None:
        process: _Process | None = None
        try:
            while not stopped.is_set():
                run = waiting.popleft()
                if process is None or process.method != run.cell.method.name:
                    if process is not None:
                        process.end()
                    process = _Process(run.cell.method.name, memory, limits, stopped)
                finished.put((run, process.fit(run)))
        except IndexError:
            pass  # nothing is waiting any more
        except BaseException as error:
            finished.put(error)
        finally:
            if process is not None:
                process.end()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(n_jobs, len(runs)))]
    for thread in threads:
        thread.start()
    try:
        for _ in runs:
            outcome = finished.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield _record(*outcome)
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


class _Process:
    """A child that computes the runs of one method, started anew when it is gone."""

    def __init__(self, method: str, memory: Path, limits: Limits, stopped: threading.Event):
        self.method = method
        self.memory = memory
        self.limits = limits
        self.stopped = stopped
        self.child: subprocess.Popen[bytes] | None = None
        self.broken = ""  # why it cannot even import the method
        self.answers: queue.Queue[bytes] = queue.Queue()

    def fit(self, run: Run) -> Fit:
        """What the method gives for a run, or why it gives nothing."""
        started = time.perf_counter()
        if self.child is None and not self.broken:
            self._start(run)
        outcome = self.broken or self._ask(run)
        return (
            Fit(time.perf_counter() - started, reason=outcome)
            if isinstance(outcome, str)
            else outcome
        )

    def end(self) -> None:
        """End the child."""
        if self.child is not None:
            end_child(self.child)
            self.child = None

    def _start(self, run: Run) -> None:
        self.child = start_child(__name__, "serve")
        self.answers = queue.Queue()
        assert self.child.stdout is not None
        threading.Thread(
            target=_listen, args=(self.child.stdout, self.answers), daemon=True
        ).start()
        self._send((run, self.memory, self.limits))
        answer = self._answer(IMPORT_SECONDS)
        if answer != READY:
            self.broken = f"when its method was imported, {self._end_of_child(IMPORT_SECONDS)}"

    def _ask(self, run: Run) -> Fit | str:
        self._send(run)
        answer = self._answer(self.limits.seconds)
        if answer is None:
            return self._end_of_child(self.limits.seconds)
        try:
            return _parse(answer, run)
        except (ValueError, TypeError):
            self.end()
            return GARBLED

    def _send(self, request: object) -> None:
        content = pickle.dumps(request, protocol=pickle.HIGHEST_PROTOCOL)
        assert self.child is not None
        assert self.child.stdin is not None
        with suppress(OSError):  # it is gone, which the answer will show
            self.child.stdin.write(struct.pack("<Q", len(content)) + content)
            self.child.stdin.flush()

    def _answer(self, seconds: float | None) -> bytes | None:
        """The next line of the child; None when it is gone, is too slow, or is wanted no longer."""
        assert self.child is not None
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self.stopped.is_set():
            gone = self.child.poll() is not None
            left = (
                POLL_SECONDS
                if deadline is None
                else min(POLL_SECONDS, max(0.0, deadline - time.monotonic()))
            )
            try:
                return self.answers.get(timeout=left)
            except queue.Empty:
                if gone or (deadline is not None and time.monotonic() >= deadline):
                    return None
        return None

    def _end_of_child(self, seconds: float | None) -> str:
        """Why there was no answer; the child is ended."""
        assert self.child is not None
        code = self.child.poll()
        self.end()
        return (
            f"it took longer than the limit of {seconds:g} s"
            if code is None
            else f"its process {how_it_ended(code)}"
        )


def _parse(answer: bytes, run: Run) -> Fit:
    """What a child says it found; ValueError or TypeError where there is a doubt."""
    fitted = Fit(**strict_json(answer))
    assert run.cell.data is not None
    clusters = fitted.clusters
    whole = clusters is None or (
        len(clusters) == len(run.cell.data.Y) and all(type(each) is int for each in clusters)
    )
    if not whole:
        raise ValueError("these are no clusters of the rows")
    return fitted


def _record(run: Run, fitted: Fit) -> Record:
    """The record of a run, checked like one that is read from a file: what its process told may be anything."""
    try:
        return parse_record(record_text(scored(run, fitted)), run.key)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return scored(run, Fit(0.0, reason=GARBLED))


def _listen(stream: IO[bytes], answers: "queue.Queue[bytes]") -> None:
    with suppress(ValueError, OSError), stream:
        for line in stream:
            answers.put(line)


def serve() -> None:
    """In the child: import the method, then compute one run after the other until the parent is gone."""
    requests, answers = take_pipes()
    waiting: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_receive, args=(requests, waiting), daemon=True).start()
    first, memory, limits = pickle.loads(waiting.get())
    with suppress(BaseException):  # the first run fails for the same reason, and then it is told
        first.cell.method.load()
    _reply(answers, READY)
    _limit_memory(limits.bytes)
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        while True:
            fitted = fit(pickle.loads(waiting.get()), memory, whatever_happens=True)
            _reply(answers, json.dumps(asdict(fitted)).encode() + b"\n")


def _receive(requests: BinaryIO, waiting: "queue.Queue[bytes]") -> None:
    """Requests as they come; at the end of them the parent is gone, and so is this process, whatever it is doing."""
    while len(size := requests.read(8)) == 8:
        waiting.put(requests.read(struct.unpack("<Q", size)[0]))
    os._exit(0)


def _reply(answers: BinaryIO, line: bytes) -> None:
    answers.write(line)
    answers.flush()


def _limit_memory(most: int | None) -> None:
    """Allow this process so many bytes more than it has, where the system can."""
    if most is None:
        return
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size = pages * resource.getpagesize() + most
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, OSError, ValueError):
        return
