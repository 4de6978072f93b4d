import pytest
from PIL import Image

from sgpmic_cli.figures.one_fit.convergence import draw_convergence


@pytest.mark.parametrize("rounds", [1, 20, 300])
def test_any_number_of_rounds_is_drawn(tmp_path, rounds):
    bounds = [-1000.0 / (update + 1) for update in range(2 * rounds + 1)]
    draw_convergence(tmp_path / "plain", bounds)
    draw_convergence(tmp_path / "acc", bounds, [50.0] * (rounds + 1))
    with Image.open(tmp_path / "plain.png") as plain, Image.open(tmp_path / "acc.png") as acc:
        assert plain.size[0] == acc.size[0]
        assert acc.size[1] > plain.size[1]


def test_values_that_do_not_pair_up_are_refused(tmp_path):
    with pytest.raises(ValueError, match="same first dimension"):
        draw_convergence(tmp_path / "plain", [-3.0, -2.0, -1.0], [50.0])
    assert not list(tmp_path.iterdir())
