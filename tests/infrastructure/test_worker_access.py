"""A worker can access only the pair of its session tags. Evaluates the applied policies."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest

from tests.infrastructure.permissions import Request, grants, is_allowed
from tests.support.applied import AppliedStack
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.thread_tokens import pair_prefix
from webordinary.contract.values import contract

ACCOUNT = "123456789012"
NAMES = Names("webordinary", ACCOUNT)
SITES = NAMES.bucket("sites")
ADA = Pair(project="bakery", user="ada")
OTHERS = [
    Pair(project="garden", user="bob"),
    Pair(project="bakery", user="bob"),
    Pair(project="garden", user="ada"),
    Pair(project="bakery-ada", user="ada"),
]


def queue_arn(kind: str, pair: Pair | None = None) -> str:
    return f"arn:aws:sqs:us-east-1:{ACCOUNT}:{NAMES.queue(kind, pair)}"


def table_arn(kind: str) -> str:
    return f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{NAMES.table(kind)}"


def item(kind: str, action: str, key: str) -> Request:
    return Request(f"dynamodb:{action}", table_arn(kind), {"dynamodb:LeadingKeys": [key]})


def objects(bucket: str, action: str, key: str) -> Request:
    return Request(f"s3:{action}", f"arn:aws:s3:::{bucket}/{key}")


def listing(pair: Pair) -> Request:
    prefix = NAMES.object_prefix("sessions", pair)
    return Request("s3:ListBucket", f"arn:aws:s3:::{NAMES.bucket('media')}", {"s3:prefix": [prefix]})


def preview(pair: Pair) -> str:
    return f"{pair.project}/preview/{pair_prefix(pair.key)}{'a' * 18}/"


def record(pair: Pair) -> str:
    return f"{pair.project}/releases/preview-{pair_prefix(pair.key)}{'a' * 18}.json"


def listing_of_sites(prefix: str) -> Request:
    return Request("s3:ListBucket", f"arn:aws:s3:::{SITES}", {"s3:prefix": [prefix]})


# Requests that serve a pair: allowed for the own pair, denied for every other.
OF_ONE_PAIR: dict[str, Callable[[Pair], Request]] = {
    "take a job": lambda pair: Request("sqs:ReceiveMessage", queue_arn("input", pair)),
    "delete a job's message": lambda pair: Request("sqs:DeleteMessage", queue_arn("input", pair)),
    "requeue an interrupted job": lambda pair: Request("sqs:SendMessage", queue_arn("input", pair)),
    "receive an interrupt": lambda pair: Request("sqs:ReceiveMessage", queue_arn("interrupts", pair)),
    "update a job": lambda pair: item("jobs", "UpdateItem", pair.key),
    "query waiting jobs": lambda pair: item("jobs", "Query", pair.key),
    "renew the ownership": lambda pair: item("ownership", "UpdateItem", pair.key),
    "fetch an attachment": lambda pair: objects(
        NAMES.bucket("media"), "GetObject", NAMES.object_prefix("media", pair) + "photo.jpg"
    ),
    "store a session": lambda pair: objects(
        NAMES.bucket("media"), "PutObject", NAMES.object_prefix("sessions", pair) + "thread.jsonl"
    ),
    "detect a missing session": listing,
    "read a job": lambda pair: item("jobs", "GetItem", pair.key),
    "deploy a preview": lambda pair: objects(SITES, "PutObject", f"{preview(pair)}index.html"),
    "read a preview": lambda pair: objects(SITES, "GetObject", f"{preview(pair)}index.html"),
    "remove a page of a preview": lambda pair: objects(SITES, "DeleteObject", f"{preview(pair)}old.html"),
    "record a preview": lambda pair: objects(SITES, "PutObject", record(pair)),
    "read the record of a preview": lambda pair: objects(SITES, "GetObject", record(pair)),
    "detect a first preview": lambda pair: listing_of_sites(record(pair)),
}


def build_environment(project: str) -> str:
    return f"arn:aws:ssm:us-east-1:{ACCOUNT}:parameter{NAMES.project_parameter('build_environment', project)}"


def git_credential(project: str) -> str:
    return f"arn:aws:ssm:us-east-1:{ACCOUNT}:parameter{NAMES.project_parameter('git_credential', project)}"


def github_app(project: str) -> str:
    return f"arn:aws:ssm:us-east-1:{ACCOUNT}:parameter{NAMES.project_parameter('github_app', project)}"


OF_ONE_PROJECT = {
    "read its build's environment": lambda project: Request("ssm:GetParameter", build_environment(project)),
    "read the git credential": lambda project: Request("ssm:GetParameter", git_credential(project)),
    "read the pause": lambda project: item("project_configs", "GetItem", f"pause#{project}"),
    "read the project's settings": lambda project: item("project_configs", "GetItem", f"project#{project}"),
    "read the live release": lambda project: objects(SITES, "GetObject", f"{project}/releases/live.json"),
    "read a release": lambda project: objects(SITES, "GetObject", f"{project}/releases/12345.json"),
    "publish a page": lambda project: objects(SITES, "PutObject", f"{project}/live/index.html"),
    "remove a published page": lambda project: objects(SITES, "DeleteObject", f"{project}/live/old.html"),
    "store released files": lambda project: objects(SITES, "PutObject", f"{project}/files/c0ffee"),
    "detect a first release": lambda project: listing_of_sites(f"{project}/releases/live.json"),
}

OF_PUBLISHERS = {
    "publish a page": objects(SITES, "PutObject", "bakery/live/index.html"),
    "remove a published page": objects(SITES, "DeleteObject", "bakery/live/old.html"),
    "store released files": objects(SITES, "PutObject", "bakery/files/c0ffee"),
    "make a release": objects(SITES, "PutObject", "bakery/releases/7.json"),
    "set the live release": objects(SITES, "PutObject", "bakery/releases/live.json"),
}

BROKER = f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{NAMES.live_function('broker')}"
BY_URL = Request("lambda:InvokeFunction", BROKER, {"lambda:InvokedViaFunctionUrl": ["true"]})

NEVER = {
    "call the broker as a pair": Request(
        "lambda:InvokeFunctionUrl", BROKER, {"lambda:FunctionUrlAuthType": ["AWS_IAM"]}
    ),
    "invoke the broker as a pair": BY_URL,
    "ask for a worker": Request("sqs:SendMessage", queue_arn("unclaimed")),
    "clear a worker request": item("worker_requests", "DeleteItem", "bakery#ada"),
    "change the fleet": item("workers", "UpdateItem", "slot-0001"),
    "assume the pair role": Request("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/webordinary-worker-access"),
    "read raw mail": objects(NAMES.bucket("raw_mail"), "GetObject", "mail/1"),
    "write outside the sites": objects(SITES, "PutObject", "index.html"),
    "delete released files": objects(SITES, "DeleteObject", "bakery/files/c0ffee"),
    "delete a release": objects(SITES, "DeleteObject", "bakery/releases/1.json"),
    "list the sites": Request("s3:ListBucket", f"arn:aws:s3:::{SITES}"),
    "list the threads of its project": listing_of_sites("bakery/releases/preview-"),
    "list the records of its project": listing_of_sites("bakery/releases/"),
    "list the previews of its project": listing_of_sites("bakery/preview/"),
    "read the record of an older thread": objects(SITES, "GetObject", f"bakery/releases/preview-{'c' * 26}.json"),
    "write the record of an older thread": objects(SITES, "PutObject", f"bakery/releases/preview-{'c' * 26}.json"),
    "change the preview of an older thread": objects(SITES, "PutObject", f"bakery/preview/{'c' * 26}/index.html"),
    "read others' reports": Request("sqs:ReceiveMessage", queue_arn("output")),
    "take worker requests as a pair": Request("sqs:ReceiveMessage", queue_arn("unclaimed")),
    "scan the jobs": Request("dynamodb:Scan", table_arn("jobs")),
    "read all open jobs": Request("dynamodb:Query", f"{table_arn('jobs')}/index/{NAMES.index('open_jobs')}"),
    "list all of the media bucket": Request("s3:ListBucket", f"arn:aws:s3:::{NAMES.bucket('media')}"),
    "read the key of its GitHub App": Request("ssm:GetParameter", github_app("bakery")),
    "change the git credential": Request("ssm:PutParameter", git_credential("bakery")),
    "read the thread secret": Request(
        "ssm:GetParameter", f"arn:aws:ssm:us-east-1:{ACCOUNT}:parameter/webordinary/thread-secret"
    ),
    "look up senders": item("project_configs", "GetItem", "sender#ada@example.com"),
    "end tasks": Request(
        "states:SendTaskSuccess", f"arn:aws:states:us-east-1:{ACCOUNT}:stateMachine:{NAMES.state_machine()}"
    ),
}


def profile(model: str, region: str = "us-east-1") -> str:
    return f"arn:aws:bedrock:{region}:{ACCOUNT}:inference-profile/{model}"


def invoke(resource: str, by: str = "", action: str = "InvokeModelWithResponseStream") -> Request:
    return Request(f"bedrock:{action}", resource, {"bedrock:InferenceProfileArn": [by]} if by else {})


OPUS = "anthropic.claude-opus-5-5"
MODEL_ALLOWED = {
    "the configured profile": invoke(profile(f"us.{OPUS}")),
    "its model in the region": invoke(f"arn:aws:bedrock:us-east-1::foundation-model/{OPUS}", profile(f"us.{OPUS}")),
    "its model elsewhere": invoke(f"arn:aws:bedrock:us-west-2::foundation-model/{OPUS}", profile(f"us.{OPUS}")),
    "its model in no named region": invoke(f"arn:aws:bedrock:::foundation-model/{OPUS}", profile(f"us.{OPUS}")),
}
MODEL_DENIED = {
    "its model without the profile": invoke(f"arn:aws:bedrock:us-east-1::foundation-model/{OPUS}"),
    "its model by another profile": invoke(
        f"arn:aws:bedrock:us-east-1::foundation-model/{OPUS}", profile(f"global.{OPUS}")
    ),
    "another model": invoke(profile("us.anthropic.claude-fable-5")),
    "a model whose name begins alike": invoke(profile(f"us.{OPUS}-v2")),
    "another geography": invoke(profile(f"global.{OPUS}")),
    "another region": invoke(profile(f"us.{OPUS}", "us-west-2")),
    "another action": invoke(profile(f"us.{OPUS}"), action="InvokeModel"),
    "a provisioned model": invoke(f"arn:aws:bedrock:us-east-1:{ACCOUNT}:provisioned-model/x"),
}

OWN_PROFILE = f"arn:aws:bedrock:us-east-1:{ACCOUNT}:application-inference-profile/a1b2c3d4e5f6"
OF_BAKERY = {"aws:ResourceTag/Application": ["webordinary"], "aws:ResourceTag/Project": ["bakery"]}


def invoke_tagged(resource: str, **tags: str) -> Request:
    changed = {f"aws:ResourceTag/{name}": [value] for name, value in tags.items()}
    return Request("bedrock:InvokeModelWithResponseStream", resource, {**OF_BAKERY, **changed})


MODEL_ALLOWED |= {
    "the project's own profile": invoke_tagged(OWN_PROFILE),
    "its model by the own profile": invoke(f"arn:aws:bedrock:us-west-2::foundation-model/{OPUS}", OWN_PROFILE),
}
MODEL_DENIED |= {
    "another project's profile": invoke_tagged(OWN_PROFILE, Project="garden"),
    "another deployment's profile": invoke_tagged(OWN_PROFILE, Application="webordinary-dev"),
    "a profile without tags": invoke(OWN_PROFILE),
    "a profile of another account": invoke_tagged(OWN_PROFILE.replace(ACCOUNT, "999999999999")),
    "another model by the own profile": invoke(
        "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-fable-5", OWN_PROFILE
    ),
    "its model by a profile of another account": invoke(
        f"arn:aws:bedrock:us-east-1::foundation-model/{OPUS}", OWN_PROFILE.replace(ACCOUNT, "999999999999")
    ),
}


# All AWS calls of a worker with a pair, with session tags instead of project and user.
OWN_QUEUE = (
    f"arn:aws:sqs:us-east-1:{ACCOUNT}:webordinary-{{}}-${{{{aws:PrincipalTag/project}}}}-${{{{aws:PrincipalTag/user}}}}"
)
OWN_FOLDER = "{}/${{aws:PrincipalTag/project}}/${{aws:PrincipalTag/user}}/*"
OWN_THREADS = "${aws:PrincipalTag/threads}*"
OWN_SITES = f"arn:aws:s3:::{SITES}/${{aws:PrincipalTag/project}}"
MEDIA = f"arn:aws:s3:::{NAMES.bucket('media')}"
CALLS_FOR_A_PAIR = {
    OWN_QUEUE.format("input") + ".fifo": {
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
        "sqs:SendMessage",
    },
    OWN_QUEUE.format("interrupts"): {"sqs:ReceiveMessage", "sqs:DeleteMessage"},
    queue_arn("output"): {"sqs:SendMessage"},
    table_arn("jobs"): {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"},
    table_arn("ownership"): {"dynamodb:UpdateItem"},
    table_arn("project_configs"): {"dynamodb:GetItem"},
    build_environment("${aws:PrincipalTag/project}"): {"ssm:GetParameter"},
    git_credential("${aws:PrincipalTag/project}"): {"ssm:GetParameter"},
    f"{MEDIA}/{OWN_FOLDER.format('media')}": {"s3:GetObject"},
    f"{MEDIA}/{OWN_FOLDER.format('sessions')}": {"s3:GetObject", "s3:PutObject"},
    MEDIA: {"s3:ListBucket"},  # distinguishes missing keys from forbidden ones
    f"{OWN_SITES}/preview/{OWN_THREADS}/*": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject"},
    f"{OWN_SITES}/releases/preview-{OWN_THREADS}.json": {"s3:GetObject", "s3:PutObject"},
    f"{OWN_SITES}/preview/*/*": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject"},  # without the tag `threads`
    f"{OWN_SITES}/releases/preview-*.json": {"s3:GetObject", "s3:PutObject"},  # the same
    f"{OWN_SITES}/live/*": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject"},
    **{f"{OWN_SITES}/releases/{'?' * length}.json": {"s3:GetObject", "s3:PutObject"} for length in range(1, 7)},
    f"{OWN_SITES}/files/*": {"s3:GetObject", "s3:PutObject"},
    f"arn:aws:s3:::{SITES}": {"s3:ListBucket"},
    profile(f"us.{OPUS}"): {"bedrock:InvokeModelWithResponseStream"},
    OWN_PROFILE.replace("a1b2c3d4e5f6", "*"): {"bedrock:InvokeModelWithResponseStream"},
    f"arn:aws:bedrock:*::foundation-model/{OPUS}": {"bedrock:InvokeModelWithResponseStream"},
}
CALLS_BEFORE_A_CLAIM = {
    BROKER: {"lambda:GetFunctionUrlConfig", "lambda:InvokeFunctionUrl", "lambda:InvokeFunction"},
    BROKER.removesuffix(f":{NAMES.alias}"): {"lambda:GetFunctionUrlConfig"},
}


def policy_of(applied: AppliedStack, role: str, name: str) -> dict[str, Any]:
    return _document(applied.client("iam").get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"])


def _document(given: Any) -> dict[str, Any]:
    document: dict[str, Any] = given if isinstance(given, dict) else json.loads(unquote(given))
    return document


@pytest.fixture(scope="module")
def access(applied: AppliedStack) -> dict[str, Any]:
    return policy_of(applied, "webordinary-worker-access", "one-pair")


@pytest.fixture(scope="module")
def unclaimed(applied: AppliedStack) -> dict[str, Any]:
    return policy_of(applied, "webordinary-worker-task", "unclaimed-worker")


def tags(pair: Pair, role: str = "publisher") -> dict[str, str]:
    return {"project": pair.project, "user": pair.user, "role": role, "threads": pair_prefix(pair.key)}


def test_worker_policy_grants_exactly_its_calls(access: dict[str, Any], unclaimed: dict[str, Any]) -> None:
    assert (grants(access), grants(unclaimed)) == (CALLS_FOR_A_PAIR, CALLS_BEFORE_A_CLAIM)


@pytest.mark.parametrize("name", OF_ONE_PAIR)
def test_worker_may_serve_its_own_pair(access: dict[str, Any], name: str) -> None:
    assert is_allowed(access, OF_ONE_PAIR[name](ADA), tags(ADA))


@pytest.mark.parametrize("other", OTHERS, ids=lambda pair: pair.key)
@pytest.mark.parametrize("name", OF_ONE_PAIR)
def test_worker_may_not_access_another_pair(access: dict[str, Any], name: str, other: Pair) -> None:
    assert not is_allowed(access, OF_ONE_PAIR[name](other), tags(ADA))


@pytest.mark.parametrize("name", OF_ONE_PROJECT)
def test_worker_may_use_its_own_project(access: dict[str, Any], name: str) -> None:
    assert is_allowed(access, OF_ONE_PROJECT[name]("bakery"), tags(ADA))


@pytest.mark.parametrize("project", ["garden", "bakery-ada", "bake"])
@pytest.mark.parametrize("name", OF_ONE_PROJECT)
def test_worker_may_not_access_another_project(access: dict[str, Any], name: str, project: str) -> None:
    assert not is_allowed(access, OF_ONE_PROJECT[name](project), tags(ADA))


@pytest.mark.parametrize("name", OF_PUBLISHERS)
def test_editors_worker_may_not_change_the_live_site(access: dict[str, Any], name: str) -> None:
    assert is_allowed(access, OF_PUBLISHERS[name], tags(ADA, "publisher"))
    assert not is_allowed(access, OF_PUBLISHERS[name], tags(ADA, "editor"))


@pytest.mark.parametrize("name", [name for name in OF_ONE_PROJECT if name not in OF_PUBLISHERS])
def test_editors_worker_keeps_all_other_permissions(access: dict[str, Any], name: str) -> None:
    assert is_allowed(access, OF_ONE_PROJECT[name]("bakery"), tags(ADA, "editor"))


def test_session_without_role_tag_may_publish(access: dict[str, Any]) -> None:
    request = OF_PUBLISHERS["publish a page"]

    assert is_allowed(access, request, {"project": "bakery", "user": "ada"})
    assert not is_allowed(access, request, {"project": "garden", "user": "ada"})


# A session of an older broker has no tag for its threads.
UNTAGGED = {"project": "bakery", "user": "ada", "role": "editor"}


def test_session_without_threads_tag_keeps_the_previews_of_its_project(access: dict[str, Any]) -> None:
    for pair, allowed in ((ADA, True), (OTHERS[1], True), (OTHERS[0], False)):
        assert is_allowed(access, OF_ONE_PAIR["deploy a preview"](pair), UNTAGGED) is allowed
        assert is_allowed(access, OF_ONE_PAIR["record a preview"](pair), UNTAGGED) is allowed


def change(kind: str, *attributes: str) -> Request:
    request = item(kind, "UpdateItem", ADA.key)
    return Request(request.action, request.resource, {**request.context, "dynamodb:Attributes": attributes})


@pytest.mark.parametrize("kind", ["jobs", "ownership"])
def test_worker_may_write_the_attributes_of_the_contract(access: dict[str, Any], kind: str) -> None:
    assert is_allowed(access, change(kind, *contract()["attributes_of_workers"][kind]), tags(ADA))


@pytest.mark.parametrize(
    ("kind", "attribute"),
    [
        *(("jobs", name) for name in ("job", "open", "outcome", "receivedAt", "taskToken", "threadId", "ttl")),
        *(("ownership", name) for name in ("lastOwner", "previousOwner", "claimedAt")),
    ],
)
def test_worker_may_not_write_what_functions_believe(access: dict[str, Any], kind: str, attribute: str) -> None:
    request = change(kind, *contract()["attributes_of_workers"][kind], attribute)

    assert not is_allowed(access, request, tags(ADA))


def test_policy_of_a_pair_fits_into_an_inline_policy(access: dict[str, Any]) -> None:
    assert len(json.dumps(access, separators=(",", ":"))) < 10_240


@pytest.mark.parametrize("name", NEVER)
def test_worker_with_pair_may_not(access: dict[str, Any], name: str) -> None:
    assert not is_allowed(access, NEVER[name], tags(ADA))


def test_worker_may_send_reports(access: dict[str, Any]) -> None:
    assert is_allowed(access, Request("sqs:SendMessage", queue_arn("output")), tags(ADA))


def test_session_with_wildcard_tags_matches_no_pair(access: dict[str, Any]) -> None:
    assert not is_allowed(access, OF_ONE_PAIR["take a job"](ADA), {"project": "*", "user": "*"})


@pytest.mark.parametrize("name", OF_ONE_PAIR)
def test_session_without_tags_matches_no_pair(access: dict[str, Any], name: str) -> None:
    assert not is_allowed(access, OF_ONE_PAIR[name](ADA))


@pytest.mark.parametrize("name", OF_ONE_PAIR)
def test_worker_without_pair_may_not_access_pairs(unclaimed: dict[str, Any], name: str) -> None:
    assert not is_allowed(unclaimed, OF_ONE_PAIR[name](ADA))


@pytest.mark.parametrize("name", OF_ONE_PROJECT)
def test_worker_without_pair_may_not_access_projects(unclaimed: dict[str, Any], name: str) -> None:
    assert not is_allowed(unclaimed, OF_ONE_PROJECT[name]("bakery"))


@pytest.mark.parametrize("name", MODEL_ALLOWED)
def test_worker_with_pair_may_invoke(access: dict[str, Any], unclaimed: dict[str, Any], name: str) -> None:
    assert is_allowed(access, MODEL_ALLOWED[name], tags(ADA))
    assert not is_allowed(unclaimed, MODEL_ALLOWED[name])


@pytest.mark.parametrize("name", MODEL_DENIED)
def test_worker_with_pair_may_not_invoke(access: dict[str, Any], name: str) -> None:
    assert not is_allowed(access, MODEL_DENIED[name], tags(ADA))


# Calls that a compromised worker without a pair could try.
WITHOUT_A_PAIR = {
    "claim a pair": item("ownership", "UpdateItem", ADA.key),
    "read who owns a pair": item("ownership", "GetItem", ADA.key),
    "take a worker request": Request("sqs:ReceiveMessage", queue_arn("unclaimed")),
    "delete a worker request": Request("sqs:DeleteMessage", queue_arn("unclaimed")),
    "hide a worker request": Request("sqs:ChangeMessageVisibility", queue_arn("unclaimed")),
    "ask for a worker": Request("sqs:SendMessage", queue_arn("unclaimed")),
    "take a slot in the fleet": item("workers", "UpdateItem", "slot-0001"),
    "query jobs": item("jobs", "Query", ADA.key),
    "forget a worker request": item("worker_requests", "DeleteItem", ADA.key),
    "assume the pair role itself": Request("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/webordinary-worker-access"),
    "report": Request("sqs:SendMessage", queue_arn("output")),
    "start a worker": Request("ecs:RunTask", f"arn:aws:ecs:us-east-1:{ACCOUNT}:task-definition/webordinary-workers:1"),
}


@pytest.mark.parametrize("name", WITHOUT_A_PAIR)
def test_worker_without_pair_may_not(unclaimed: dict[str, Any], name: str) -> None:
    assert not is_allowed(unclaimed, WITHOUT_A_PAIR[name])


def test_worker_without_pair_may_call_the_broker_url(unclaimed: dict[str, Any]) -> None:
    url = Request("lambda:InvokeFunctionUrl", BROKER, {"lambda:FunctionUrlAuthType": ["AWS_IAM"]})

    assert is_allowed(unclaimed, url)
    assert is_allowed(unclaimed, BY_URL)


@pytest.mark.parametrize("via", [{}, {"lambda:InvokedViaFunctionUrl": ["false"]}], ids=["by name", "said so"])
def test_worker_may_not_invoke_the_broker_directly(unclaimed: dict[str, Any], via: dict[str, list[str]]) -> None:
    assert not is_allowed(unclaimed, Request("lambda:InvokeFunction", BROKER, via))


def test_worker_may_not_call_an_unauthenticated_url(unclaimed: dict[str, Any]) -> None:
    url = Request("lambda:InvokeFunctionUrl", BROKER, {"lambda:FunctionUrlAuthType": ["NONE"]})

    assert not is_allowed(unclaimed, url)


def test_broker_url_requires_iam_authentication(applied: AppliedStack) -> None:
    config = applied.client("lambda").get_function_url_config(
        FunctionName=NAMES.function("broker"), Qualifier=NAMES.alias
    )

    assert config["AuthType"] == "AWS_IAM"


@pytest.fixture(scope="module")
def trust(applied: AppliedStack) -> dict[str, Any]:
    role = applied.client("iam").get_role(RoleName="webordinary-worker-access")["Role"]
    return _document(role["AssumeRolePolicyDocument"])


def _assuming(trust: dict[str, Any], **given: str) -> bool:
    context = {f"aws:RequestTag/{name}": [value] for name, value in given.items()}
    without_principal = [
        {"Resource": "*", **{name: value for name, value in statement.items() if name != "Principal"}}
        for statement in trust["Statement"]
    ]
    request = Request("sts:AssumeRole", "*", {**context, "aws:TagKeys": list(given)})
    return is_allowed({"Statement": without_principal}, request)


def test_only_the_broker_may_assume_the_pair_role(trust: dict[str, Any]) -> None:
    principals = [statement["Principal"] for statement in trust["Statement"]]

    assert principals == [{"AWS": f"arn:aws:iam::{ACCOUNT}:role/{NAMES.function('broker')}"}]


def test_pair_role_is_assumed_with_project_and_user_tags(trust: dict[str, Any]) -> None:
    assert _assuming(trust, project="bakery", user="ada", role="editor", threads="abcdefgh")
    assert _assuming(trust, project="bakery", user="ada", role="editor")
    assert _assuming(trust, project="bakery", user="ada")


MORE_TAGS = {"project": "bakery", "user": "ada", "more": "1"}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"project": "bakery"},
        {"user": "ada"},
        {"project": "bakery", "user": ""},
        {"project": "bakery", "user": "ada", "more": "1"},
    ],
    ids=str,
)
def test_pair_role_is_denied_without_exactly_the_known_tags(trust: dict[str, Any], given: dict[str, str]) -> None:
    assert not _assuming(trust, **given)
