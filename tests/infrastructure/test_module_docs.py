"""The generated READMEs of Terraform modules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.module_docs import EXAMPLE, TERRAFORM, IncompleteModuleError, Module, folders, stale
from webordinary.contract.values import contract


@pytest.fixture
def terraform(tmp_path: Path) -> Path:
    """A root with one small module and a current README."""
    shelf = tmp_path / "modules/shelf"
    (shelf / EXAMPLE).parent.mkdir(parents=True)
    (shelf / EXAMPLE).write_text('module "books" {\n  source = "../.."\n  width  = 80\n}\n')
    (shelf / "main.tf").write_text("# A shelf,\n# and what carries it.\n\nlocals {}\n")
    (shelf / "variables.tf").write_text(
        'variable "width" {\n  description = "In cm."\n  type        = number\n}\n\n'
        'variable "doors" {\n  description = "a|b"\n  type        = map(string)\n  default     = { left = "oak" }\n}\n'
    )
    (shelf / "outputs.tf").write_text('output "depth" {\n  description = "In cm, too."\n  value       = 30\n}\n')
    module = Module.read(shelf)
    module.page.write_text(module.document())
    return tmp_path


def test_readme_contains_purpose_example_inputs_and_outputs(terraform: Path) -> None:
    page = (terraform / "modules/shelf/README.md").read_text()

    assert page.partition("\n\n")[2] == (
        "# shelf\n\nA shelf,\nand what carries it.\n\n"
        '## Example\n\n```hcl\nmodule "books" {\n  source = "./modules/shelf"\n  width  = 80\n}\n```\n\n'
        "## Inputs\n\n| name | description | type | default |\n| --- | --- | --- | --- |\n"
        "| `width` | In cm. | `number` | required |\n"
        '| `doors` | a\\|b | `map(string)` | `{"left": "oak"}` |\n\n'
        "## Outputs\n\n| name | description |\n| --- | --- |\n| `depth` | In cm, too. |\n"
    )


def test_readme_is_stale_after_a_change_of_the_module(terraform: Path) -> None:
    fresh = stale(terraform)
    outputs = terraform / "modules/shelf/outputs.tf"
    outputs.write_text(outputs.read_text().replace("In cm, too.", "In mm."))

    assert (fresh, stale(terraform)) == ([], [terraform / "modules/shelf/README.md"])


@pytest.mark.parametrize(
    ("file", "line", "problem"),
    [
        ("variables.tf", '  description = "In cm."\n', "shelf: width has no description."),
        ("variables.tf", "  type        = number\n", "shelf: variable width has no type."),
        ("outputs.tf", '  description = "In cm, too."\n', "shelf: depth has no description."),
        ("main.tf", "# A shelf,\n# and what carries it.\n", "shelf: main.tf must begin with a comment"),
    ],
)
def test_incomplete_module_is_reported(terraform: Path, file: str, line: str, problem: str) -> None:
    changed = terraform / "modules/shelf" / file
    changed.write_text(changed.read_text().replace(line, ""))

    with pytest.raises(IncompleteModuleError, match=problem):
        stale(terraform)


def test_every_module_example_has_a_terraform_test() -> None:
    text = (TERRAFORM / "tests/examples.tftest.hcl").read_text(encoding="utf-8")
    planned = re.findall(r'^run ".*" \{\n  command   = plan\n(?:.*\n)+?    source = "(.*)"$', text, re.MULTILINE)

    assert sorted(planned) == [f"./modules/{folder.name}/{EXAMPLE.parent}" for folder in folders()]


def test_module_examples_have_the_times_of_the_contract() -> None:
    times = contract()["timing"]
    examples = "".join((folder / EXAMPLE).read_text(encoding="utf-8") for folder in folders())
    shown = [
        (name, float(seconds))
        for timing in re.findall(r"^  timing +=(?: merge\()? \{(.*?)\}", examples, re.MULTILINE | re.DOTALL)
        for name, seconds in re.findall(r"(\w+) += ([\d.]+)", timing)
    ]

    assert ("heartbeat_seconds", 3600) in shown
    assert [(name, seconds) for name, seconds in shown if times[name] != seconds] == []


def test_network_of_the_workers_example_is_the_default() -> None:
    variables = (TERRAFORM / "variables_workers.tf").read_text(encoding="utf-8")
    default = re.search(r'variable "network_cidr" \{.*?default += "(.*?)"', variables, re.DOTALL)
    example = (TERRAFORM / "modules/workers" / EXAMPLE).read_text(encoding="utf-8")
    shown = re.search(r'network_cidr += "(.*?)"', example)

    assert default is not None
    assert shown is not None
    assert shown[1] == default[1]
