"""`make walk`: from an empty account to a website and back, with the README's commands and the emulator as the account.

    bootstrap ─▶ plan ─▶ apply ─▶ projects add ─▶ a mail ─▶ publish ─▶ another apply ─▶ rollback
              ─▶ projects remove ─▶ destroy ─▶ nothing left over

The environment is `dev` as it is deployed, with all that `local` switches off. What only AWS or a container program can
do is said where it is left out: the image is not built, and CloudFront's distributions are not waited for.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from local.settings import StackSettings
from local.stack import Stack
from tests.walk.left_over import left_over
from tests.walk.walk import PREFIX, EmptyAccount, Walk

ADA = "ada@example.com"
PATIENCE = 300.0
BEFORE, AFTER = "8 am to noon", "9 am to 1 pm"
MANY = 1000
MOST_LONGER = 1.2


def main() -> int:
    account = EmptyAccount()
    with Stack(StackSettings.for_tests(), projects=["bakery"], deployment=account) as stack:
        walk = account.walk
        assert walk.webordinary("status")["notes"] == ["all is well"]
        add_a_project(walk, stack)
        change_and_publish(stack)
        roll_back(walk, stack)
        remove_the_project(walk, stack)
        many_projects(walk)
        walk.destroy()
        left = left_over(walk.emulated, PREFIX)
        assert left == [], f"left over: {left}"
    print("From an empty account and back.")
    return 0


def add_a_project(walk: Walk, stack: Stack) -> None:
    repository = f"--repository={stack.remotes['bakery'].url}"
    walk.webordinary("projects", "add", "bakery", "--domain=bakery.example.com", repository, f"--person=ada={ADA}")
    walk.webordinary("projects", "change", "bakery", "--set", "interrupts=always")
    # A repository that wants a credential; nobody writes to it, and it is still there when everything is destroyed.
    elsewhere = ["--domain=garden.example.org", "--repository=https://git.example.com/garden.git"]
    walk.webordinary("projects", "add", "garden", *elsewhere, "--person=bob=bob@example.org")
    assert walk.webordinary("projects", "credential", "garden", given="a-token\n")["stored"] is True
    assert "No changes" in walk.make("plan")


def change_and_publish(stack: Stack) -> None:
    asked = stack.send(ADA, f'Please change "{BEFORE}" to "{AFTER}" on the home page.')
    changed = stack.mailbox.wait_for_reply(asked, PATIENCE)
    assert "--bakery.preview.dev.example.com" in changed.text, changed.text
    published = stack.send(ADA, "publish", answers=changed.message_id)
    assert "bakery.sites.dev.example.com" in stack.mailbox.wait_for_reply(published, PATIENCE).text
    assert AFTER in live_page(stack)
    print("           a mail was answered, and what it asked for is live", flush=True)


def live_page(stack: Stack) -> str:
    storage = stack.emulated.client("s3")
    page = storage.get_object(Bucket=stack.names.bucket("sites"), Key="bakery/live/index.html")
    return str(page["Body"].read().decode())


def roll_back(walk: Walk, stack: Stack) -> None:
    """Another apply, and back from it; what a later apply would do is in its plan."""
    lambdas = stack.emulated.client("lambda")
    before = timing(lambdas)
    walk.environment["TF_VAR_timing"] = json.dumps({**before, "idle_seconds": 11})
    walk.make("plan")
    walk.make("apply")
    assert timing(lambdas)["idle_seconds"] == 11
    said = walk.webordinary("rollback")
    assert len(said["moved"]) == len(lambdas.list_functions()["Functions"]), said
    assert timing(lambdas) == before
    assert "aws_lambda_alias.live" in walk.make("plan")
    answer = stack.mailbox.wait_for_reply(stack.send(ADA, "status"), PATIENCE)
    assert answer.text
    print("           and a mail is answered by what was rolled back to", flush=True)


def timing(lambdas: Any) -> dict[str, float]:
    """As the function that is called has it."""
    called = lambdas.get_function_configuration(FunctionName=f"{PREFIX}-reply", Qualifier="live")
    found: dict[str, float] = json.loads(called["Environment"]["Variables"]["WEBORDINARY_TIMING"])
    return found


def remove_the_project(walk: Walk, stack: Stack) -> None:
    walk.webordinary("projects", "remove", "bakery")
    assert [one["project"] for one in walk.webordinary("projects", "list")] == ["garden"]
    assert stack.emulated.client("sqs").list_queues(QueueNamePrefix=f"{PREFIX}-input-bakery").get("QueueUrls", []) == []


def many_projects(walk: Walk) -> None:
    """Terraform takes as long with a thousand projects as with one."""
    few = min(walk.seconds("plan") for _ in range(2))
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({f"site-{number}": _entry(number) for number in range(MANY)}, file)
    assert len(walk.webordinary("projects", "apply", file.name)["added"]) == MANY
    many = min(walk.seconds("plan") for _ in range(2))
    Path(file.name).unlink()
    print(f"           a plan took {few:.1f} s with one project and {many:.1f} s with {MANY}", flush=True)
    assert many <= MOST_LONGER * few


def _entry(number: int) -> dict[str, Any]:
    return {
        "domain": f"site-{number}.example.com",
        "repository": f"https://git.example.com/site-{number}.git",
        "people": {"ada": {"addresses": [f"ada{number}@example.com"]}},
    }


if __name__ == "__main__":
    sys.exit(main())
