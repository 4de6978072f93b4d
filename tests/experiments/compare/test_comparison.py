import re
from dataclasses import replace

from sgpmic_cli.data import load
from sgpmic_cli.experiments.compare.comparison import compare_cell
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.experiments.plan.methods import Method, known
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.scores import SCORES

DATA = load("iris")


def _dec_on_cmc(**stats):
    """Return the outcome of a cell whose printed NMI is 3.13."""
    every = dict.fromkeys(SCORES, Stat(44.0, 0.1)) | {
        name: Stat(mean, 0.05) for name, mean in stats.items()
    }
    return Outcome(
        Cell("cmc", 95, 2, known()["dec"], 3, data=DATA), {}, 10, 0, every, Stat(0.1, 0.0)
    )


def _point(level, failed, acc):
    stats = dict.fromkeys(SCORES, Stat(acc, 0.0) if failed < 3 else Stat())
    graded = Method("graded", "toy_methods:Graded", grid={"level": (0.1, 0.2, 0.3)})
    cell = Cell("iris", 95, 2, graded, 3, data=DATA)
    reasons = ("no luck",) if failed else ()
    return Outcome(cell, {"level": level}, 3, failed, stats, Stat(0.1, 0.0), reasons)


def test_without_a_successful_run_the_labels_choose_nothing():
    points = tuple(_point(level, 3, None) for level in (0.1, 0.2, 0.3))
    told = compare_cell(replace(points[0], grid=points))
    assert re.search(r"3 runs failed: no luck\b.*\b6 runs .*failed: no luck", told.note)


def test_a_note_names_the_definition_that_the_printed_nmi_agrees_with():
    outcome = _dec_on_cmc(nmi=1.12, nmi_clusters=3.16)
    told = compare_cell(outcome)
    assert told.verdict["nmi"] == "differs down"
    assert "NMI" in told.note
    assert "3.16" in told.note
    as_printed = replace(outcome.cell, scores={"acc": "acc", "nmi": "nmi_clusters"})
    assert compare_cell(replace(outcome, cell=as_printed)).note == ""
    arithmetic = compare_cell(_dec_on_cmc(nmi=1.12, nmi_clusters=6.0, nmi_stated=3.16))
    assert "divided by the arithmetic mean, which is 3.16 here" in arithmetic.note
    assert compare_cell(_dec_on_cmc(nmi=1.12, nmi_clusters=9.0, nmi_stated=8.0)).note == ""


def test_the_note_of_a_one_to_one_acc_has_the_purity():
    cell = Cell(
        "cmc", 95, 2, known()["deepc"], 3, scores={"acc": "acc_hungarian", "nmi": "nmi"}, data=DATA
    )
    stats = dict.fromkeys(SCORES, Stat(2.0, 0.1)) | {
        "acc": Stat(45.3, 0.1),
        "acc_hungarian": Stat(39.2, 0.1),
    }
    told = compare_cell(Outcome(cell, {}, 10, 0, stats, Stat(0.1, 0.0)))
    assert (told.ours["acc"].mean, told.verdict["acc"]) == (39.2, "within 1")
    assert "45.30" in told.note
