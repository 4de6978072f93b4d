"""Set a deadline for a call that has none, such as a download whose server sends slowly."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """Run `call` in a daemon thread. Raise TimeoutError if it does not finish in time."""
    found: dict[str, Any] = {}

    def work() -> None:
        try:
            found["result"] = call()
        except BaseException as error:
            found["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"not done after {seconds:g} s")
    if "error" in found:
        raise found["error"]
    return found["result"]
