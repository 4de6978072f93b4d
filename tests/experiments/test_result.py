from sgpmic_cli.experiments.fold import Outcome, Stat
from sgpmic_cli.experiments.methods import known
from sgpmic_cli.experiments.plan import Cell
from sgpmic_cli.experiments.protocol import protocol
from sgpmic_cli.experiments.result import result
from sgpmic_cli.experiments.store import SCORES


def _dec_on_cmc(**stats):
    """A cell whose printed NMI is 3.13."""
    every = dict.fromkeys(SCORES, Stat(44.0, 0.1)) | {name: Stat(mean, 0.05) for name, mean in stats.items()}
    return Outcome(Cell("cmc", 95, 2, known()["dec"], 3, data=object()), {}, 10, 0, every, Stat(0.1, 0.0))


def test_a_printed_nmi_that_is_the_other_one_is_told():
    outcome = _dec_on_cmc(nmi=1.12, nmi_stated=3.16)
    told = result(outcome, protocol("as-run"))
    assert told.verdict["nmi"] == "worse"
    assert told.note == "The printed NMI agrees with that of the clusters themselves, which is 3.16 here."
    assert result(outcome, protocol("as-stated")).note == ""


def test_an_nmi_that_neither_explains_is_left_alone():
    assert result(_dec_on_cmc(nmi=1.12, nmi_stated=9.0), protocol("as-run")).note == ""
