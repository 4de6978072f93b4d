import numpy as np
import pytest

from sgpmic_cli import scaling

Y = np.random.RandomState(0).randn(90, 3) * [1.0, 5.0, 0.1] + [0.0, 8.0, 1e5]
ONE_GAP = np.where(np.arange(270).reshape(90, 3) == 100, np.nan, Y)


@pytest.mark.parametrize("X", [Y, ONE_GAP], ids=["complete", "one missing value"])
@pytest.mark.parametrize("scale", ["standard", "global", "none"])
@pytest.mark.parametrize("center", [True, False])
def test_scales_are_sample_deviations_with_and_without_missing_values(
    monkeypatch, X, scale, center
):
    monkeypatch.setattr("sgpmic_cli.row_blocks.ROWS", 16)
    offset, found = scaling.offset_and_scale(X, scale, center=center)
    np.testing.assert_allclose(offset, np.nanmean(X, axis=0) if center else np.zeros(3))
    deviations = np.nanstd(X, axis=0, ddof=1)
    wanted = {"standard": deviations, "global": np.sqrt(np.mean(deviations**2)), "none": 1.0}
    np.testing.assert_allclose(found, np.broadcast_to(wanted[scale], 3), rtol=1e-9)


def test_numbers_beside_categories_may_have_a_negative_mean():
    X = np.column_stack([-Y[:, 1], np.arange(90) % 2])
    with np.errstate(invalid="raise"):
        _, found = scaling.offset_and_scale(X, "standard", np.array([0, 2]))
    np.testing.assert_allclose(found, X.std(axis=0, ddof=1) * [1, np.sqrt(2)])


def test_cubes_order_rows_of_equal_length():
    rows = np.array([[5.0, 0.0], [3.0, 4.0], [-3.0, 4.0], [0.0, -5.0], [1.0, 1.0]])
    order = [4, 3, 2, 1, 0]
    for X in (rows, rows[:, ::-1]):
        assert scaling.canonical_order([X[:2], X[2:]]).tolist() == order
    assert scaling.canonical_order([rows[order]]).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("far", [1e9, -1e9])
def test_rows_far_beyond_the_range_of_the_others_are_gross_outliers(far):
    X = np.where(np.arange(270).reshape(90, 3) == 100, far, Y)
    assert np.flatnonzero(scaling.gross_outliers(X)).tolist() == [33]
    assert np.flatnonzero(scaling.gross_outliers(np.r_[X, ONE_GAP[:5]])).tolist() == [33]
    assert not scaling.gross_outliers(Y).any()
    assert not scaling.gross_outliers(np.random.RandomState(0).standard_t(3, (400, 5))).any()


def test_a_last_row_of_totals_is_a_gross_outlier_and_a_chance_sum_is_none():
    flags, counts = (Y[:40] > [0.0, 8.0, 1e5])[:, :1], np.round(Y[:40, :2])
    X = np.hstack([flags, counts])
    totals = np.r_[0.0, counts.sum(axis=0)]  # a missing flag is no total
    for last in (totals, np.where([True, False, False], np.nan, totals)):
        found = scaling.gross_outliers(np.r_[X, [last]])
        assert np.flatnonzero(found).tolist() == [40]
    assert not scaling.ends_with_totals(np.r_[X, [totals + np.eye(3)[2]]])
    assert not scaling.ends_with_totals(np.array([[1.0], [2.0], [3.0]]))
    assert not scaling.ends_with_totals(np.array([0.0, 1.0, -1.0, 3.0, 2.0, -3.0, 2.0])[:, None])


def test_codes_of_many_rows_and_rare_values_are_no_gross_outliers():
    codes = np.where(np.arange(90)[:, None] < 3, -999.0, Y)
    assert not scaling.gross_outliers(codes).any()
    flags = np.zeros((90, 1))
    flags[7] = 1.0
    assert not scaling.gross_outliers(flags).any()
    assert not scaling.gross_outliers(np.r_[Y[:8], [[1e9] * 3]]).any()
