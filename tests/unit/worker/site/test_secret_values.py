"""A build whose output contains a secret build value is refused."""

from __future__ import annotations

import html
import json
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import quote

import pytest

from webordinary.contract.outcomes import Failure
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.build.secret_values import require_no_secrets, without_secrets

SECRET = 'k3y/with "signs"+&é'


def check(folder: Path, text: str, **secrets: str) -> None:
    (folder / "assets").mkdir()
    (folder / "assets/a.js").write_text(text)
    require_no_secrets(folder, ["assets/a.js", "gone.html"], secrets or {"API_KEY": SECRET}, 10_000, None)


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        json.dumps(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        b64encode(SECRET.encode()).decode(),
        b64encode(f"x{SECRET}".encode()).decode(),
        b64encode(f"user:{SECRET}:more".encode()).decode(),
        urlsafe_b64encode(f"ab{SECRET}".encode()).decode(),
        SECRET.encode().hex(),
        # As frameworks write text, attributes and data into pages.
        html.escape(SECRET).replace("&quot;", "&#34;"),
        html.escape(json.dumps(SECRET)[1:-1]),
        json.dumps(SECRET)[1:-1].replace("&", "\\u0026"),
        json.dumps(SECRET)[1:-1].replace("/", "\\/"),
    ],
)
def test_secret_in_the_output_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(BuildFailedError) as refused:
        check(tmp_path, f"const key = `{text}`;")

    assert (refused.value.failure, refused.value.detail) == (Failure.SECRET_PUBLISHED, "API_KEY")


@pytest.mark.parametrize("text", ["it&#39;s a secret", "it&#x27;s a secret", "it\\'s a secret"])
def test_secret_with_an_apostrophe_is_found(tmp_path: Path, text: str) -> None:
    with pytest.raises(BuildFailedError):
        check(tmp_path, text, API_KEY="it's a secret")


@pytest.mark.parametrize("secrets", [{"API_KEY": "another-secret"}, {"PUBLIC_KEY": "shown-to-all"}, {"DEBUG": "true"}])
def test_other_output_is_accepted(tmp_path: Path, secrets: dict[str, str]) -> None:
    check(tmp_path, "shown-to-all true", **secrets)


def test_printed_secret_is_removed_from_the_error() -> None:
    assert SECRET not in without_secrets(f"401 for {SECRET}", {"API_KEY": SECRET})
