"""Scores as a chart, CSV and LaTeX: the same numbers everywhere, and nothing of a name that is obeyed."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deixis._studio._result_tables import Cell
from deixis._studio.score_tables import (
    MAX_CHARTED,
    PublishedModel,
    PublishedScores,
    ScoreColumn,
    ScoreTable,
    as_latex,
    as_score_csv,
    chart_of,
    latex_text,
)


PDFLATEX = shutil.which("pdflatex")
SOURCE = "A & B (2021), ‘50 % of it’"
PUBLISHED = PublishedScores(
    source=SOURCE, note="Of their data.", models=(PublishedModel("M-LSTM", frozenset({"mlstm"}), {"a1": 0.5}),)
)


def table_of(names: list[str], parts: tuple[str, ...] = ("test", "a1")) -> ScoreTable:
    """A table of models with the score of their place in every part, and one published column."""
    own = [
        ScoreColumn(name, {part: Cell(10.0 * k, 9.0 * k, 11.0 * k, 50) for part in parts})
        for k, name in enumerate(names)
    ]
    beside = ScoreColumn("M-LSTM", {"a1": Cell(50.0, 50.0, 50.0, 0)}, SOURCE)
    return ScoreTable(
        name="on-data", data="data", measure="exact match", part="split", parts=parts, columns=(*own, beside)
    )


def rows_in(latex: str) -> list[str]:
    """The lines of the body of a table."""
    return re.findall(r"^  (.*) \\\\$", latex, re.MULTILINE)


def cells_in(row: str) -> list[str]:
    """The cells of a line: what stands between ampersands that are not escaped."""
    return re.split(r"(?<!\\)&", row)


def test_every_score_stands_in_the_csv():
    """A line for each, with its interval, how many examples it is of, and where it is from."""
    said = as_score_csv(table_of(["one", "two"]))

    rows = list(csv.DictReader(io.StringIO(said.removeprefix("\ufeff"))))

    assert said[0] == "\ufeff"
    assert [(row["split"], row["column"], row["percent"]) for row in rows] == [
        ("test", "one", "0.0"),
        ("test", "two", "10.0"),
        ("a1", "one", "0.0"),
        ("a1", "two", "10.0"),
        ("a1", "M-LSTM", "50.0"),
    ]
    assert (rows[1]["low"], rows[1]["high"], rows[1]["examples"], rows[1]["source"]) == ("9.0", "11.0", "50", "ours")
    assert (rows[-1]["low"], rows[-1]["examples"], rows[-1]["source"]) == ("", "", SOURCE)


@given(st.text(max_size=40))
@example("\r")
@example("=1+1\r\n@")
def test_no_name_is_a_formula_in_a_spreadsheet(name):
    """Whatever a model, a dataset or a split is called, the table has its rows, and no cell begins as formulas do."""
    table = ScoreTable(
        name="x",
        data=name,
        measure=name,
        part=name,
        parts=(name,),
        columns=(ScoreColumn(name, {name: Cell(1.0, 0.0, 2.0, 3)}),),
    )

    rows = list(csv.reader(io.StringIO(as_score_csv(table).removeprefix("\ufeff"), newline="")))

    assert [len(row) for row in rows] == [9, 9]
    assert not any(cell[:1] in {"=", "+", "-", "@", "\t", "\r"} for row in rows for cell in row)


def test_the_best_of_a_row_is_bold_and_published_scores_stand_apart():
    """Rules of booktabs, groups over the columns, and the source in the caption."""
    latex = as_latex(table_of(["one", "two"]))

    assert latex.index("\\toprule") < latex.index("\\midrule") < latex.index("\\bottomrule")
    assert "\\multicolumn{2}{c}{measured here} & \\multicolumn{1}{c}{published}" in latex
    assert "\\cmidrule(lr){2-3} \\cmidrule(lr){4-4}" in latex
    assert "test & 0.0 & \\textbf{10.0} {\\scriptsize [9.0, 11.0]} & -- \\\\" in latex
    assert "Published: A \\& B (2021), `50 \\% of it'." in latex
    assert "|" not in latex


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4), st.text(min_size=1, max_size=20))
def test_no_name_is_obeyed_by_latex(names, part):
    """All rows have as many cells as the table has columns, braces are balanced, and no command is a name's own."""
    latex = as_latex(table_of(names, (part, "a1")))

    width = len(names) + 2
    preamble = re.search(r"\\begin\{tabular\}\{l(r+)\}", latex)
    assert preamble
    assert len(preamble[1]) == width - 1
    assert [len(cells_in(row)) for row in rows_in(latex)[1:]] == [width] * 3
    bare = re.sub(r"\\[\\{}&%$#_]", "", latex.split("\n", 1)[1])
    assert bare.count("{") == bare.count("}")
    assert "%" not in bare
    assert bare.count("$") % 2 == 0
    assert "\\input" not in bare
    assert "\\write" not in bare


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("100 % & #1_a", "100 \\% \\& \\#1\\_a"),
        ("\\input{/etc/passwd}", "\\textbackslash{}input\\{/etc/passwd\\}"),
        ("a^b~c", "a\\textasciicircum{}b\\textasciitilde{}c"),
        ("Müller’s “β”\n", "Müller's ``?''"),
    ],
)
def test_text_is_set_as_it_is_written(said, shown):
    """What is special to LaTeX is escaped; what its fonts lack is a question mark."""
    assert latex_text(said) == shown


@pytest.mark.skipif(PDFLATEX is None, reason="needs pdflatex")
def test_the_table_compiles(tmp_path):
    """With an article around it, and names that are hostile to it."""
    table = as_latex(table_of(["a_b & c%", "\\end{table}", "{", 'Ünal <x> "q"']))
    whole = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{table}\n\\end{{document}}\n"
    (tmp_path / "a.tex").write_text(whole, encoding="utf-8")

    asked = [str(PDFLATEX), "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(asked, cwd=tmp_path, check=False)

    assert done.returncode == 0


def test_the_chart_has_the_scores_and_the_published_ones_of_the_same_models():
    """Rows are parts; a model of ours with a published name has its published scores beside it."""
    drawn = chart_of(table_of(["m_lstm", "other"]), PUBLISHED)
    assert drawn
    assert drawn.labels == ("test", "a1")
    assert [one.label for one in drawn.series] == ["m_lstm", "other", "M-LSTM, published"]
    assert drawn.values_of("other") == (0.1, 0.1)
    assert drawn.series[1].intervals == ((0.09, 0.11), (0.09, 0.11))
    assert drawn.values_of("M-LSTM, published") == (None, 0.5)

    without = chart_of(table_of(["other"]), PUBLISHED)
    assert without
    assert [one.label for one in without.series] == ["other"]


def test_of_a_single_part_the_rows_of_the_chart_are_models():
    """So that one split of many models is read from top to bottom."""
    drawn = chart_of(table_of(["one", "two"], ("test",)))

    assert drawn
    assert drawn.labels == ("one", "two")
    assert len(drawn.series) == 1


def test_more_models_than_can_be_told_apart_are_left_to_the_table():
    """And the caption says so."""
    drawn = chart_of(table_of([f"model {k}" for k in range(MAX_CHARTED + 3)]))

    assert drawn
    assert len(drawn.series) == MAX_CHARTED
    assert f"The first {MAX_CHARTED} of {MAX_CHARTED + 3}" in drawn.caption


def test_nothing_to_show_is_no_chart():
    """Published scores alone are none of ours."""
    assert chart_of(table_of([])) is None
