"""Read model files of both estimators."""

from typing import TYPE_CHECKING

from sgpmic_cli._typing import PathLike
from sgpmic_cli.estimator_base import storage

if TYPE_CHECKING:
    from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer

ESTIMATORS = {
    "shared-process": "sgpmic_cli.clustering.model.estimator:SGPMIC",
    "paper": "sgpmic_cli.paper.model.estimator:PaperSGPMIC",
}


def load(path: PathLike, *, every_row: bool = True) -> "LatentClusterer":
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
    return storage.load(path, ESTIMATORS, every_row=every_row)
