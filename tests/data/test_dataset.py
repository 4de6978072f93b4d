import numpy as np
import pytest

from sgpmic_cli.data import Rows


def small() -> Rows:
    return Rows.from_classes(
        "small", np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), ["b", "a", "b"], ["x", "y", "z"]
    )


def test_values_are_a_read_only_copy_in_c_order():
    source = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    dataset = Rows.from_classes("copy", source, None, ["a", "b", "c"])
    source[0, 0] = 99
    assert dataset.Y[0, 0] == 0
    assert dataset.Y.dtype == np.float64
    assert dataset.Y.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        dataset.Y[0, 0] = 1


def test_classes_are_numbered_in_the_order_of_their_names():
    assert small().class_names == ("a", "b")
    assert small().labels.tolist() == [1, 0, 1]
    numbers = Rows.from_classes("numbers", np.zeros((3, 2)), ["10", "9", "1"], ["x", "y"])
    assert numbers.class_names == ("1", "9", "10")


def test_hash_covers_values_labels_and_shape_but_not_names():
    base = small()

    def sha256(Y=base.Y, labels=base.labels):
        return Rows("other", Y, labels, ("p", "q"), ("u", "v", "w")).sha256

    assert sha256() == base.sha256
    changed = base.Y.copy()
    changed[1, 1] = np.nextafter(5.0, 6.0)
    others = {sha256(changed), sha256(labels=1 - base.labels), sha256(labels=None)}
    assert len(others | {base.sha256}) == 4
    assert sha256(np.zeros((2, 3)), None) != sha256(np.zeros((3, 2)), None)
    assert sha256(np.zeros((2, 3)), None) == sha256(-np.zeros((2, 3)), None)
