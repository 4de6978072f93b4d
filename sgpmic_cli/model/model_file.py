"""Read a model file of either estimator."""

from collections.abc import Callable
from functools import partial

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model import fitted, storage
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.model.paper.estimator import PaperSGPMIC


def load(path: PathLike, *, every_row: bool = True) -> SGPMIC | PaperSGPMIC:
    """Read a model file that `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file to read.
    every_row : bool, default=True
        Read the results of all rows. False reads what `predict` needs, which is little even if
        millions of rows were assigned after a fit to a subsample.

    Returns
    -------
    model : SGPMIC or PaperSGPMIC
        The fitted estimator that the file holds.
    """

    def too_old(_: storage.FittedState) -> SGPMIC:
        raise UsageError(
            f"{path} holds the default model of sgpmic 0.2, which this version replaced: fit the "
            "table again, or install sgpmic 0.2 to use the file."
        )

    rebuild: dict[str, Callable[[storage.FittedState], SGPMIC | PaperSGPMIC]] = {
        fitted.KIND: partial(SGPMIC._rebuilt, every_row=every_row),
        fitted.OLD_KIND: too_old,
        storage.FIRST_KIND: PaperSGPMIC._rebuilt,
    }
    return storage.load(path, rebuild)
