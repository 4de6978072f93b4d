import re
from dataclasses import replace

from sgpmic_cli.experiments.compare.comparison import compare_cell
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.experiments.plan.methods import Method, known
from sgpmic_cli.experiments.plan.protocol import protocol_named
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.scores import SCORES


def _dec_on_cmc(**stats):
    """A cell whose printed NMI is 3.13."""
    every = dict.fromkeys(SCORES, Stat(44.0, 0.1)) | {name: Stat(mean, 0.05) for name, mean in stats.items()}
    return Outcome(Cell("cmc", 95, 2, known()["dec"], 3, data=object()), {}, 10, 0, every, Stat(0.1, 0.0))


def _point(level, failed, acc):
    stats = dict.fromkeys(SCORES, Stat(acc, 0.0) if failed < 3 else Stat())
    cell = Cell(
        "iris", 95, 2, Method("graded", "toy_methods:Graded", grid={"level": (0.1, 0.2, 0.3)}), 3, data=object()
    )
    return Outcome(cell, {"level": level}, 3, failed, stats, Stat(0.1, 0.0), ("no luck",) if failed else ())


def test_the_labels_chose_nothing_where_every_run_failed():
    points = tuple(_point(level, 3, None) for level in (0.1, 0.2, 0.3))
    told = compare_cell(replace(points[0], grid=points), protocol_named("as-run"))
    assert re.search(r"3 runs failed: no luck\b.*\b6 runs .*failed: no luck", told.note)


def test_settings_with_more_failures_are_no_rivals_and_the_note_says_so():
    points = _point(0.1, 1, 99.0), _point(0.2, 0, 60.0), _point(0.3, 0, 50.0)
    told = compare_cell(replace(points[1], grid=points), protocol_named("as-run"))
    assert "level = 0.2" in told.note
    assert "2 settings" in told.note
    assert "fewest failures" in told.note


def test_a_printed_nmi_that_is_the_other_one_is_told():
    outcome = _dec_on_cmc(nmi=1.12, nmi_stated=3.16)
    told = compare_cell(outcome, protocol_named("as-run"))
    assert told.verdict["nmi"] == "worse"
    assert "NMI" in told.note
    assert "3.16" in told.note
    assert compare_cell(outcome, protocol_named("as-stated")).note == ""


def test_an_nmi_that_neither_explains_is_left_alone():
    assert compare_cell(_dec_on_cmc(nmi=1.12, nmi_stated=9.0), protocol_named("as-run")).note == ""
