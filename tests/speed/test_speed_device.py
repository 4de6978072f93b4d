"""The comparison of a device with one core measures what it says and judges only that."""

import pytest

torch = pytest.importorskip("torch")

from sgpmic_cli.speed import device  # noqa: E402

CPU = torch.device("cpu")


@pytest.mark.parametrize("setting", ["default"])
def test_a_case_gives_both_times_and_how_far_the_results_are_apart(setting):
    found = device.at_case(device.Case(setting, 1500, 8, True), CPU)
    assert found["n"] == 1500
    assert found["times_faster"] == found["core_ms"] / found["ms"]
    assert found["bound_difference"] < 1e-8
    assert found["gradient_difference"] < 1e-5


def test_ten_rounds_climb():
    for setting in ("default",):
        bounds = device.ten_rounds(setting, 1500, CPU)["bounds"]
        assert len(bounds) > 10
        assert bounds[-1] > bounds[0]


@pytest.mark.parametrize("setting", ["default"])
def test_rounding_is_told_beside_that_of_another_order_of_rows(setting):
    found = device.rounding_in_rounds(setting, 600, CPU)
    for way in ("device", "order"):
        assert found[way]["labels"] <= 6
        assert 0.0 < found[way]["bounds"] < 1e-2


def test_promises_are_judged_by_what_was_measured():
    document = {
        "evaluations": [
            {"ms": 20.0, "core_ms": 3000.0, "bound_difference": 1e-12},
            {"ms": 5.0, "bound_difference": 1e-9},
        ],
        "rounds": [{"seconds": 40.0}],
        "labels": [{"differ": 0}, {"differ": 2}],
        "gpytorch": "1.15.2",
        "gpytorch_passes": [{"ms": 200.0}, {"ms": 50.0}],
    }
    measured = device.promises(document)
    assert measured["bound: relative difference from NumPy's"] == 1e-9
    assert measured["labels of whole fits that differ from NumPy's"] == 2
    assert measured["a pass over the rows: time over that of GPyTorch's fastest"] == 0.4
    assert set(measured) == set(device.LIMITS)
    assert not any("GPyTorch" in name for name in device.promises({**document, "gpytorch": None}))
