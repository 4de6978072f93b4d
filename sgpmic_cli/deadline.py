"""A real deadline for a call that has none of its own: a timeout of a socket starts anew with every byte."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """What `call` gives or raises; TimeoutError when it takes longer. It is then left to itself, and ends with us."""
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["result"] = call()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"not done after {seconds:g} s")
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
