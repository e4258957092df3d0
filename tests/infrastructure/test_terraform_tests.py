"""Terraform's own tests, one file at a time: each is a program that keeps one processor busy."""

from __future__ import annotations

import pytest

from tools import terraform

FILES = sorted(file.name.partition(".")[0] for file in (terraform.ROOT / "terraform/tests").glob("*.tftest.hcl"))


@pytest.mark.parametrize("name", FILES)
def test_terraform_tests_pass(name: str) -> None:
    assert terraform.main(["test", "--only", name]) == 0
