"""Converts an attachment to a file that agent and site can use, or returns the reason for a refusal.

The declared type is ignored: the type is detected from the bytes. Images are rotated upright, stripped of metadata,
limited in size and stored as WebP with a fallback; documents are stored unchanged. Keys contain the content's hash, so
the same image is stored once and nothing is overwritten.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Self

from webordinary.aws import clients
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.mail import Attachment, AttachmentPart, AttachmentRefusal
from webordinary.contract.names import Names
from webordinary.contract.outcomes import AttachmentProblem
from webordinary.contract.settings import Settings
from webordinary.contract.values import limit
from webordinary.sites.screenshots import is_own_picture

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from PIL.Image import Image

LARGEST_SIDE = 2560
SMALLEST_SIDE_OF_CONTENT = 120
MOST_PIXELS = 60_000_000
MOST_UNPACKED_BYTES = 200_000_000
MOST_UNPACKED_RATIO = 200

HEIF = "image/heic"

# Signature, offset and type of files. The first match wins.
SIGNATURES: tuple[tuple[bytes, int, str], ...] = (
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"ftypavif", 4, "image/avif"),
    *((b"ftyp" + brand, 4, HEIF) for brand in (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")),
    (b"%PDF-", 0, "application/pdf"),
    (b"PK\x03\x04", 0, "application/zip"),
)
# Pillow's name of each image type.
FORMATS = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
    "image/avif": "AVIF",
    HEIF: "HEIF",
}
DOCUMENTS_IN_ZIP = {
    "word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "content.xml": "application/vnd.oasis.opendocument",
}


class RefusedAttachmentError(WebordinaryError):
    """The attachment is refused."""

    def __init__(self, problem: AttachmentProblem, limit: int | None = None) -> None:
        super().__init__(problem)
        self.refusal = AttachmentRefusal(problem=problem, limit=limit)


@dataclass(frozen=True)
class _File:
    name: str
    content_type: str
    content: bytes
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True)
class ProcessAttachment:
    client: S3Client
    names: Names

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(clients.s3(), settings.names)

    def run(self, part: AttachmentPart) -> Attachment:
        """Stores one attachment for its pair. A refused one is returned with the reason, never raised."""
        if part.refused is not None:
            return Attachment(name=part.name, refused=part.refused)
        content = self.client.get_object(Bucket=part.bucket, Key=part.key)["Body"].read()
        if is_own_picture(content):
            return Attachment(name=part.name, decoration=True)  # mail clients return quoted images
        try:
            files = normalise(part.name, content)
        except RefusedAttachmentError as error:
            return Attachment(name=part.name, refused=error.refusal)
        main = files[0]
        if part.inline and _is_decoration(main):
            return Attachment(name=part.name, decoration=True)
        keys = [self._store(part, file) for file in files]
        return Attachment(
            name=main.name,
            content_type=main.content_type,
            key=keys[0],
            fallback_key=keys[1] if len(keys) > 1 else None,
            size=len(main.content),
            sha256=hashlib.sha256(main.content).hexdigest(),
            width=main.width,
            height=main.height,
            content_id=part.content_id,
            shown_as=part.shown_as,
        )

    def _store(self, part: AttachmentPart, file: _File) -> str:
        digest = hashlib.sha256(file.content).hexdigest()
        key = f"{self.names.object_prefix('media', part.pair)}{digest[:32]}/{file.name}"
        self.client.put_object(
            Bucket=self.names.bucket("media"), Key=key, Body=file.content, ContentType=file.content_type
        )
        return key


def _is_decoration(file: _File) -> bool:
    """Whether an inline image is too small for a page: a logo, an icon, a tracking pixel."""
    if file.width is None or file.height is None:
        return False
    return min(file.width, file.height) < SMALLEST_SIDE_OF_CONTENT


def normalise(name: str, content: bytes) -> list[_File]:
    """The files to store for an attachment: the main one, then its fallback."""
    if not content:
        raise RefusedAttachmentError(AttachmentProblem.EMPTY)
    if len(content) > limit("attachment_bytes"):
        raise RefusedAttachmentError(AttachmentProblem.TOO_LARGE, limit("attachment_bytes") // 1_048_576)
    content_type = sniff(content)
    if content_type == HEIF:
        from pillow_heif import register_heif_opener  # the format of phones, which Pillow cannot read

        register_heif_opener()
    if content_type.startswith("image/"):
        return _web_images(name, content, FORMATS[content_type])
    return [_File(name, content_type, content)]


def sniff(content: bytes) -> str:
    """The type of the content. Raises RefusedAttachmentError for an unsupported type."""
    if content.startswith(b"RIFF") and content.startswith(b"WEBP", 8):
        return "image/webp"
    for signature, offset, content_type in SIGNATURES:
        if content.startswith(signature, offset):
            return _document_in_zip(content) if content_type == "application/zip" else content_type
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedAttachmentError(AttachmentProblem.UNUSABLE_TYPE) from None
    if "\0" in text:
        raise RefusedAttachmentError(AttachmentProblem.UNUSABLE_TYPE)
    if "<svg" in text[:4096].lower() or "<html" in text[:4096].lower():
        raise RefusedAttachmentError(AttachmentProblem.CAN_CARRY_SCRIPTS)
    return "text/plain"


def _document_in_zip(content: bytes) -> str:
    try:
        entries = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise RefusedAttachmentError(AttachmentProblem.DAMAGED_ARCHIVE) from None
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MOST_UNPACKED_BYTES or unpacked > MOST_UNPACKED_RATIO * len(content):
        raise RefusedAttachmentError(AttachmentProblem.UNPACKS_TO_FAR_MORE)
    for start, content_type in DOCUMENTS_IN_ZIP.items():
        if any(entry.filename.startswith(start) for entry in entries):
            return content_type
    raise RefusedAttachmentError(AttachmentProblem.ARCHIVE)


def _web_images(name: str, content: bytes, image_format: str) -> list[_File]:
    from PIL import Image, ImageOps, UnidentifiedImageError

    # Pillow rejects twice this many pixels after reading the header, before decoding.
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS // 2
    try:
        image = Image.open(io.BytesIO(content), formats=(image_format,))  # no other parser sees these bytes
        upright: Image.Image = ImageOps.exif_transpose(image)
        upright.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    except Image.DecompressionBombError:
        raise RefusedAttachmentError(AttachmentProblem.TOO_MANY_PIXELS, MOST_PIXELS // 1_000_000) from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, RuntimeError, EOFError):
        raise RefusedAttachmentError(AttachmentProblem.DAMAGED_PICTURE) from None
    transparent = upright.has_transparency_data
    pixels = upright.convert("RGBA" if transparent else "RGB")
    stem = PurePosixPath(name).stem
    fallback = ("PNG", "image/png", "png") if transparent else ("JPEG", "image/jpeg", "jpg")
    return [_encoded(pixels, stem, *kind) for kind in (("WEBP", "image/webp", "webp"), fallback)]


def _encoded(pixels: Image, stem: str, encoder: str, content_type: str, extension: str) -> _File:
    # Encoded from pixels only, without the metadata of the original.
    buffer = io.BytesIO()
    pixels.info.clear()
    pixels.save(buffer, format=encoder, quality=82, optimize=True)
    return _File(f"{stem}.{extension}", content_type, buffer.getvalue(), pixels.width, pixels.height)
