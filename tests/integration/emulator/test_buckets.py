"""S3 in the emulator: conditional writes, and bucket policies with conditions."""

import json
from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError

from local.emulator.process import EmulatorProcess


@pytest.fixture
def bucket(emulator: EmulatorProcess, unique: Callable[[str], str]) -> str:
    name = unique("bucket")
    emulator.client("s3").create_bucket(Bucket=name)
    return name


def test_an_object_that_must_not_exist_is_not_replaced(emulator: EmulatorProcess, bucket: str) -> None:
    storage = emulator.client("s3")
    storage.put_object(Bucket=bucket, Key="release", Body="first")

    with pytest.raises(ClientError, match="PreconditionFailed"):
        storage.put_object(Bucket=bucket, Key="release", Body="second", IfNoneMatch="*")


def test_an_object_that_changed_since_it_was_seen_is_not_replaced(emulator: EmulatorProcess, bucket: str) -> None:
    storage = emulator.client("s3")
    seen = storage.put_object(Bucket=bucket, Key="release", Body="first")["ETag"]
    storage.put_object(Bucket=bucket, Key="release", Body="second")

    with pytest.raises(ClientError, match="PreconditionFailed"):
        storage.put_object(Bucket=bucket, Key="release", Body="third", IfMatch=seen)


def test_a_policy_that_refuses_what_is_not_tls_does_not_lock_everybody_out(
    emulator: EmulatorProcess, bucket: str
) -> None:
    storage = emulator.client("s3")
    only_tls = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    storage.put_bucket_policy(Bucket=bucket, Policy=json.dumps({"Version": "2012-10-17", "Statement": [only_tls]}))

    storage.put_object(Bucket=bucket, Key="page", Body=b"hello")

    assert storage.get_object(Bucket=bucket, Key="page")["Body"].read() == b"hello"
