"""Errors that the command line prints as one sentence, with their exit codes."""


class SgpmicError(Exception):
    """An error that the user can correct."""

    exit_code = 1


class UsageError(SgpmicError, ValueError):
    """A wrong argument, an unknown name, or a file that cannot be read as requested."""

    exit_code = 2


class CellsFailed(SgpmicError):
    """The command finished, but some of its runs failed."""

    exit_code = 3


class DataUnavailable(SgpmicError):
    """Data that cannot be downloaded or do not match their hash."""

    exit_code = 4


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM."""
