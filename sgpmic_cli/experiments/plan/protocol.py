"""Define the two protocols: how the paper's numbers were computed, and what its text says.

`as-run` is the procedure that reproduces most cells of the deterministic methods to the second
decimal: Wine without its last column for most methods, NMI of the mapped labels, Yale with the
printed Q. `as-stated` follows the text and takes the simplest reading where the text is silent.
"""

from dataclasses import dataclass
from typing import Any

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registry import Entry
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.methods import Method, unknown


@dataclass(frozen=True)
class Protocol:
    """The columns, latent dimensions, settings and scores of a table."""

    name: str
    nmi: str  # the score shown as NMI, unless a method has its own
    as_run: bool

    def columns(self, data: Dataset, entry: Entry | None, method: Method) -> Dataset:
        """Return the data with the columns that the method gets."""
        return self._dropped(data, entry) if method.drops_columns else data

    def q(self, data: Dataset, entry: Entry | None, variance: int) -> int:
        """Return the number of latent dimensions of a row, which all its methods share."""
        if self.as_run and entry is not None and variance in entry.as_run_q:
            return entry.as_run_q[variance]
        from sgpmic_cli.embeddings import dimensions_for

        return dimensions_for(self._dropped(data, entry).Y, variance / 100)

    def settings(self, method: Method, entry: Entry | None) -> dict[str, Any]:
        """Return the constructor arguments of a method, without its grid.

        Settings that reproduce the printed numbers do not apply to data outside the registry.
        """
        if not self.as_run:
            return {**method.settings, **method.as_stated}
        return {**method.settings, **(method.as_run if entry is not None else {})}

    def scores(self, method: Method, entry: Entry | None) -> dict[str, str]:
        """Return the scores that are shown as ACC and NMI.

        Exceptions of single columns of the paper do not apply to data outside the registry.
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
    """Return the protocol of a name."""
    if name not in PROTOCOLS:
        raise UsageError(unknown("protocol", name, PROTOCOLS))
    return PROTOCOLS[name]
