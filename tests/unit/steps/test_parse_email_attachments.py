"""parse_email: attachments become separate objects."""

import pytest

from tests.support.stored_mails import RAW_BUCKET, Read
from tests.support.world import PAIR, World
from webordinary.contract.messages.mail import AttachmentRefusal
from webordinary.contract.outcomes import AttachmentProblem
from webordinary.contract.values import limit
from webordinary.mail.mime.structure import MailStructure, read_structure


def stored_parts(world: World) -> dict[str, bytes]:
    listed = world.s3.list_objects_v2(Bucket=RAW_BUCKET, Prefix="parts/").get("Contents", [])
    return {entry["Key"]: world.s3.get_object(Bucket=RAW_BUCKET, Key=entry["Key"])["Body"].read() for entry in listed}


def test_each_attachment_is_stored_as_an_object(world: World, read: Read) -> None:
    result = read(attachments=(b"\x89PNG one", b"\x89PNG two"))

    parts = result.attachment_parts
    assert [part.name for part in parts] == ["picture-0.png", "picture-1.png"]
    assert [(part.bucket, part.pair, part.content_type) for part in parts] == [(RAW_BUCKET, PAIR, "image/png")] * 2
    assert [stored_parts(world)[part.key] for part in parts] == [b"\x89PNG one", b"\x89PNG two"]
    assert all(part.key.startswith("parts/mail-1/") for part in parts)


def test_parsing_a_mail_twice_stores_its_attachments_once(world: World, read: Read) -> None:
    first = read(attachments=(b"\x89PNG one",))
    again = read(attachments=(b"\x89PNG one",))

    assert first.attachment_parts == again.attachment_parts
    assert len(stored_parts(world)) == 1


def test_refused_mail_stores_no_attachments(world: World, read: Read) -> None:
    read(sender="mallory@example.net", attachments=(b"\x89PNG one",))

    assert stored_parts(world) == {}


def test_attachments_beyond_the_limit_are_refused_and_not_stored(world: World, read: Read) -> None:
    most = limit("attachments_per_mail")

    parts = read(attachments=tuple(f"{n}".encode() for n in range(2 * most + 1))).attachment_parts

    too_many = AttachmentRefusal(problem=AttachmentProblem.TOO_MANY, limit=most)
    assert [part.refused for part in parts] == [None] * most + [too_many] * most
    assert set(stored_parts(world)) == {part.key for part in parts[:most]}


def test_raw_mail_is_parsed_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart = []

    def counting(raw: bytes) -> MailStructure:
        taken_apart.append(raw)
        return read_structure(raw)

    monkeypatch.setattr("webordinary.mail.parsing.read_structure", counting)

    read(attachments=(b"one", b"two", b"three"))

    assert len(taken_apart) == 1
