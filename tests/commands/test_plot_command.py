import re

from command_line import sgpmic


def names(folder):
    return {path.name for path in folder.glob("[!.]*")}


def test_png_and_pdf_in_the_default_folder(here):
    result = sgpmic("plot figure1")
    assert result.stdout == "sgpmic-out/figures/figure1.png\n"
    assert re.fullmatch(r"1 figure in sgpmic-out/figures; \d+ s\n", result.stderr)
    assert names(here / "sgpmic-out/figures") == {"figure1.png", "figure1.pdf"}


def test_the_other_figures_are_drawn_after_an_error(here):
    result = sgpmic("plot figure7 figure1 --out here", code=2)
    assert result.stdout == "here/figure1.png\n"
    assert "'results/sweep-clusters/sweep.csv'" in result.stderr
    assert result.stderr.count("\n") == 1
    assert names(here / "here") == {"figure1.png", "figure1.pdf"}


def test_a_figure_of_a_csv_file(here):
    rows = "".join(f"{i % 7},{i % 5 + 10 * (i % 2)},{'xy'[i % 2]}\n" for i in range(40))
    (here / "mine.csv").write_text("a,b,kind\n" + rows)
    sgpmic("plot convergence --data mine.csv --label kind --out here")
    assert (here / "here" / "convergence.png").stat().st_size > 5000
