"""Tables and lists of HTML as lines."""

from __future__ import annotations

import pytest

from webordinary.text.html import html_to_text


def cells(*rows: str) -> str:
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (cells("<th>Day</th><th>Open</th>", "<td>Mon</td><td>8-12</td>"), "Day | Open\nMon | 8-12"),
        (cells("<td><p>Mon</p></td><td><p>8-12</p><p>14-18</p></td>"), "Mon | 8-12 / 14-18"),
        (cells("<td>Mon</td><td></td><td>x</td>", "<td>Tue</td><td>8</td><td></td>"), "Mon |  | x\nTue | 8 |"),
        (cells("<td>Mon</td><td>&nbsp;</td>", "<td>Tue</td><td>8</td>"), "Mon |\nTue | 8"),
        (cells("<td width=10></td><td>Hello</td><td></td>", "<td></td><td>you</td>"), "Hello\nyou"),
        (cells("<td colspan=2>Bread</td>", "<td>Rye</td><td>3</td>"), "Bread |\nRye | 3"),
        (cells("<td rowspan=2>Rye</td><td>500 g</td>", "<td>1 kg</td>"), "Rye | 500 g\n | 1 kg"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a | b\nc | d"),
        ("<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>", "a | b"),
        (cells("<td>" + cells("<td>a</td><td>1</td>", "<td>b</td><td>2</td>") + "</td>"), "a | 1\nb | 2"),
        (cells("<td>Logo</td><td>" + cells("<td>a</td><td>1</td>") + "</td>"), "Logo\na | 1"),
        (cells("<td>One</td><td>" + "<p>line</p>" * 5 + "</td>"), "One" + "\n\nline" * 0 + "\nline" + "\n\nline" * 4),
        (cells('<td>Rye</td><td><s>3</s> <span style="color:red">4</span></td>'), "Rye | ~~3~~ [red: 4]"),
        ("Before" + cells("<td>a</td><td>b</td>") + "after", "Before\n\na | b\n\nafter"),
        ("<table><tr><td>never", "never"),
        ("</td></tr></table>text", "text"),
    ],
)
def test_tables_of_data_keep_their_rows(html: str, text: str) -> None:
    assert html_to_text(html) == text


def test_quoted_table_keeps_its_quote_marks() -> None:
    html = "<blockquote>Old" + cells("<td>a</td><td>b</td>", "<td>c</td><td>d</td>") + "</blockquote>New"
    assert html_to_text(html) == "> Old\n\n> a | b\n> c | d\n\nNew"


def test_deeply_nested_tables_keep_their_words() -> None:
    html = "<table><tr><td>" * 40 + "deep" + "</td></tr></table>" * 40 + "after"
    assert html_to_text(html).split() == ["deep", "after"]


def test_wide_tables_keep_their_words() -> None:
    html = cells("".join(f"<td rowspan=900>w{number}</td>" for number in range(200)), *["<td>x</td>"] * 50)
    assert set(html_to_text(html).replace("|", " ").split()) == {"x", *(f"w{number}" for number in range(200))}


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        ("<ol><li><p>a</p></li><li><div>b</div></li></ol>", "1. a\n\n2. b"),
        ('<ol start="4"><li>a</li><li>b</li></ol>', "4. a\n5. b"),
        ('<ol><li value="7">a</li><li>b</li></ol>', "7. a\n8. b"),
        ('<ol type="a"><li>a</li><li>b</li></ol>', "a. a\nb. b"),
        ('<ol type="I"><li>a</li><li>b</li></ol>', "I. a\nII. b"),
        ("<ol><li>a<ul><li>x</li><li>y</li></ul></li><li>b</li></ol>", "1. a\n  - x\n  - y\n2. b"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ul><li> a</li></ul>", "- a"),
        ("<ol><li>a</li></ol><ol><li>b</li></ol>", "1. a\n\n1. b"),
        (
            '<p class="MsoListParagraph"><![if !supportLists]>3.<span>&nbsp;&nbsp; </span><![endif]>Soup</p>',
            "3.   Soup",
        ),
    ],
)
def test_lists_keep_their_numbers(html: str, text: str) -> None:
    assert html_to_text(html) == text


def test_indented_text_is_no_quote() -> None:
    assert html_to_text('<blockquote style="margin:0 0 0 40px;border:none;padding:0">Soup</blockquote>') == "Soup"
