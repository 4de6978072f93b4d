"""More rows than are fitted to: a draw, and the others placed block by block."""

import numpy as np
import pytest

from sgpmic_cli import SGPMIC, row_blocks
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.mapped_array import empty_array
from sgpmic_cli.model import estimator
from sgpmic_cli.model.scaling import check_spread, offset_and_scale
from sgpmic_cli.model.variational import placement

RNG = np.random.RandomState(0)
Y = RNG.randn(90, 3) + 6.0 * (np.arange(90) % 3)[:, None]
HOLES = np.where(RNG.random_sample(Y.shape) < 0.1, np.nan, Y)
HOLES[np.isnan(HOLES).all(axis=1)] = 0.0

pytestmark = pytest.mark.filterwarnings("ignore:90 rows are more than max_rows")


@pytest.fixture
def short_blocks(monkeypatch):
    monkeypatch.setattr(row_blocks, "ROWS", 16)
    monkeypatch.setattr(placement, "BLOCK", 8)


def fitted(X, **settings):
    return SGPMIC(3, max_iter=3, max_rows=40, random_state=0, **settings).fit(X)


@pytest.mark.parametrize("X", [Y, HOLES], ids=["whole", "holes"])
@pytest.mark.parametrize("scale", ["standard", "global", "none"])
def test_scales_of_blocks_are_those_of_all_rows(short_blocks, X, scale):
    offset, found = offset_and_scale(X, scale)
    assert np.allclose(offset, np.nanmean(X, axis=0))
    deviations = np.nanstd(X, axis=0, ddof=int(X is Y))
    wanted = {"standard": deviations, "global": np.sqrt(np.mean(deviations**2)), "none": 1.0}[scale]
    assert np.allclose(found, wanted)


def test_what_is_wrong_with_a_row_of_a_later_block_is_told_with_its_place(short_blocks):
    X = Y.copy()
    X[70] = np.nan
    with pytest.raises(ValueError, match="Nothing was seen of row 71"):
        check_spread(X)
    model = fitted(Y)
    with pytest.raises(ValueError, match="Row 78 is too far"):
        model.predict(np.where(np.arange(90)[:, None] == 77, 1e300, Y))


@pytest.mark.parametrize("X", [Y, HOLES], ids=["whole", "holes"])
def test_blocks_do_not_change_the_outcome(short_blocks, monkeypatch, X):
    in_blocks = fitted(X)
    monkeypatch.setattr(row_blocks, "ROWS", 1 << 16)
    at_once = fitted(X)
    assert np.array_equal(in_blocks.labels_, at_once.labels_)
    assert np.allclose(in_blocks.responsibilities_, at_once.responsibilities_)
    assert np.allclose(in_blocks.embedding_, at_once.embedding_, atol=1e-6)
    assert len(in_blocks.labels_) == 90
    assert np.array_equal(in_blocks.predict_proba(X), in_blocks.responsibilities_)


def test_the_draw_does_not_depend_on_the_order_of_rows():
    shuffled = np.random.RandomState(1).permutation(90)
    one, other = fitted(Y), fitted(Y[shuffled])
    assert np.array_equal(one.labels_[shuffled], other.labels_)


def test_a_file_that_is_mapped_is_fitted_to_and_left_alone(tmp_path):
    np.save(tmp_path / "t.npy", Y)
    before = (tmp_path / "t.npy").read_bytes()
    mapped = np.load(tmp_path / "t.npy", mmap_mode="r")
    assert np.array_equal(fitted(mapped).responsibilities_, fitted(Y).responsibilities_)
    assert (tmp_path / "t.npy").read_bytes() == before


def test_what_belongs_to_every_row_lies_in_files_when_told(short_blocks, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        estimator,
        "empty_array",
        lambda shape, folder: asked.append((shape, folder)) or empty_array(shape, folder),
    )
    told, usual = fitted(HOLES, temp_folder=tmp_path), fitted(HOLES)
    shapes = [(90, 3), (90, 3), (90, 2), (90, 2)]
    assert asked == [(shape, folder) for folder in (tmp_path, None) for shape in shapes]
    for name in ("responsibilities_", "votes_", "embedding_", "embedding_variances_"):
        assert np.array_equal(getattr(told, name), getattr(usual, name)), name
    assert type(told.labels_) is np.ndarray
    told.save(tmp_path / "m.npz")
    assert np.array_equal(SGPMIC.load(tmp_path / "m.npz").embedding_, usual.embedding_)
    with pytest.raises(ValueError, match="temp_folder must be None or an existing folder"):
        fitted(Y, temp_folder=tmp_path / "m.npz")


@pytest.mark.filterwarnings("ignore:clusters 0 and 1")
def test_votes_are_those_of_the_drawn_rows_and_shares_of_the_others():
    wrong = np.eye(3)[np.random.RandomState(5).randint(3, size=90)]
    model = fitted(Y, init=wrong)
    as_voted, as_placed = (
        (model.votes_ == found).all(axis=1) for found in (wrong, model.responsibilities_)
    )
    assert (as_voted | as_placed).all()
    assert (~as_placed).sum() > 10
    assert as_voted.sum() >= 40


def test_a_folder_without_room_is_told_before_the_fit(monkeypatch):
    def full(shape, folder):
        raise SgpmicError("no room")

    monkeypatch.setattr(estimator, "empty_array", full)
    monkeypatch.setattr(SGPMIC, "_fit_once", lambda *_: pytest.fail("the fit had begun"))
    with pytest.raises(SgpmicError, match="no room"):
        fitted(Y)


def test_whoever_listens_hears_of_the_rows_that_are_placed(short_blocks):
    rounds, placed = [], []

    class Listener:
        def __call__(self, number, bound, labels):
            rounds.append(number)

        def placed(self, done, rows):
            placed.append((done, rows))

    fitted(Y, callback=Listener())
    assert rounds == [1, 2, 3]
    assert placed == [(done, 90) for done in (16, 32, 48, 64, 80, 90)]
    fitted(Y, callback=lambda *heard: None)  # need not listen to them


def test_labels_to_begin_with_are_those_of_all_rows():
    assert len(fitted(Y, init=np.arange(90) % 3).labels_) == 90
    with pytest.raises(ValueError, match="one entry for each of the 90 rows"):
        fitted(Y, init=np.arange(40) % 3)


@pytest.mark.parametrize(
    "X", [np.repeat(Y[:2], 2000, axis=0), np.repeat(HOLES, 20, axis=0)], ids=["two", "holes"]
)
def test_numbers_to_choose_from_end_at_fifteen_and_at_the_distinct_rows(X):
    assert SGPMIC()._numbers(X) == list(range(1, 3 if len(X) == 4000 else 16))


def test_a_model_that_is_to_predict_leaves_the_placed_rows_in_its_file(tmp_path):
    model = fitted(HOLES)
    model.save(tmp_path / "m.npz")
    whole, light = SGPMIC.load(tmp_path / "m.npz"), SGPMIC.load_to_predict(tmp_path / "m.npz")
    assert (len(whole.labels_), len(light.labels_)) == (90, 40)
    assert np.array_equal(light.predict_proba(HOLES + 0.1), whole.predict_proba(HOLES + 0.1))
