import numpy as np
import pytest

from sgpmic_cli.data import Dataset
from sgpmic_cli.errors import UsageError


def small() -> Dataset:
    return Dataset.from_classes(
        "small", np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), ["b", "a", "b"], ["x", "y", "z"]
    )


def test_values_are_a_read_only_copy_in_c_order():
    source = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    dataset = Dataset.from_classes("copy", source, None, ["a", "b", "c"])
    source[0, 0] = 99
    assert dataset.Y[0, 0] == 0
    assert dataset.Y.dtype == np.float64
    assert dataset.Y.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        dataset.Y[0, 0] = 1


def test_classes_are_numbered_in_the_order_of_their_names():
    assert small().class_names == ("a", "b")
    assert small().labels.tolist() == [1, 0, 1]
    numbers = Dataset.from_classes("numbers", np.zeros((3, 2)), ["10", "9", "1"], ["x", "y"])
    assert numbers.class_names == ("1", "9", "10")


def test_the_hash_stands_for_values_and_labels_and_nothing_else():
    base = small()
    renamed = Dataset("other", base.Y, base.labels, ("p", "q"), ("u", "v", "w"))
    assert renamed.sha256 == base.sha256
    changed = base.Y.copy()
    changed[1, 1] = np.nextafter(5.0, 6.0)
    assert (
        Dataset("small", changed, base.labels, base.class_names, base.feature_names).sha256
        != base.sha256
    )
    assert (
        Dataset("small", base.Y, 1 - base.labels, base.class_names, base.feature_names).sha256
        != base.sha256
    )
    assert Dataset("small", base.Y, None, (), base.feature_names).sha256 != base.sha256


def test_the_hash_tells_shapes_apart_but_not_the_two_zeros():
    names = ["a", "b", "c", "d"]
    wide = Dataset.from_classes("d", np.zeros((2, 4)), None, names)
    tall = Dataset.from_classes("d", np.zeros((4, 2)), None, names[:2])
    assert wide.sha256 != tall.sha256
    assert Dataset.from_classes("d", -np.zeros((2, 4)), None, names).sha256 == wide.sha256


def test_without_drops_columns_and_changes_the_hash():
    dropped = small().without(["y"])
    assert dropped.feature_names == ("x", "z")
    assert dropped.Y.tolist() == [[1, 3], [4, 6], [7, 9]]
    assert dropped.labels.tolist() == [1, 0, 1]
    assert dropped.sha256 != small().sha256
    assert small().without([]).sha256 == small().sha256


def test_without_columns_it_is_still_known_whether_names_were_made_up():
    nameless = Dataset.from_classes(
        "bare", np.zeros((2, 3)), None, ["a", "b", "c"], names_made_up=True, ids=("p", "q")
    )
    assert nameless.without(["b"]).names_made_up
    assert nameless.without(["b"]).ids == ("p", "q")
    assert not small().without(["y"]).names_made_up


def test_without_an_unknown_column():
    dataset = Dataset.from_classes("wine", np.zeros((2, 2)), None, ["hue", "proline"])
    with pytest.raises(UsageError, match=r"wine has no column 'prolin'.*did you mean 'proline'"):
        dataset.without(["prolin"])
