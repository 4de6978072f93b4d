from dataclasses import replace

import pytest

from sgpmic_cli.experiments.compare.comparison import SHOWN, Result
from sgpmic_cli.experiments.compare.paper import Stat
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.experiments.run.aggregate import note_scores
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.scores import SCORES


class MadeUpRun:
    key = "k"


def _cell(method, dataset="cmc", acc_as="acc", nmi_as="nmi", **means):
    """Return a result at 95 % of the variance with the notes on its scores."""
    scores = dict.fromkeys(SCORES, 44.0) | means
    stats = {name: Stat(score, 0.05) for name, score in scores.items()}
    ours = {name: stats[{"acc": acc_as, "nmi": nmi_as}.get(name, name)] for name in SHOWN}
    place = dataset, "hash", 95, 2, 3, known()[method], {"acc": acc_as, "nmi": nmi_as}
    result = Result(*place, {}, 10, 0, ours, Stat(0.1, 0.0), runs=(MadeUpRun,))
    return note_scores(
        result, {"k": Record("k", dataset, method, 2, 3, {}, 0, 1, "ok", 0.1, scores)}
    )


# The printed NMI of DEC on CMC is 3.13.
@pytest.mark.parametrize(
    ("means", "note"),
    [
        (
            {"nmi": 1.12, "nmi_clusters": 3.16},
            "that of the clusters themselves, which is 3.16 here.",
        ),
        (
            {"nmi": 1.12, "nmi_clusters": 6.0, "nmi_stated": 3.16},
            "divided by the arithmetic mean, which is 3.16 here.",
        ),
        ({"nmi": 1.12, "nmi_clusters": 9.0, "nmi_stated": 8.0}, ""),
    ],
)
def test_a_note_names_the_definition_that_the_printed_nmi_agrees_with(means, note):
    result = _cell("dec", **means)
    assert result.verdict["nmi"] == "differs down"
    assert result.note.endswith(note)
    assert bool(result.note) == bool(note)
    assert _cell("dec", nmi_as="nmi_clusters", **{**means, "nmi_clusters": 3.16}).note == ""


def test_the_note_of_a_one_to_one_acc_has_the_purity():
    result = _cell("deepc", acc_as="acc_hungarian", acc=45.3, acc_hungarian=39.2, nmi=2.0)
    assert (result.ours["acc"].mean, result.verdict["acc"]) == (39.2, "within 1")
    assert "45.30" in result.note


def test_missing_numbers_and_differing_data_have_their_own_verdicts():
    result = _cell("pca-fcm", "iris", acc=88.67)
    for changes, verdict in (
        ({}, Verdict.EXACT),
        ({"variance": 42}, Verdict.NEW),
        ({"failed": 3}, Verdict.EXACT),
        ({"failed": 10, "ours": dict.fromkeys(SHOWN, Stat())}, Verdict.FAILED),
        ({"dataset": "yale", "variance": 50}, Verdict.DATA_DIFFER),
        ({"repeats": 0, "ours": dict.fromkeys(SHOWN, Stat())}, Verdict.UNAVAILABLE),
    ):
        assert replace(result, **changes).verdict["acc"] is verdict
