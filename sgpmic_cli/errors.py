"""Errors that a person can act on: one sentence each, with the exit code the command line ends with."""


class SgpmicError(Exception):
    """Something the user can put right; printed as one sentence, never as a traceback."""

    exit_code = 1


class UsageError(SgpmicError, ValueError):
    """A wrong argument, an unknown name, a file that cannot be read as asked."""

    exit_code = 2


class CellsFailed(SgpmicError):
    """The command finished, but some of its runs did not."""

    exit_code = 3


class DataUnavailable(SgpmicError):
    """Data that cannot be had (no network, no mirror) or is not what its hash says."""

    exit_code = 4


class Terminated(KeyboardInterrupt):
    """The system asked the program to end (SIGTERM): what an interrupt does, with another exit code."""
