"""The two protocols: what the paper's numbers were made with, and what its text says.

`as-run` is the procedure under which most cells of the cheap methods come out to the second decimal: Wine without its
last column for most methods, NMI between the classes and the mapped labels, Yale with the printed Q. `as-stated`
follows the text, and where that is silent takes the plainest reading.
"""

from dataclasses import dataclass
from typing import Any

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registry import Entry
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.methods import Method, unknown


@dataclass(frozen=True)
class Protocol:
    """Which columns, which Q, which settings and which scores a table is made with."""

    name: str
    nmi: str  # the score that is shown as NMI, unless a method has its own
    as_run: bool

    def columns(self, data: Dataset, entry: Entry | None, method: Method) -> Dataset:
        """The data as the method gets them."""
        return self._dropped(data, entry) if method.drops_columns else data

    def q(self, data: Dataset, entry: Entry | None, variance: int) -> int:
        """Latent dimensions for a share of variance; the same for every method of a row, as in the paper."""
        if self.as_run and entry is not None and variance in entry.as_run_q:
            return entry.as_run_q[variance]
        from sgpmic_cli.embeddings import (
            dimensions_for,
        )  # a process that only runs a method does without

        return dimensions_for(self._dropped(data, entry).Y, variance / 100)

    def settings(self, method: Method, entry: Entry | None) -> dict[str, Any]:
        """The constructor arguments of a method under this protocol, its grid not included.

        Settings that only serve to reproduce the printed numbers are not applied to a user's own data.
        """
        if not self.as_run:
            return {**method.settings, **method.as_stated}
        return {**method.settings, **(method.as_run if entry is not None else {})}

    def scores(self, method: Method, entry: Entry | None) -> dict[str, str]:
        """The scores that are shown as ACC and NMI.

        Some columns of the paper were scored otherwise than the rest; on a user's own data all are scored alike.
        """
        own = method.as_run_scores if self.as_run and entry is not None else {}
        return {"acc": "acc", "nmi": self.nmi, **own}

    def _dropped(self, data: Dataset, entry: Entry | None) -> Dataset:
        if not self.as_run or entry is None or not entry.as_run_drop:
            return data
        return data.without(entry.as_run_drop)


PROTOCOLS = {
    "as-run": Protocol("as-run", nmi="nmi", as_run=True),
    "as-stated": Protocol("as-stated", nmi="nmi_stated", as_run=False),
}


def protocol_named(name: str) -> Protocol:
    """The protocol of that name."""
    if name not in PROTOCOLS:
        raise UsageError(unknown("protocol", name, PROTOCOLS))
    return PROTOCOLS[name]
