"""VAE-FCM: fuzzy c-means on the code of a variational autoencoder, as the paper may have run it and as it should be.

The printed column is near chance (Iris 38, Segment 18, BC the majority share with NMI 0). A reading that falls as low
is an example written for pixels, run on raw tables: a sigmoid output with binary cross-entropy *averaged* over
columns, against a divergence *summed* over code dimensions, and FCM on one *random draw* of the code. Targets above 1
drive the logits to their limit, where the slope is zero; the divergence is all that is left, the code collapses onto
the prior, and its draws are noise. With the mean code Iris at Q = 2 would still score 54 to 73. Set once for all data
sets by closeness to the printed ACC, over seven combinations with three repeats each: 50 to 200 epochs, batches of 128
or 256, cross-entropy summed or averaged, mean or drawn code.

Such examples compute in single precision, and that shows in the print. A log-variance above 88.7, which raw columns of
hundreds reach before the first step, has no exponential there: the weights become NaN, so do the codes, and fuzzy
c-means gives every row the same label. Gradients above 2e19 overflow only when Adam squares them, and their weights
never move again. So Wine is a mixture of runs that end as one cluster (seven of ten at 95 %) and of runs that learn:
45.4 +- 10.6, NMI 7.8 +- 14.1, where 45.5 +- 9.8 and 8.5 +- 14.6 are printed, and double precision has 61.2 and 30.4.
WDBC, Australian and Segment go the same way. `single_precision` is that and nothing else: of 42 distinct cells 22 lie
within one point and 4 differ, with a mean distance of 1.8 (ten repeats, on seeds that the table never sees). In double
precision, with the exponential going on as a tangent past 50, it is 22, 10 and 3.5. Iris at Q = 1 stays higher (43,
printed 38). Smaller first weights, fewer epochs, a summed cross-entropy and a layer of its own for the log-variance
were tried with it on Iris, Wine, WDBC and Australian: none is nearer.
"""

from functools import partial
from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines._clusterer import EmbeddingFCM
from sgpmic_cli.estimator_base.parameter_checks import SWITCH, layers, positive_number, whole
from sgpmic_cli.networks import VariationalAutoencoder, binary_cross_entropy, gaussian_likelihood

# Keras holds probabilities inside [1e-7, 1 - 1e-7] before taking logarithms; this is that bound as a logit.
LOGIT_LIMIT = float(np.log((1.0 - 1e-7) / 1e-7))


class VAEFCM(EmbeddingFCM):
    """The as-run reading: raw input, sigmoid output, averaged cross-entropy, fuzzy c-means on one draw of the code.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_components : int, default=2
        Width of the code.
    hidden : list or tuple of int, default=(64, 32)
        Widths of the layers between input and code.
    epochs : int, default=200
        Passes over the rows.
    batch_size : int, default=256
        Rows in a step.
    learning_rate : float, default=0.001
        Step size of Adam.
    single_precision : bool, default=False
        Whether the network computes in single precision, where columns of large values overflow: the codes are then
        NaN, and all rows are one cluster. The printed column needs it.
    random_state : int, RandomState instance or None, default=None
        Seed of the network, of its draws and of fuzzy c-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    embedding_ : ndarray of shape (n_samples, n_components)
        One draw of the codes; NaN where single precision overflowed.
    loss_curve_ : list of float
        Loss of every epoch; none where single precision overflowed.

    References
    ----------
    .. [1] D. P. Kingma and M. Welling, "Auto-Encoding Variational Bayes", ICLR, 2014.

    Examples
    --------
    >>> from sgpmic_cli.baselines import VAEFCM
    >>> from sgpmic_cli.data import load
    >>> model = VAEFCM(n_clusters=3, epochs=2, random_state=0).fit(load("iris").Y)
    >>> model.labels_.shape, model.embedding_.shape
    ((150,), (150, 2))
    """

    loss_curve_: list[float]

    _rules: ClassVar = {
        "hidden": layers(),
        "epochs": whole(),
        "batch_size": whole(),
        "learning_rate": positive_number(),
        "single_precision": SWITCH,
    }

    def __init__(
        self,
        n_clusters=8,
        n_components=2,
        *,
        hidden=(64, 32),
        epochs=200,
        batch_size=256,
        learning_rate=1e-3,
        single_precision=False,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.hidden = hidden
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.single_precision = single_precision
        self.random_state = random_state

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        try:
            super()._learn(Y, rng)
        except FloatingPointError:
            if not self.single_precision:
                raise
            # What fuzzy c-means makes of codes that are no numbers: no membership is the largest, the first is taken.
            self.loss_curve_ = []
            self.embedding_ = np.full((len(Y), self.n_components), np.nan)
            self.labels_ = np.zeros(len(Y), np.int64)

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        network = self._train(Y, partial(binary_cross_entropy, limit=LOGIT_LIMIT), rng)
        return network.sample(Y, rng).astype(np.float64)

    def _train(self, Y, loss, rng):
        sizes = [Y.shape[1], *self.hidden, self.n_components]
        network = VariationalAutoencoder(sizes, loss, rng, single_precision=self.single_precision)
        self.loss_curve_ = network.fit(
            Y, rng, epochs=self.epochs, batch_size=self.batch_size, learning_rate=self.learning_rate
        )
        return network


class VAESoundFCM(VAEFCM):
    """The sound reading: centred rows on one global scale, unit-variance Gaussian likelihood, FCM on the mean code.

    Parameters and attributes are those of `VAEFCM`, except that `embedding_` holds the mean codes.

    Examples
    --------
    >>> from sgpmic_cli.baselines import VAESoundFCM
    >>> from sgpmic_cli.data import load
    >>> VAESoundFCM(n_clusters=3, epochs=2, random_state=0).fit(load("iris").Y).embedding_.shape
    (150, 2)
    """

    def _embed(self, Y: Array, rng: np.random.RandomState) -> Array:
        Y = Y - Y.mean(axis=0)
        scale = np.sqrt(
            np.mean(Y**2)
        )  # one factor for all columns: their relative scale is the data's own
        if scale > 0:
            Y /= scale
        return self._train(Y, gaussian_likelihood, rng).encode(Y)
