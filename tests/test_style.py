import matplotlib
import numpy as np
from PIL import Image

from sgpmic_cli.style import COLUMN, DPI, canvas, matched_looks


def draw(stem):
    with canvas(stem, height=2.0) as figure:
        axes = figure.subplots()
        axes.plot([0, 1], [1, 0])
        axes.set_xlabel("x")


def test_the_picture_is_written_and_equal_each_time(tmp_path):
    (tmp_path / "again").mkdir()
    draw(tmp_path / "one")
    draw(tmp_path / "again" / "one")
    assert {path.name for path in tmp_path.iterdir()} == {"one.png", "again"}
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "again/one.png").read_bytes()
    with Image.open(tmp_path / "one.png") as image:
        assert image.size == (COLUMN * DPI, 2.0 * DPI)
        assert image.format == "PNG"


def test_the_users_own_settings_neither_matter_nor_change(tmp_path):
    draw(tmp_path / "plain")
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30}):
        draw(tmp_path / "styled")
        assert matplotlib.rcParams["font.size"] == 30
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "styled.png").read_bytes()


def test_groups_get_the_style_of_the_group_they_overlap_most():
    clusters = np.array([0, 0, 1, 1, 2, 2, 2])
    classes = np.array([2, 2, 0, 0, 1, 1, 3])
    assert matched_looks(classes, clusters, n_groups=4, n_reference=3) == [1, 2, 0, 3]
