"""Downloads a mail's attachments for the agent and the site.

Images go to the site's `public/uploads/`. Documents go to a folder outside the tree that the agent may read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Attachment
from webordinary.contract.names import Names
from webordinary.mail.file_names import safe_name
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.failures import LinkLeavesTreeError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

UPLOADS = Path("public") / "uploads"


@dataclass
class PlacedAttachments:
    """One line per file for the prompt, and the files that were added to the site."""

    lines: list[str] = field(default_factory=list)
    uploads: set[str] = field(default_factory=set)


class Attachments:
    def __init__(self, client: S3Client, names: Names) -> None:
        self._client = client
        self._bucket = names.bucket("media")

    def place(self, job: Job, tree: Path, home: AgentHome, site: str = "") -> PlacedAttachments:
        """`site` is the folder of the site in the tree."""
        placed = PlacedAttachments()
        folder = Path(site.strip("/")) / UPLOADS
        taken: set[str] = set()
        for attachment in job.attachments:
            if attachment.key is None or attachment.refused:
                continue
            name = _free_name(safe_name(attachment.name), taken)
            if attachment.content_type.startswith("image/"):
                images = _images(attachment, attachment.key, name)
                for file, source in images.items():
                    self._download(source, _inside(tree, folder) / file)
                    placed.uploads.add((folder / file).as_posix())
                on_the_site = " or ".join(f"uploads/{file}" for file in images)
                facts = f"an image{_size(attachment)}; on the site it is {on_the_site}{_place(attachment)}"
                placed.lines.append(f"{folder / name} ({facts})")
            else:
                self._download(attachment.key, home.context / name)
                kind = attachment.content_type or "a document"
                placed.lines.append(f"{home.context / name} ({kind}, to read{_place(attachment)})")
        return placed

    def _download(self, key: str, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        # The repository may have a link with this name; do not write through it.
        target.unlink(missing_ok=True)
        target.write_bytes(self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read())
        target.chmod(0o644)


def _images(attachment: Attachment, key: str, name: str) -> dict[str, str]:
    """The files of an image and the keys that they are stored with."""
    files = {name: key}
    if attachment.fallback_key is not None:
        files[Path(name).with_suffix(Path(attachment.fallback_key).suffix).name] = attachment.fallback_key
    return files


def _inside(tree: Path, part: Path) -> Path:
    folder = tree / part
    if not folder.resolve().is_relative_to(tree.resolve()):
        raise LinkLeavesTreeError(part)
    return folder


def _free_name(name: str, taken: set[str]) -> str:
    """Appends a number if another file of the mail has the name. Case is ignored, as some file systems do."""
    stem, dot, suffix = name.rpartition(".")
    candidate, number = name, 2
    while candidate.casefold() in taken:
        candidate = f"{stem}-{number}{dot}{suffix}" if dot else f"{name}-{number}"
        number += 1
    taken.add(candidate.casefold())
    return candidate


def _place(attachment: Attachment) -> str:
    """Where the mail shows the file, if it does."""
    return f"; in the mail it is [picture: {attachment.shown_as}]" if attachment.shown_as else ""


def _size(attachment: Attachment) -> str:
    return f", {attachment.width} x {attachment.height}" if attachment.width and attachment.height else ""
