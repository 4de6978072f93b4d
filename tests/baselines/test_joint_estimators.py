"""AML, DEC and UNCA keep scikit-learn's contract."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from sgpmic_cli.baselines.aml import AML
from sgpmic_cli.baselines.dec import DEC
from sgpmic_cli.baselines.unca.estimator import UNCA


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([AML(n_clusters=2), DEC(n_clusters=2), UNCA(n_clusters=2, rounds=3)])
def test_contract(estimator, check):
    check(estimator)
