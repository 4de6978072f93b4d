"""A command writes into a folder that is new, empty or its own, and replaces only its own files."""

import pytest
from command_checks import snapshot

from sgpmic_cli.files.output_folder import MARKER, Marker

FIT = "fit my.csv --label kind --clusters 2 --force"
BENCHMARK = "benchmark --dataset my.csv --label kind --methods pca-fcm"
SWEEP = "sweep-clusters --dataset my.csv --label kind"
NOT_OURS = "did not write, such as"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *((FIT, name) for name in ("model.npz", "unrelated.txt", "labels.csv/", f"{MARKER}/")),
        (BENCHMARK, "table.csv"),
        (f"{BENCHMARK} --force", "manifest.json"),
        (SWEEP, "sweep.csv"),
        ("table1", "table1.csv"),
        ("plot figure1", "figure1.png"),
    ],
)
def test_files_of_the_user_and_of_another_command_are_kept(folder, refused, command, name):
    arguments = [*command.split(), "--out", "d"]
    if name.endswith("/"):
        (folder / "d" / name).mkdir(parents=True)
    else:
        (folder / "d").mkdir()
        (folder / "d" / name).write_text("the user's")
    refused(arguments, 2, NOT_OURS)
    if not name.startswith(MARKER):
        Marker("predict", frozenset({name.rstrip("/")})).write(folder / "d")
        refused(arguments, 2, "contains the results of `sgpmic predict`")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (FIT.replace("my.csv", "link.csv"), "labels.csv"),
        (BENCHMARK.replace("my.csv", "[l-t]*.csv"), "table.csv"),
        (BENCHMARK.replace("my.csv", "iris,table.csv"), "table.csv"),
        (SWEEP.replace("my.csv", "link.csv"), "sweep.csv"),
    ],
)
def test_an_own_file_that_is_read_is_not_replaced(folder, refused, command, name):
    Marker(command.partition(" ")[0], frozenset({name})).write(folder)
    (folder / name).write_text((folder / "my.csv").read_text())
    (folder / "link.csv").symlink_to(name)
    words = f"the results would replace '{name}', which is read here"
    refused([*command.split(), "--out", "."], 2, words)


@pytest.mark.slow
def test_standard_input_is_not_replaced(folder, shell):
    (folder / "labels.csv").write_text((folder / "my.csv").read_text())
    Marker("fit", frozenset({"labels.csv"})).write(folder)
    before = snapshot(folder)
    with (folder / "labels.csv").open() as stream:
        process = shell(*FIT.replace("my.csv", "-").split(), "--out", ".", stdin=stream)
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, snapshot(folder)) == (2, before)
    assert "would replace 'labels.csv'" in stderr
