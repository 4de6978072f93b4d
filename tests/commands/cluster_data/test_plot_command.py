import re

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["plot", *arguments])


def test_png_and_pdf_in_the_usual_folder(run, tmp_path):
    done = run("figure1")
    assert (done.exit_code, done.stdout) == (0, "sgpmic-out/figures/figure1.png\n")
    assert re.fullmatch(r"1 figure in sgpmic-out/figures; \d+ s\n", done.stderr)
    assert {path.name for path in (tmp_path / "sgpmic-out/figures").iterdir()} == {
        "figure1.png",
        "figure1.pdf",
    }


def test_a_figure_that_cannot_be_drawn_does_not_keep_back_the_others(run, tmp_path):
    done = run("figure7", "figure1", "--out", "here")
    assert done.exit_code == 2
    assert done.stdout == "here/figure1.png\n"
    assert done.stderr.startswith(
        "sgpmic: there is no 'results/sweep-clusters/sweep.csv' to draw: run"
    )
    assert done.stderr.count("\n") == 1
    assert {path.name for path in (tmp_path / "here").iterdir()} == {"figure1.png", "figure1.pdf"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["figure9"], "sgpmic: unknown figure 'figure9' (did you mean"),
        (["figure2", "--repeats", "0"], "sgpmic: --repeats 0 leaves nothing to run"),
        (["figure2", "--n-jobs", "0"], "sgpmic: --n-jobs 0 means no process at all"),
        (["embedding"], "sgpmic: this figure needs a data set"),
        (
            ["embedding", "--data", "irs"],
            "sgpmic: there is no data set 'irs' (did you mean 'iris'?)",
        ),
    ],
)
def test_a_wrong_argument_is_one_sentence_and_leaves_nothing(run, tmp_path, arguments, sentence):
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_fit_of_ones_own_data(run, tmp_path):
    rows = "".join(f"{i % 7},{i % 5 + 10 * (i % 2)},{'xy'[i % 2]}\n" for i in range(40))
    (tmp_path / "mine.csv").write_text("a,b,kind\n" + rows)
    done = run("convergence", "--data", "mine.csv", "--label", "kind", "--out", "here")
    assert done.exit_code == 0
    assert (tmp_path / "here" / "convergence.png").stat().st_size > 5000
