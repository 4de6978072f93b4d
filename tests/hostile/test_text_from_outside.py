"""Names of data, files and methods are drawn, printed and tabulated as plain text."""

import warnings

import pytest

from sgpmic_cli.benchmark.tables import markdown_table
from sgpmic_cli.commands.output import Output, facts, rich_table
from sgpmic_cli.style import NO_GLYPH, as_drawn, canvas
from sgpmic_cli.text import for_terminal

NAMES = [r"$\frac{x", "US$ 1_$2", "$", "$$", r"\$", r"$x^{2}$", "_hidden", "__", "שלום עולם"]
NAMES += ["🙂", "漢字", "a\nb", "\x1b[31mred", "\0", "\u202eevil", "%s %d {}", "\\", "\x9b31m"]
NAMES += ["^_^", "&amp;<b>", "x" * 10_000, " ", "e\u0301", "\udce9", "a|b", "`c`", "[x](y)", "*b*"]


def test_names_are_drawn_as_text(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "the installed fonts lack")
        with canvas(tmp_path / "figure", height=8) as figure:
            axes = figure.subplots()
            for name in NAMES:
                axes.plot([0, 1], label=as_drawn(name))
            shown = axes.legend().get_texts()
    assert len(shown) == len(NAMES)  # none is hidden


@pytest.mark.parametrize(("fonts", "n_warnings"), [((), 1), (("DejaVu Sans Mono",), 0)])
def test_missing_letters_come_from_another_font_or_are_reported(
    tmp_path, monkeypatch, fonts, n_warnings
):
    monkeypatch.setattr("sgpmic_cli.style.FALLBACK_FONTS", fonts)
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
def test_names_do_not_control_terminals_and_tables(capsys, name):
    assert all(each.isprintable() for each in for_terminal(name))
    assert len(for_terminal(name)) < 7000
    rows = markdown_table(["data set", "n"], [[name, "1"]]).splitlines()
    assert len(rows) == 3
    assert len(rows[2].replace("\\\\", "").replace("\\|", "").split("|")) == 4
    for json in (False, True):
        parts = [rich_table([name], [[name]], title=name), facts({name: f"{name}\n{name}"}), name]
        Output(json).result({name: [name]}, parts)
        shown = capsys.readouterr().out
        assert all(each.isprintable() or each == "\n" for each in shown)
        assert len(shown) > 10
