"""Names of data, files and methods are drawn, printed and tabulated as plain text."""

import warnings

import pytest
from command_line import sgpmic

from sgpmic_cli.benchmark.render.formats import markdown_table
from sgpmic_cli.commands.output import Output
from sgpmic_cli.commands.terminal_tables import facts, table
from sgpmic_cli.figure_style import NO_GLYPH, as_drawn, canvas
from sgpmic_cli.safe_text import for_markdown, for_terminal, printable, shortened, without_login

NAMES = [r"$\frac{x", "US$ 1_$2", "$", "$$", r"\$", r"$x^{2}$", "_hidden", "__", "שלום עולם"]
NAMES += ["مرحبا", "🙂", "漢字", "a\nb", "\x1b[31mred", "\0", "\u202eevil", "%s %d {}", "\\"]
NAMES += ["{x}", "^_^", "&amp;<b>", "x" * 10_000, " ", "e\u0301", "\udce9"]
QUICK = "--label kind --clusters 2 --iterations 1 --inducing 5"


@pytest.mark.parametrize("name", NAMES)
def test_names_are_drawn_as_text(tmp_path, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "the installed fonts lack")
        with canvas(tmp_path / "figure") as figure:
            axes = figure.subplots()
            axes.plot([0, 1], label=as_drawn(name))
            axes.set_title(as_drawn(name))
            shown = axes.legend().get_texts()
    assert len(shown) == 1  # not hidden
    assert (tmp_path / "figure.pdf").stat().st_size > 1000


@pytest.mark.parametrize(("fonts", "n_warnings"), [((), 1), (("DejaVu Sans Mono",), 0)])
def test_missing_letters_come_from_another_font_or_are_reported(
    tmp_path, monkeypatch, fonts, n_warnings
):
    monkeypatch.setattr("sgpmic_cli.figure_style.FALLBACK_FONTS", fonts)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with canvas(tmp_path / "figure") as figure:
            figure.suptitle("\u2336 and \u2337")  # DejaVu Sans lacks these
    assert [str(each.message) for each in caught] == [NO_GLYPH] * n_warnings


def test_warnings_are_notes_that_are_shown_once(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        Output(quiet=True)
        warnings.warn("hidden", stacklevel=1)
        Output()
        for _ in range(2):
            warnings.warn("\x1b[31mred", stacklevel=1)
    assert capsys.readouterr().err == "note: \\x1b[31mred\n"


@pytest.mark.parametrize("name", NAMES)
def test_names_do_not_control_the_terminal(name):
    assert all(each.isprintable() for each in for_terminal(name))
    assert len(for_terminal(name)) < 7000


@pytest.mark.parametrize(
    "name", ["a|b", "a\nb", "<script>", "`code`", "[x](y)", "*b*", "_i_", "\\", "a\\|b"]
)
def test_name_is_one_cell_of_a_markdown_table(name):
    table = markdown_table(["data set", "n"], [[for_markdown(name), "1"]])
    row = table.splitlines()[2]
    assert len(table.splitlines()) == 3
    cells = row.replace("\\\\", "").replace("\\|", "").split("|")
    assert len(cells) == 4
    for mark in "<`[*_":
        assert row.count(mark) == row.count("\\" + mark)


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("name", ["\x1b]0;title\x07", "\x9b31m", "\u202eevil", "\x00"])
def test_tables_and_documents_do_not_control_the_terminal(capsys, name, json):
    parts = [table([name], [[name]], title=name), facts({name: f"{name}\n{name}"}), name]
    Output(json).result({name: [name]}, parts)
    shown = capsys.readouterr().out
    assert all(each.isprintable() or each == "\n" for each in shown)
    assert len(shown) > 20


def test_harmless_text_is_unchanged():
    assert printable("Größe ± 3 µm\u00a0x") == "Größe ± 3 µm\u00a0x"
    assert shortened("short") == as_drawn("short") == "short"
    assert without_login("see http://a:b@host/x and mail@host") == "see http://host/x and mail@host"
    assert without_login("see http://host/x?y, is it there?") == "see http://host/x?… is it there?"


@pytest.mark.parametrize(
    "address", ["http://me:se@secret@host", "http://secret@host", "http://host/?key=secret"]
)
def test_secrets_in_addresses_are_hidden(address):
    assert "secret" not in for_terminal(f"'{address}' does not answer")
    assert "host" in for_terminal(address)


@pytest.mark.parametrize("variable", ["MPLBACKEND", "SOURCE_DATE_EPOCH"])
def test_invalid_environment_variables_do_not_matter(tmp_path, monkeypatch, variable):
    monkeypatch.setenv(variable, "nonsense")
    with canvas(tmp_path / "figure") as figure:
        figure.subplots()
    assert (tmp_path / "figure.pdf").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "out"), [(r"$\frac{x", "\udce9"), ("_hidden", "a\nb\x1b[31m"), ("🙂\x1b[31m", "$,<b>")]
)
def test_classes_and_output_folders_may_have_any_name(folder, name, out):
    rows = [f"{i % 2 * 10 + i % 5},{i % 3},{['plain', name][i % 2]}" for i in range(40)]
    (folder / "odd.csv").write_text("a,b,kind\n" + "\n".join(rows) + "\n")
    result = sgpmic(f"fit odd.csv {QUICK} --out", out)
    assert "could not be drawn" not in result.stderr
    assert (folder / out / "embedding.png").exists()
    page = (folder / out / "report.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "\x1b" not in page + result.output


@pytest.mark.parametrize(
    "name", ["a,b.csv", "a\nb.csv", "a|b.csv", "\x1b[31m.csv", "\udce9.csv", "$x.csv", "-.csv"]
)
def test_file_may_have_any_name(folder, name):
    (folder / name).write_text((folder / "my.csv").read_text())
    line = "benchmark --label kind --methods pca-fcm --repeats 1 --n-jobs 1 --out out --dataset"
    result = sgpmic(line, f"./{name}")
    assert "\x1b" not in result.output
    assert (folder / "out" / "table.md").read_text().count("\n| a") <= 2
