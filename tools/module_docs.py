"""The README of every Terraform module: purpose, example, inputs and outputs, read from the module itself.

    python -m tools.module_docs write|check

The purpose is the comment at the top of main.tf, the example is examples/minimal/main.tf; `terraform test` plans it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hcl2
from hcl2.utils import SerializationOptions

from tools.errors import SetupError

TERRAFORM = Path(__file__).resolve().parent.parent / "terraform"
EXAMPLE = Path("examples/minimal/main.tf")
AS_WRITTEN = SerializationOptions(with_comments=False, explicit_blocks=False, strip_string_quotes=True)

PAGE = """\
<!-- Written by python -m tools.module_docs write, from the module's own files. -->

# {name}

{purpose}

## Example

```hcl
{example}
```

## Inputs

{inputs}

## Outputs

{outputs}
"""


class IncompleteModuleError(SetupError):
    """A module lacks something that its README has to say."""

    def __init__(self, module: Path, missing: Sequence[str]) -> None:
        super().__init__("\n".join(f"{module.name}: {what}" for what in missing))


@dataclass(frozen=True)
class ModuleInput:
    name: str
    type: str
    description: str
    default: str | None  # as HCL; None if the input is required


@dataclass(frozen=True)
class ModuleOutput:
    name: str
    description: str


@dataclass(frozen=True)
class Module:
    folder: Path
    inputs: tuple[ModuleInput, ...]
    outputs: tuple[ModuleOutput, ...]

    @classmethod
    def read(cls, folder: Path) -> Module:
        """Raises if an input lacks its type, or anything its description."""
        inputs = tuple(_input(name, body) for name, body in _blocks(folder, "variable"))
        outputs = tuple(ModuleOutput(name, body.get("description", "")) for name, body in _blocks(folder, "output"))
        described: list[ModuleInput | ModuleOutput] = [*inputs, *outputs]
        missing = [f"variable {given.name} has no type." for given in inputs if not given.type]
        missing += [f"{thing.name} has no description." for thing in described if not thing.description]
        if missing:
            raise IncompleteModuleError(folder, missing)
        return cls(folder, inputs, outputs)

    @property
    def page(self) -> Path:
        return self.folder / "README.md"

    def document(self) -> str:
        inputs = [
            (
                f"`{given.name}`",
                given.description,
                f"`{given.type}`",
                f"`{given.default}`" if given.default else "required",
            )
            for given in self.inputs
        ]
        outputs = [(f"`{output.name}`", output.description) for output in self.outputs]
        return PAGE.format(
            name=self.folder.name,
            purpose=self._purpose(),
            example=self._example(),
            inputs=_table(("name", "what it is", "type", "default"), inputs),
            outputs=_table(("name", "what it is"), outputs),
        )

    def _purpose(self) -> str:
        lines = (self.folder / "main.tf").read_text(encoding="utf-8").splitlines()
        comment = lines[: next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))]
        if not comment:
            raise IncompleteModuleError(
                self.folder, ["main.tf does not begin with a comment that says what it is for."]
            )
        return "\n".join(line.removeprefix("#").strip() for line in comment)

    def _example(self) -> str:
        file = self.folder / EXAMPLE
        if not file.exists():
            raise IncompleteModuleError(self.folder, [f"{EXAMPLE} is missing."])
        # Seen from the README's reader, who stands in terraform/, not in the example's own folder.
        return file.read_text(encoding="utf-8").strip().replace('"../.."', f'"./modules/{self.folder.name}"')


def folders(terraform: Path = TERRAFORM) -> list[Path]:
    return [folder for folder in sorted((terraform / "modules").iterdir()) if folder.is_dir()]


def modules(terraform: Path = TERRAFORM) -> list[Module]:
    return [Module.read(folder) for folder in folders(terraform)]


def stale(terraform: Path = TERRAFORM) -> list[Path]:
    """The pages that are not what their module says now. The root has a page by hand, but describes what it takes."""
    Module.read(terraform)
    return [module.page for module in modules(terraform) if _text(module.page) != module.document()]


def _input(name: str, body: dict[str, Any]) -> ModuleInput:
    default = json.dumps(body["default"]) if "default" in body else None
    return ModuleInput(name, _expression(body.get("type", "")), body.get("description", ""), default)


def _expression(text: str) -> str:
    """An expression as it was written: the parser marks anything but a bare word with ${ }."""
    return text[2:-1] if text.startswith("${") else text


def _blocks(folder: Path, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(folder.glob("*.tf")):
        found = hcl2.loads(file.read_text(encoding="utf-8"), serialization_options=AS_WRITTEN)
        for block in found.get(kind, []):
            yield from block.items()


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.exists() else None


def main(arguments: Sequence[str] | None = None) -> int:
    command = (sys.argv[1:] if arguments is None else list(arguments)) or [""]
    if command not in (["write"], ["check"]):
        print("Usage: python -m tools.module_docs write|check", file=sys.stderr)
        return 2
    try:
        old = stale()
    except IncompleteModuleError as error:
        print(error, file=sys.stderr)
        return 1
    if command == ["write"]:
        for module in modules():
            module.page.write_text(module.document(), encoding="utf-8")
        return 0
    for page in old:
        print(
            f"{page.relative_to(TERRAFORM.parent)} is not what its module says. Run python -m tools.module_docs write."
        )
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
