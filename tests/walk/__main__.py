"""`make walk`: from an empty account to a website and back, with the README's commands and the emulator as the account.

    bootstrap ─▶ plan ─▶ apply ─▶ doctor ─▶ projects add ─▶ a mail ─▶ publish ─▶ another apply ─▶ rollback
              ─▶ projects remove ─▶ destroy ─▶ nothing left over

Commands are read from the README and typed letter for letter; one that is not typed here fails the walk.

The environment is `dev` as it is deployed, with all that `local` switches off. What only AWS or a container program can
do is said where it is left out: the image is not built, and CloudFront's distributions are not waited for.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from local.settings import StackSettings
from local.stack.stack import Stack
from tests.walk.left_over import left_over
from tests.walk.walk import PREFIX, EmptyAccount, Walk

ADA = "ada@example.com"
PATIENCE = 300.0
BEFORE, AFTER = "8 am to noon", "9 am to 1 pm"
# It needs a container program and a registry.
NOT_TYPED = ["make image push ENV=dev"]
MADE_BY_US = {"state", "image", "secrets", "key of your own", "SES receives here", "active rule set"}


def main() -> int:
    account = EmptyAccount()
    with Stack(StackSettings.for_tests(), projects=["bakery"], deployment=account) as stack:
        walk = account.walk
        look_at_the_account(walk)
        add_a_project(walk, stack)
        change_and_publish(stack)
        roll_back(walk, stack)
        remove_the_project(walk, stack)
        walk.follow("make destroy", given="yes\n")
        left = left_over(walk.emulated, PREFIX)
        assert left == [], f"left over: {left}"
        assert [one for one in walk.commands if one not in walk.followed] == NOT_TYPED
    print("From an empty account and back.")
    return 0


def look_at_the_account(walk: Walk) -> None:
    """Nothing is missing but what only a person or AWS can do: no DNS knows its domains, no emulator has quotas."""
    said = walk.follow("make doctor", may_fail=True)
    well = {line.removeprefix("ok").strip() for line in said.splitlines() if line.startswith("ok ")}
    assert well == MADE_BY_US, said


def add_a_project(walk: Walk, stack: Stack) -> None:
    walk.follow(".venv/bin/webordinary --env dev projects add")
    walk.follow(".venv/bin/webordinary --env dev projects credential", given="a-token\n")
    assert "no problems found" in walk.follow(".venv/bin/webordinary --env dev status")
    # A second one that nobody writes to, and that is still there when everything is destroyed.
    elsewhere = ["--domain=garden.example.org", "--repository=https://git.example.com/garden.git"]
    walk.webordinary("projects", "add", "garden", *elsewhere, "--person=bob=bob@example.org")
    assert walk.webordinary("projects", "credential", "garden", given="a-token\n")["stored"] is True
    # There is no git.example.com: from here on the repository is one of this machine.
    walk.webordinary("projects", "change", "bakery", f"--repository={stack.remotes['bakery'].url}")
    assert "No changes" in walk.make("plan")


def change_and_publish(stack: Stack) -> None:
    asked = stack.send(ADA, f'Please change "{BEFORE}" to "{AFTER}" on the home page.')
    changed = stack.mailbox.wait_for_reply(asked, PATIENCE)
    assert "--bakery.preview.dev.example.com" in changed.text, changed.text
    published = stack.send(ADA, "publish", in_reply_to=changed.message_id)
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
    walk.follow("make rollback", given="y\n")
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
    walk.follow(".venv/bin/webordinary --env dev projects remove", given="y\n")
    assert [one["project"] for one in walk.webordinary("projects", "list")] == ["garden"]
    assert stack.emulated.client("sqs").list_queues(QueueNamePrefix=f"{PREFIX}-input-bakery").get("QueueUrls", []) == []


if __name__ == "__main__":
    sys.exit(main())
