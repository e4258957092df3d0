"""Attachments are placed in the site or the agent's context, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import World
from webordinary.contract.messages.mail import Attachment, AttachmentRefusal
from webordinary.contract.outcomes import AttachmentProblem
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.failures import LinkLeavesTreeError
from webordinary_worker.jobs.attachments import Attachments, PlacedAttachments

PHOTO = Attachment(
    name="Shop Front.webp",
    content_type="image/webp",
    key="media/bakery/ada/1/shop.webp",
    fallback_key="media/bakery/ada/2/shop.jpg",
    width=800,
    height=600,
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


def place(world: World, tree: Path, *attachments: Attachment) -> PlacedAttachments:
    bucket = world.names.bucket("media")
    world.s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    for attachment in attachments:
        for key in filter(None, (attachment.key, attachment.fallback_key)):
            world.s3.put_object(Bucket=bucket, Key=key, Body=key.encode())
    home = AgentHome(tree.parent / "home")
    return Attachments(world.s3, world.names).place(world.job(attachments=attachments), tree, home)


def test_image_and_its_fallback_are_added_to_the_site(world: World, tree: Path) -> None:
    placed = place(world, tree, PHOTO)

    assert placed.uploads == {"public/uploads/Shop-Front.webp", "public/uploads/Shop-Front.jpg"}
    assert (tree / "public/uploads/Shop-Front.jpg").read_bytes() == b"media/bakery/ada/2/shop.jpg"
    assert "800 x 600" in placed.lines[0]


def test_prompt_tells_where_an_image_stands_in_the_mail(world: World, tree: Path) -> None:
    placed = place(world, tree, PHOTO.model_copy(update={"shown_as": "Shop Front.heic"}))

    assert placed.lines[0].endswith("; in the mail it is [picture: Shop Front.heic])")


def test_image_keeps_its_non_latin_name(world: World, tree: Path) -> None:
    photo = PHOTO.model_copy(update={"name": "фото.webp", "key": "media/bakery/ada/1/фото.webp"})

    placed = place(world, tree, photo)

    assert (tree / "public/uploads/фото.webp").read_bytes() == "media/bakery/ada/1/фото.webp".encode()
    assert "on the site it is uploads/фото.webp or uploads/фото.jpg" in placed.lines[0]


def test_document_is_readable_and_not_part_of_the_site(world: World, tree: Path) -> None:
    document = Attachment(name="menu.txt", content_type="text/plain", key="media/bakery/ada/3/menu.txt")

    placed = place(world, tree, document)

    assert placed.uploads == set()
    assert list(tree.iterdir()) == []
    assert (tree.parent / "home/context/menu.txt").read_bytes() == b"media/bakery/ada/3/menu.txt"


def test_two_images_with_one_name_are_both_kept(world: World, tree: Path) -> None:
    other = PHOTO.model_copy(update={"key": "media/bakery/ada/4/shop.webp", "fallback_key": None})

    placed = place(world, tree, PHOTO, other)

    assert "public/uploads/Shop-Front-2.webp" in placed.uploads


def test_names_that_differ_only_in_case_get_different_files(world: World, tree: Path) -> None:
    other = PHOTO.model_copy(update={"name": "SHOP FRONT.webp", "key": "media/bakery/ada/4/shop.webp"})

    placed = place(world, tree, PHOTO, other)

    assert "public/uploads/SHOP-FRONT-2.webp" in placed.uploads


def test_refused_image_is_skipped(world: World, tree: Path) -> None:
    refused = AttachmentRefusal(problem=AttachmentProblem.DAMAGED_PICTURE)

    placed = place(world, tree, PHOTO.model_copy(update={"refused": refused}))

    assert (placed.lines, list(tree.iterdir())) == ([], [])


def test_symlink_with_an_uploads_name_is_replaced(world: World, tree: Path) -> None:
    precious = tree.parent / "precious.txt"
    precious.write_text("precious")
    (tree / "public/uploads").mkdir(parents=True)
    (tree / "public/uploads/Shop-Front.webp").symlink_to(precious)

    place(world, tree, PHOTO)

    assert precious.read_text() == "precious"
    assert (tree / "public/uploads/Shop-Front.webp").read_bytes() == b"media/bakery/ada/1/shop.webp"


@pytest.mark.parametrize("useless", [{"refused": {"problem": "empty"}}, {"decoration": True}])
def test_unusable_attachment_is_skipped(world: World, tree: Path, useless: dict[str, object]) -> None:
    assert place(world, tree, Attachment(name="logo.png", **useless)).lines == []


def test_symlinked_uploads_folder_is_refused(world: World, tree: Path) -> None:
    (tree / "public").symlink_to(tree.parent)

    with pytest.raises(LinkLeavesTreeError):
        place(world, tree, PHOTO)
