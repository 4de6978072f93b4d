"""The catalogue, and figures drawn twice from small runs with equal bytes."""

import numpy as np
import pytest

from sgpmic_cli.benchmark.run import RunOptions
from sgpmic_cli.paper.figures import convergence_behaviour, latent_spaces
from sgpmic_cli.paper.figures.catalogue import all_figures, resolve
from sgpmic_cli.paper.figures.convergence_behaviour import figure6
from sgpmic_cli.paper.figures.graphical_model import ARROWS, PARAMETERS, VARIABLES, figure1
from sgpmic_cli.paper.figures.latent_spaces import figure2, figure5
from sgpmic_cli.paper.figures.panels import PlotOptions


@pytest.fixture
def twice(tmp_path):
    """Return a function that draws a figure twice and compares the files."""

    def draw(figure, **more):
        running = RunOptions(tmp_path / "runs", n_jobs=1)
        options = PlotOptions(results=tmp_path, repeats=1, running=running, **more)
        warnings = [figure(tmp_path / name, options) for name in ("first", "second")]
        for ending in (".png", ".pdf"):
            assert (tmp_path / f"first{ending}").read_bytes() == (
                tmp_path / f"second{ending}"
            ).read_bytes()
        return warnings[0]

    return draw


def test_the_graphical_model(twice):
    assert twice(figure1) == []
    assert {*ARROWS, *"".join(ARROWS.values())} == {*VARIABLES, *PARAMETERS}


def test_all_means_the_figures_that_need_no_data_set():
    assert resolve(["all", "figure1"], ["embedding"]) == [f"figure{i}" for i in range(1, 9)]
    assert all(callable(figure.load()) for figure in all_figures().values())


@pytest.mark.slow
def test_latent_spaces(twice, monkeypatch):
    monkeypatch.setattr(latent_spaces, "METHODS", {"ppca-fcm": "PPCA", "aml": "AML"})
    labels = []
    draw = latent_spaces.draw_panel
    monkeypatch.setattr(
        latent_spaces,
        "draw_panel",
        lambda axes, *rest, **options: (
            draw(axes, *rest, **options),
            labels.append(axes.get_xlabel()),
        ),
    )
    assert twice(figure2) == twice(figure5) == []
    assert "ACC 76.00 ± 0.00 %; paper 76.00" in labels[0]


def test_a_star_marks_a_printed_acc_that_one_more_run_would_rarely_have():
    acc = np.array([94.0, 95.0] * 5)
    # 2.262 (t, 9 degrees of freedom) times 0.527 times sqrt(1.1) is 1.25.
    assert [latent_spaces.differs(acc, 94.5 + off) for off in (1.2, 1.3)] == [False, True]
    assert [latent_spaces.differs(0 * acc, off) for off in (0.004, 0.01)] == [False, True]


def test_places_with_many_rows_are_counted():
    points = np.vstack([np.zeros((30, 2)), np.random.RandomState(0).rand(70, 2)])
    ((_, count),) = latent_spaces.crowded(points)
    assert 30 <= count < 35


@pytest.mark.slow
def test_convergence(twice, monkeypatch):
    monkeypatch.setattr(convergence_behaviour, "DATASETS", dict.fromkeys(["iris", "wine"], "X"))
    monkeypatch.setattr(convergence_behaviour, "SHAPE", (1, 2))
    assert twice(figure6) == []


def test_the_convergence_figure_lists_contradictions_to_the_text():
    fine = {"bound": np.array([-9.0, -5.0, -5.0, -4.0]), "acc": np.array([50.0, 60.0, 60.0, 61.0])}
    falling = fine | {"acc": np.array([50.0, 60.0, 59.0, 61.0])}
    rising = fine | {"bound": np.array([-9.0, -5.0, -5.1, -4.0])}
    contradictions = convergence_behaviour.against_the_text
    ended = fine | {"bound": np.array([-9.0, -4.0, -4.0, -3.999])}
    words = (
        "ACC falls at some update in {}; the loss rises at some update in {}.\nNot converged, "
        "the loss falls by more than 0.1 % in the last iteration: {}."
    )
    found = contradictions([fine, falling, rising, ended])
    assert found == words.format("(b)", "(c)", "(a), (b), (c)")
    assert contradictions([ended]) == words.format(*3 * ["no panel"])
