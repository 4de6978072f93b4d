from functools import partial
from pathlib import Path

import numpy as np
import pytest
from joblib import Memory

from sgpmic_cli.files import array_cache
from sgpmic_cli.files.array_cache import kept, remembered

Y = np.arange(6.0).reshape(3, 2)
MODULE = "sgpmic_cli.paper.fcm"


def made(value):
    return lambda: {"X": np.array([value])}


@pytest.mark.parametrize("kind", [Path, partial(Memory, verbose=0)], ids=["folder", "joblib"])
def test_cache_key_has_data_settings_and_code(tmp_path, monkeypatch, kind):
    memory = kind(tmp_path)
    assert remembered(memory, MODULE, "a", Y, made(1))["X"] == 1
    assert remembered(memory, MODULE, "a", Y.copy(), made(2))["X"] == 1
    assert remembered(memory, MODULE, "b", Y, made(3))["X"] == 3
    assert remembered(memory, MODULE, "a", Y + 1, made(4))["X"] == 4
    assert remembered(memory, MODULE, "a", Y.reshape(2, 3), made(5))["X"] == 5
    monkeypatch.setattr(array_cache, "code_version", lambda module: "another")
    assert remembered(memory, MODULE, "a", Y, made(7))["X"] == 7


@pytest.mark.parametrize("damage", ["cut", "flipped", "an array alone"])
def test_damaged_file_is_computed_again(tmp_path, damage):
    remembered(tmp_path, MODULE, "a", Y, made(1))
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    if damage == "an array alone":
        with file.open("wb") as stream:
            np.save(stream, np.zeros(3))
    else:
        file.write_bytes(content[:100] if damage == "cut" else content.replace(b"NUMPY", b"numpy"))
    assert remembered(tmp_path, MODULE, "a", Y, made(2))["X"] == 2
    assert remembered(tmp_path, MODULE, "a", Y, made(3))["X"] == 2
    assert list(tmp_path.iterdir()) == [file]


def test_unwritable_folder_does_not_lose_the_result(tmp_path):
    in_the_way = tmp_path / "memory"
    in_the_way.write_text("a file")
    assert remembered(in_the_way, MODULE, "a", Y, made(1))["X"] == 1
    assert in_the_way.read_text() == "a file"
    assert kept(Path("/dev/zero"), made(2))["X"] == 2
