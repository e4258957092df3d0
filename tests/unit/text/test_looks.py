"""What HTML shows besides its words: struck and coloured text, raised digits, pictures, and what it hides."""

from __future__ import annotations

import pytest

from webordinary.text.html import html_to_text
from webordinary.text.styles import colour_name

PREHEADER = "Open from nine"


@pytest.mark.parametrize(
    "html",
    [
        "Bread <s>2.10</s> 2.30",
        "Bread <del>2.10</del> 2.30",
        "Bread <strike>2.10</strike> 2.30",
        'Bread <span style="text-decoration: line-through">2.10</span> 2.30',
        'Bread <span style="text-decoration-line:line-through;color:inherit">2.10</span> 2.30',
        "<style>.gone {text-decoration: line-through}</style>Bread <b class='gone'>2.10</b> 2.30",
        "<head><style><!-- span.gone{text-decoration:line-through;} --></style></head>"
        '<p>Bread <span class="big gone">2.10</span> 2.30</p>',
        'Bread <s><span style="font-size:11pt">2.10</span></s> 2.30',
        "Bread <s>2.</s><s>10</s> 2.30",
    ],
)
def test_struck_text_is_marked(html: str) -> None:
    assert html_to_text(html) == "Bread ~~2.10~~ 2.30"


@pytest.mark.parametrize(
    "html",
    [
        '<span style="color:red">new</span>',
        '<font color="#FF0000">new</font>',
        '<span style="color: rgb(192, 0, 0);">new</span>',
        '<span style="color:rgba(200,10,10,.9)">new</span>',
        '<span style="color:hsl(0, 90%, 40%)">new</span>',
        '<b style="COLOR: #c00 !important">new</b>',
        "<style>span.neu { color: #d00000; }</style><span class=neu>new</span>",
        '<span style="color:red"><span style="font-weight:bold">ne</span></span><span style="color:red">w</span>',
        '<div style="color:red;display:inline">new</div>',
    ],
)
def test_coloured_text_is_marked(html: str) -> None:
    assert " ".join(html_to_text(f"The words {html} are").split()) == "The words [red: new] are"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("#0070C0", "blue"),
        ("#00B050", "green"),
        ("#7030A0", "purple"),
        ("#FFC000", "orange"),
        ("#ffff00", "yellow"),
        ("#ff00ff", "pink"),
        ("#833C0B", "brown"),
        ("navy", "blue"),
        ("#999", "grey"),
        ("#222222", "black"),
        ("windowtext", "black"),
        ("transparent", "transparent"),
        ("rgba(0,0,0,0)", "transparent"),
        ("inherit", None),
        ("url(#x)", None),
        ("#12345", None),
        ("rgb(1,2", None),
    ],
)
def test_colours_have_everyday_names(value: str, name: str | None) -> None:
    assert colour_name(value) == name


def test_colour_of_a_whole_text_says_nothing() -> None:
    assert html_to_text('<div style="color:#1F497D">Please <b>add</b> soup.</div>') == "Please add soup."


def test_colour_of_a_link_says_nothing() -> None:
    html = 'See <a href="https://example.com/" style="color:#0563C1">example.com</a>.'
    assert html_to_text(html) == "See example.com."


@pytest.mark.parametrize(
    "html",
    [
        '<span style="background:yellow">soup</span>',
        '<span style="background-color: #FFFF00">soup</span>',
        '<span style="background:yellow;mso-highlight:yellow">soup</span>',
        "<mark>soup</mark>",
    ],
)
def test_highlighted_text_is_marked(html: str) -> None:
    assert html_to_text(f"Remove the {html} please") == "Remove the [highlighted yellow: soup] please"


def test_marks_of_several_lines_are_complete_on_each() -> None:
    html = '<p>Old</p><div style="color:green"><s>One<br>Two</s></div>'
    assert html_to_text(html) == "Old\n\n[green: ~~One~~]\n[green: ~~Two~~]"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("Mon 8<sup>30</sup> to 12<sup>15</sup>", "Mon 8^30 to 12^15"),
        ('Mon 8<span style="vertical-align:super">30</span>', "Mon 8^30"),
        ("120 m<sup>2</sup> and 10<sup>-3</sup>", "120 m^2 and 10^-3"),
        ("the 1<sup>st</sup> of May, H<sub>2</sub>O", "the 1st of May, H2O"),
        ("<s>8<sup>30</sup></s> 9", "~~8^30~~ 9"),
        ("<sup>1</sup>/<sub>2</sub> cup", "1/2 cup"),
    ],
)
def test_raised_digits_are_told_apart(html: str, text: str) -> None:
    assert html_to_text(html) == text


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">{}</div>',
        '<div style="display: none !important;max-height:0px">{}</div>',
        '<span style="visibility:hidden">{}</span>',
        '<p style="mso-hide:all">{}</p>',
        '<div style="font-size:0">{}</div>',
        '<div style="font-size:1px;line-height:1px">{}</div>',
        '<div style="opacity:0">{}</div>',
        '<div style="max-height:0;overflow:hidden">{}</div>',
        '<div style="height:0px; width:0px; overflow:hidden;">{}</div>',
        '<div style="position:absolute;left:-9999px">{}</div>',
        '<div style="text-indent:-9999px">{}</div>',
        '<div style="position: relative; bottom: -9999px">{}</div>',
        '<div style="margin-left:-999em">{}</div>',
        '<div style="transform: scale(0)">{}</div>',
        '<div style="transform:rotate(3deg) scale3d(0.0, 1, 1)">{}</div>',
        '<div style="transform:translate(0, -9999px)">{}</div>',
        '<div style="scale:0">{}</div>',
        '<div style="zoom:0%">{}</div>',
        '<div style="clip: rect(1px, 1px, 1px, 1px); position: absolute">{}</div>',
        '<div style="position:absolute;clip:rect(0 0 0 0)">{}</div>',
        '<div style="clip-path: inset(50%)">{}</div>',
        '<div style="clip-path:circle(0)">{}</div>',
        '<div style="width:1px;height:1px;overflow:hidden">{}</div>',
        '<div style="content-visibility:hidden">{}</div>',
        "<div hidden>{}</div>",
        '<div style="color:transparent">{}</div>',
        '<div style="color:#ffffff">{}</div>',
        '<font color="white">{}</font>',
        "<style>.preheader {{ display:none !important }}</style><div class='preheader'>{}</div>",
        "<style>#top {{ display:none }}</style><div id='top'>{}</div>",
        '<div style="display:none"><p>{}</p><div>and</div></div>',
        "<!-- {} -->",
        "<!--[if mso]><p>{}</p><![endif]-->",
        "<template>{}</template>",
    ],
)
def test_text_that_is_not_shown_stays_out(hidden: str) -> None:
    assert html_to_text(f"{hidden.format(PREHEADER)}<p>Add soup.</p>") == "Add soup."


@pytest.mark.parametrize(
    "shown",
    [
        '<td style="font-size:0"><div style="font-size:13px">Add soup.</div></td>',
        '<div style="background:#000;color:#fff">Add soup.</div>',
        '<table bgcolor="#003366"><tr><td><font color="white">Add soup.</font></td></tr></table>',
        "<style>body .dark {background:#000}</style><div class=dark style='color:white'>Add soup.</div>",
        "<style>@media (max-width:600px) {.wide {display:none}}</style><div class=wide>Add soup.</div>",
        "<!--[if mso]><style>.modern{display:none}</style><![endif]--><p class=modern>Add soup.</p>",
        "<head><!--[if mso]><style>.modern{display:none}</style><![endif]--></head><p class=modern>Add soup.</p>",
        '<div style="overflow:hidden;height:20px">Add soup.</div>',
        '<div style="position:absolute;left:-9px;clip:rect(0, 40px, 20px, 0)">Add soup.</div>',
        '<div style="position:absolute;clip:rect(auto, auto, auto, auto)">Add soup.</div>',
        '<div style="clip:rect(0 0 0 0)">Add soup.</div>',
        '<div style="left:-9999px">Add soup.</div>',
        '<div style="transform:scale(0.5) translate(-50%, -0.1234px)">Add soup.</div>',
        '<div style="clip-path:inset(5%)">Add soup.</div>',
        '<div style="clip-path:circle(0.5em)">Add soup.</div>',
        "<![if !mso]><p>Add soup.</p><![endif]>",
    ],
)
def test_text_that_is_shown_stays_in(shown: str) -> None:
    assert html_to_text(shown) == "Add soup."


def test_alternative_texts_and_emoji_are_told() -> None:
    html = (
        'Hello <img alt="🙂" src="https://mail.example/e.png"><br>'
        '<img src="https://cdn.example/banner.jpg" alt="Two for one">'
        '<img src="https://count.example/p.gif" width="1" height="1" alt="x">'
        '<img src="data:image/png;base64,' + "A" * 9000 + '" alt="our oven">'
    )
    assert html_to_text(html) == "Hello 🙂\n[picture: Two for one][picture: our oven]"


def test_empty_paragraphs_are_one_empty_line() -> None:
    html = "<p>First:</p><p>&nbsp;</p><p> </p><p>&nbsp;<o:p></o:p></p><p>second</p>"
    html += "<div>a</div><div>&nbsp;</div><div>b</div>"
    assert html_to_text(html) == "First:\n\nsecond\n\na\n\nb"


def test_private_characters_of_a_mail_are_no_marks() -> None:
    html = "A\U00100003b &#x100005; c\U00101000"
    assert html_to_text(html) == "Ab c"
