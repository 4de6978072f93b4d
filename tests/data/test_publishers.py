import io

import numpy as np
import pytest
from scipy.io import savemat

from sgpmic_cli.data.originals import PARSERS


@pytest.mark.parametrize(
    ("parser", "text"),
    [
        ("class-last", "1.5,2,a\n3,.4,b\n\n"),
        ("class-first", "a,1.5,2\nb,3,.4\n"),
        ("id-class-first", "77,a,1.5,2\n78,b,3,.4\n"),
        ("id-first-class-last", "77,1.5,2,a\n79,?,2,a\n78,3,.4,b\n"),
        ("spaces-class-last", " 1.5  2 a\n3 .4 b \n"),
    ],
)
def test_each_layout_gives_the_same_rows(parser, text):
    Y, classes = PARSERS[parser](text.encode())
    assert Y.tolist() == [[1.5, 2.0], [3.0, 0.4]]
    assert classes == ["a", "b"]


def test_matlab_bytes_become_floats():
    file = io.BytesIO()
    savemat(
        file,
        {
            "fea": np.array([[0, 255], [7, 8]], dtype=np.uint8),
            "gnd": np.array([[2], [1]], dtype=np.uint8),
        },
    )
    Y, classes = PARSERS["matlab"](file.getvalue())
    assert Y.dtype == np.float64
    assert Y.tolist() == [[0, 255], [7, 8]]
    assert classes == ["2", "1"]
