"""HTML to plain text."""

from __future__ import annotations

import pytest

from webordinary.text.html import html_to_text


def test_blocks_breaks_and_lists_become_lines() -> None:
    html = (
        "<p>Please:</p><ul><li>bread</li><li>butter</li></ul>One<br>two<div>three</div><div><br></div><div>four</div>"
    )
    assert html_to_text(html) == "Please:\n\n- bread\n- butter\n\nOne\ntwo\nthree\n\nfour"


def test_a_link_keeps_its_target() -> None:
    assert html_to_text('<a href="https://example.com/menu">the menu</a>') == "the menu <https://example.com/menu>"


def test_preformatted_text_keeps_its_spaces() -> None:
    assert html_to_text("<pre>a\n  b</pre>") == "a\n  b"


@pytest.mark.parametrize("value", ["pre", "pre-wrap", "PRE-LINE", "break-spaces"])
def test_white_space_property_keeps_line_breaks(value: str) -> None:
    html = f'<div style="white-space: {value}">one\n  two <b>and\n</b>a  half\r\n\n\nthree</div>four\nfive'
    assert html_to_text(html) == "one\ntwo and\na half\n\nthree\nfour five"


def test_element_inside_may_wrap_its_lines_again() -> None:
    html = (
        "<style>.kept {white-space: pre-wrap}</style><p class=kept>one\ntwo<i style='white-space:normal'> a\nb</i></p>"
    )
    assert html_to_text(html) == "one\ntwo a b"


def test_spaces_between_blocks_are_no_lines() -> None:
    html = '<div style="white-space:pre-wrap">\n<div>one</div>\n<div style="color:red">two\nthree</div>\n</div>'
    assert html_to_text(html) == "one\n[red: two]\n[red: three]"


def test_styles_scripts_and_comments_are_not_text() -> None:
    assert (
        html_to_text("<head><title>x</title></head><style>p{}</style><!-- <p>no</p> --><script>1<2</script>Yes")
        == "Yes"
    )


@pytest.mark.parametrize(
    ("html", "text"), [("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"), ("a <b", "a <b"), ("&lt;b&gt; &amp; c", "<b> & c")]
)
def test_text_with_angle_brackets_is_kept(html: str, text: str) -> None:
    assert html_to_text(html) == text


def test_a_closing_bracket_inside_an_attribute_does_not_end_the_tag() -> None:
    assert html_to_text('<p title="a > b">Yes</p>') == "Yes"
