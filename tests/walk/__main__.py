"""`make walk`: deploys into an empty account and removes everything again, with the README's commands.

    preflight ─▶ bootstrap ─▶ plan ─▶ apply ─▶ doctor ─▶ projects add ─▶ a mail ─▶ publish ─▶ sites go online
              ─▶ console ─▶ another apply ─▶ rollback ─▶ projects remove ─▶ destroy ─▶ nothing left over

Commands are read from the README and run literally; a command of the README that is not run here fails the walk.

The account is the emulator, and it is new. The environment is `dev` as deployed, including what `local` disables. The
image is not built, and no host of a site is asked: the emulator serves none.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from local.settings import StackSettings
from local.stack.stack import Stack
from tests.walk.console import look_at_the_console
from tests.walk.left_over import left_over
from tests.walk.walk import PREFIX, EmptyAccount, Walk

ADA = "ada@example.com"
REPLY_SECONDS = 300.0
BEFORE, AFTER, LATER = "8 am to noon", "9 am to 1 pm", "10 am to 2 pm"
NOT_ONLINE = "can't be reached on the internet yet"
# Needs a container engine and a registry.
NOT_RUN = ["make image push ENV=dev"]
PASSING_CHECKS = {
    "Terraform state",
    "worker image",
    "secrets",
    "model access",
    "customer-managed key",
    "SES receives mail",
    "SES rule set",
    "mail domain",
    "budget",
    "worker quota",
    "hosted zone",
}


def main() -> int:
    account = EmptyAccount()
    with Stack(StackSettings.for_tests(), projects=["bakery"], deployment=account) as stack:
        walk = account.walk
        check_account(walk)
        add_a_project(walk, stack)
        change_and_publish(stack)
        bring_sites_online(walk, stack)
        look_at_the_console(walk)
        roll_back(walk, stack)
        remove_the_project(walk, stack)
        walk.follow("make destroy", given="yes\n")
        left = left_over(walk.emulated, PREFIX)
        assert left == [], f"remaining resources: {left}"
        assert [one for one in walk.commands if one not in walk.followed] == NOT_RUN
    print("Deployed and removed everything.")
    return 0


def check_account(walk: Walk) -> None:
    """Only checks that need DNS records, quotas or manual steps fail."""
    output = walk.follow("make doctor", may_fail=True)
    passed = {line.removeprefix("ok").strip() for line in output.splitlines() if line.startswith("ok ")}
    assert passed == PASSING_CHECKS, output


def add_a_project(walk: Walk, stack: Stack) -> None:
    walk.follow(".venv/bin/webordinary --env dev projects add")
    walk.follow(".venv/bin/webordinary --env dev projects credential", given="a-token\n")
    assert "no problems found" in walk.follow(".venv/bin/webordinary --env dev status")
    # A second project without mail, which still exists when everything is destroyed.
    garden = ["--domain=garden.example.org", "--repository=https://git.example.com/garden.git"]
    walk.webordinary("projects", "add", "garden", *garden, "--person=bob=bob@example.org")
    assert walk.webordinary("projects", "credential", "garden", given="a-token\n")["stored"] is True
    # git.example.com does not exist: use a repository of this machine.
    walk.webordinary("projects", "change", "bakery", f"--repository={stack.remotes['bakery'].url}")
    assert "No changes" in walk.make("plan")


def change_and_publish(stack: Stack) -> None:
    request = stack.send(ADA, f'Please change "{BEFORE}" to "{AFTER}" on the home page.')
    changed = stack.mailbox.wait_for_reply(request, REPLY_SECONDS)
    assert NOT_ONLINE in changed.text, changed.text
    assert "dev.example.com/" not in changed.text, changed.text
    published = stack.send(ADA, "publish", in_reply_to=changed.message_id)
    assert NOT_ONLINE in stack.mailbox.wait_for_reply(published, REPLY_SECONDS).text
    assert AFTER in live_page(stack)
    print("           a mail was answered and its change published", flush=True)


def bring_sites_online(walk: Walk, stack: Stack) -> None:
    """The emulator has no distributions, so the records of the hosts stand for themselves."""
    walk.environment |= {"TF_VAR_create_cdn": "false", "TF_VAR_sites_online": "true"}
    walk.make("plan")
    assert "Next: make doctor ENV=dev" in walk.make("apply")
    request = stack.send(ADA, f'Please change "{AFTER}" to "{LATER}" on the home page.')
    changed = stack.mailbox.wait_for_reply(request, REPLY_SECONDS)
    assert "--bakery.preview.dev.example.com" in changed.text, changed.text
    stack.mailbox.wait_for_reply(stack.send(ADA, "publish", in_reply_to=changed.message_id), REPLY_SECONDS)
    assert LATER in live_page(stack)
    print("           a reply links to its preview, and the page is shown", flush=True)


def live_page(stack: Stack) -> str:
    storage = stack.emulated.client("s3")
    page = storage.get_object(Bucket=stack.names.bucket("sites"), Key="bakery/live/index.html")
    return str(page["Body"].read().decode())


def roll_back(walk: Walk, stack: Stack) -> None:
    """Applies a change, rolls it back, and checks that the next plan would apply it again."""
    lambdas = stack.emulated.client("lambda")
    before = timing(lambdas)
    walk.environment["TF_VAR_timing"] = json.dumps({**before, "idle_seconds": 11})
    walk.make("plan")
    walk.make("apply")
    assert timing(lambdas)["idle_seconds"] == 11
    walk.follow("make rollback", given="y\n")
    assert timing(lambdas) == before
    assert "aws_lambda_alias.live" in walk.make("plan")
    answer = stack.mailbox.wait_for_reply(stack.send(ADA, "status"), REPLY_SECONDS)
    assert answer.text
    print("           a mail was answered by the earlier versions", flush=True)


def timing(lambdas: Any) -> dict[str, float]:
    """The timing of the live function."""
    called = lambdas.get_function_configuration(FunctionName=f"{PREFIX}-reply", Qualifier="live")
    found: dict[str, float] = json.loads(called["Environment"]["Variables"]["WEBORDINARY_TIMING"])
    return found


def remove_the_project(walk: Walk, stack: Stack) -> None:
    walk.follow(".venv/bin/webordinary --env dev projects remove", given="y\n")
    assert [one["project"] for one in walk.webordinary("projects", "list")] == ["garden"]
    assert stack.emulated.client("sqs").list_queues(QueueNamePrefix=f"{PREFIX}-input-bakery").get("QueueUrls", []) == []


if __name__ == "__main__":
    sys.exit(main())
