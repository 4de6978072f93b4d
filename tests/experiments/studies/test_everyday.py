import pytest
from small_studies import small_benchmark

from sgpmic_cli.experiments.plan.methods import resolve
from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.experiments.studies.everyday import CLOUDS, SHAPES, TABLES, everyday_study, findings
from sgpmic_cli.figures.everyday import draw_study

METHODS = ["k-means", "ward", "sgp-mic", "sgp-mic+"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Cells of the right form, whose numbers the tests make up."""
    from dataclasses import replace

    (cell,) = small_benchmark(
        ["iris"], [95], ["ward"], out=tmp_path_factory.mktemp("one"), repeats=1
    ).results
    entrants = {method.name: method for method in resolve(METHODS)}

    def made_up(scores):
        return [
            replace(
                cell,
                dataset=name,
                entrant=entrants[method],
                ours={**cell.ours, "ari": Stat(score, 0.0)},
            )
            for name, row in scores.items()
            for method, score in zip(METHODS, row, strict=True)
        ]

    return made_up


def test_the_study_has_both_settings_the_peers_and_every_kind_of_data():
    study = everyday_study(3, 0)
    assert set(study.datasets) == {*TABLES, *SHAPES, *CLOUDS}
    assert len(TABLES) == 9
    names = [method.name for method in resolve(study.methods)]
    assert names == ["k-means", "gmm", "spectral", "ward", "hdbscan", "sgp-mic", "sgp-mic+"]


def test_what_is_said_follows_from_the_numbers(results):
    text = findings(
        results(
            {
                "iris": (60, 70, 50, 80),
                "wine": (90, 80, 50, 91),
                "spirals": (5, 0, 3, 100),
                "moons": (50, 60, 1, 40),
            }
        )
    )
    assert (
        "Over 2 tables with classes the mean ARI is 85.5 with our setting and 50.0 with the paper's"
        in text
    )
    assert "the best of the others there is k-means with 75.0." in text
    assert "pays on iris (80.0, ward 70.0), spirals (100.0, k-means 5.0);" in text
    assert "within 2 points on wine (91.0, k-means 90.0);" in text
    assert "does not pay on moons (40.0, ward 60.0)." in text
    assert "clouds" not in text
    assert "our setting differs from none." in text  # four sets tell nobody apart


def test_a_set_without_a_number_is_left_out_and_named(results):
    text = findings(results({"iris": (60, 70, 50, None), "wine": (90, 80, 50, 91)}))
    assert "Over 1 tables" in text
    assert "Left out, since a method has no number there: iris." in text


@pytest.mark.slow
def test_the_figure_is_drawn_twice_with_the_same_bytes(results, tmp_path):
    scores = results(dict.fromkeys((*TABLES, *SHAPES, *CLOUDS), (10, 20, 30, 40)))
    draw_study(tmp_path / "first", scores)
    draw_study(tmp_path / "second", scores)
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "second.png").read_bytes()
    assert (tmp_path / "first.pdf").stat().st_size > 1000
