"""process_attachment: detects types from content, converts images, refuses with a reason."""

import io
import struct
import zipfile
import zlib
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from pillow_heif import register_heif_opener

from tests.support.stored_mails import RAW_BUCKET
from tests.support.world import PAIR, World
from webordinary.contract.messages.mail import AttachmentPart, AttachmentRefusal
from webordinary.contract.outcomes import AttachmentProblem
from webordinary.sites.screenshots import MARK
from webordinary.steps.process_attachment import ProcessAttachment, RefusedAttachmentError, normalise, sniff

ORIENTATION, ARTIST = 0x0112, 0x013B


def picture(width: int = 40, height: int = 20, mode: str = "RGB", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, (width, height), "tan").save(buffer, **{"format": "PNG", **options})
    return buffer.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    """A small file whose header declares a huge image."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_image_is_stored_as_webp_with_a_fallback() -> None:
    webp, fallback = normalise("shop.png", picture())

    assert (webp.name, webp.content_type) == ("shop.webp", "image/webp")
    assert (fallback.name, fallback.content_type) == ("shop.jpg", "image/jpeg")
    assert (webp.width, webp.height) == (40, 20)


def test_transparent_image_keeps_its_transparency() -> None:
    _, fallback = normalise("logo.png", picture(mode="RGBA"))

    assert fallback.content_type == "image/png"


def test_photo_is_rotated_upright_and_loses_its_metadata() -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6  # the camera was held sideways
    exif[ARTIST] = "Somebody with a name"

    webp, fallback = normalise("photo.jpg", picture(40, 20, format="JPEG", exif=exif))

    assert (webp.width, webp.height) == (20, 40)
    for file in (webp, fallback):
        assert len(Image.open(io.BytesIO(file.content)).getexif()) == 0
        assert b"Somebody" not in file.content


def heic(width: int = 40, height: int = 20, **options: Any) -> bytes:
    register_heif_opener()
    return picture(width, height, format="HEIF", **options)


def test_photo_of_a_phone_becomes_a_web_picture() -> None:
    webp, fallback = normalise("IMG_2041.HEIC", heic(640, 480))

    assert (webp.name, webp.content_type, webp.width, webp.height) == ("IMG_2041.webp", "image/webp", 640, 480)
    assert Image.open(io.BytesIO(fallback.content)).format == "JPEG"


def test_sideways_heic_photo_is_rotated_upright() -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6

    webp, _ = normalise("photo.heic", heic(64, 32, exif=exif.tobytes()))

    assert (webp.width, webp.height) == (32, 64)


@pytest.mark.parametrize("content", [heic()[:200], heic()[:32] + bytes(3000)], ids=["cut", "broken"])
def test_damaged_heic_photo_is_refused(content: bytes) -> None:
    with pytest.raises(RefusedAttachmentError, match=AttachmentProblem.DAMAGED_PICTURE):
        normalise("photo.heic", content)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF"])
def test_published_picture_has_no_location(kind: str) -> None:
    exif = Image.Exif()
    exif.get_ifd(0x8825).update({1: "N", 2: (48.0, 12.0, 34.5), 3: "E", 4: (16.0, 22.0, 11.25)})
    exif[ARTIST] = "Anna Berg"
    xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><exif:GPSLatitude>48,12.5N</exif:GPSLatitude></x:xmpmeta>"
    register_heif_opener()
    text = PngInfo()
    text.add_itxt("XML:com.adobe.xmp", xmp.decode())
    options: dict[str, Any] = {"pnginfo": text} if kind == "PNG" else {"xmp": xmp}
    options |= {"comment": "taken by Anna Berg"} if kind == "JPEG" else {}
    sent = picture(64, 32, format=kind, exif=exif.tobytes(), **options)
    assert Image.open(io.BytesIO(sent)).getexif().get_ifd(0x8825), "the photo sent has a location"
    assert b"GPSLatitude" in sent

    for file in normalise(f"photo.{kind.lower()}", sent):
        published = Image.open(io.BytesIO(file.content))
        assert len(published.getexif()) == 0
        assert not published.getexif().get_ifd(0x8825)
        assert not {"exif", "xmp", "XML:com.adobe.xmp"} & set(published.info)
        assert b"GPS" not in file.content
        assert b"Anna" not in file.content


def test_huge_photo_is_scaled_down() -> None:
    webp, _ = normalise("photo.png", picture(4000, 1000))

    assert (webp.width, webp.height) == (2560, 640)


def test_decompression_bomb_is_refused_before_decoding() -> None:
    with pytest.raises(RefusedAttachmentError, match=AttachmentProblem.TOO_MANY_PIXELS):
        normalise("bomb.png", png_that_claims(100_000, 100_000))


def test_zip_bomb_is_refused() -> None:
    with pytest.raises(RefusedAttachmentError, match=AttachmentProblem.UNPACKS_TO_FAR_MORE):
        normalise("bomb.docx", zipped("word/document.xml", b"\0" * 20_000_000))


def test_document_type_is_detected_from_its_content() -> None:
    assert sniff(zipped("word/document.xml", b"<w/>")).endswith("wordprocessingml.document")


@pytest.mark.parametrize(
    ("content", "problem", "limit"),
    [
        (b"", AttachmentProblem.EMPTY, None),
        (b"MZ\x90\x00\x03\x00\xff\xfe", AttachmentProblem.UNUSABLE_TYPE, None),
        (b"<svg onload='x()'></svg>", AttachmentProblem.CAN_CARRY_SCRIPTS, None),
        (b"text with a \0 byte", AttachmentProblem.UNUSABLE_TYPE, None),
        (zipped("readme.txt", b"hello"), AttachmentProblem.ARCHIVE, None),
        (b"PK\x03\x04 broken", AttachmentProblem.DAMAGED_ARCHIVE, None),
        (b"\x89PNG\r\n\x1a\n broken", AttachmentProblem.DAMAGED_PICTURE, None),
        (png_that_claims(100_000, 100_000), AttachmentProblem.TOO_MANY_PIXELS, 60),
        (b"x" * (20 * 1024 * 1024 + 1), AttachmentProblem.TOO_LARGE, 20),
    ],
)
def test_unsupported_content_is_refused_with_a_reason(
    content: bytes, problem: AttachmentProblem, limit: int | None
) -> None:
    with pytest.raises(RefusedAttachmentError) as refused:
        normalise("file.bin", content)
    assert refused.value.refusal == AttachmentRefusal(problem=problem, limit=limit)


def test_file_name_does_not_determine_the_type() -> None:
    (file,) = normalise("picture.png", b"only words")

    assert file.content_type == "text/plain"


def part(**more: object) -> AttachmentPart:
    where = {"bucket": RAW_BUCKET, "key": "parts/mail-1/1"}
    return AttachmentPart(**where, pair=PAIR, name="shop.png", content_type="image/png", **more)


@pytest.fixture
def store(world: World) -> ProcessAttachment:
    for bucket in (RAW_BUCKET, world.names.bucket("media")):
        world.s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    world.s3.put_object(Bucket=RAW_BUCKET, Key="parts/mail-1/1", Body=picture())
    return ProcessAttachment(world.s3, world.names)


def test_attachment_key_contains_pair_and_content_hash(world: World, store: ProcessAttachment) -> None:
    attachment = store.run(part())

    assert attachment.key is not None
    assert attachment.key.startswith("media/bakery/ada/")
    stored = world.s3.get_object(Bucket=world.names.bucket("media"), Key=attachment.key)
    assert stored["ContentType"] == "image/webp"
    assert store.run(part()).key == attachment.key


def test_small_inline_image_is_decoration(world: World, store: ProcessAttachment) -> None:
    attachment = store.run(part(inline=True))

    assert attachment.decoration
    assert attachment.key is None
    assert "Contents" not in world.s3.list_objects_v2(Bucket=world.names.bucket("media"))


def test_small_attached_image_is_kept(store: ProcessAttachment) -> None:
    assert store.run(part(inline=False)).key is not None


def test_part_refused_before_keeps_its_reason(store: ProcessAttachment) -> None:
    too_many = AttachmentRefusal(problem=AttachmentProblem.TOO_MANY, limit=20)

    assert store.run(part(refused=too_many)).refused == too_many


def test_unusable_part_is_returned_with_the_reason(world: World, store: ProcessAttachment) -> None:
    world.s3.put_object(Bucket=RAW_BUCKET, Key="parts/mail-1/1", Body=b"<svg></svg>")

    assert store.run(part()).refused == AttachmentRefusal(problem=AttachmentProblem.CAN_CARRY_SCRIPTS)


def test_returned_screenshot_of_ours_is_decoration(world: World, store: ProcessAttachment) -> None:
    world.s3.put_object(Bucket=RAW_BUCKET, Key="parts/mail-1/1", Body=picture(560, 700, format="JPEG", comment=MARK))

    attachment = store.run(part())

    assert attachment.decoration
    assert attachment.key is None


@pytest.mark.parametrize("start", [b"IM", b"BM", b"II*\0", b"\0\0\1\0", b"8BPS", b"%!PS"])
def test_only_the_detected_image_format_is_opened(start: bytes) -> None:
    with pytest.raises(RefusedAttachmentError) as refused:
        normalise("a.webp", start + b"\0" * (8 - len(start)) + b"WEBP" + b"\0" * 100)

    assert refused.value.refusal.problem == AttachmentProblem.UNUSABLE_TYPE


def test_image_of_another_format_than_its_signature_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    formats: list[object] = []
    opened = Image.open

    def record(file: Any, **options: Any) -> Image.Image:
        formats.append(options)
        return opened(file, **options)

    monkeypatch.setattr(Image, "open", record)

    normalise("a.png", picture())

    assert formats == [{"formats": ("PNG",)}]
