"""The base of all messages, and the pair that most of them name.

Modules of messages and settings do not import `annotations` from `__future__`: pydantic would compile and evaluate the
text of each annotation, which is nearly a third of the time in which a model is created.
"""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.ids import ProjectId, UserId


class Message(BaseModel):
    """Base of all messages: validates known fields, ignores unknown ones, immutable."""

    # Models are built on first use, not at import: each function uses only a few of them.
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True, defer_build=True
    )

    @classmethod
    def read(cls, data: object) -> Self:
        """Reads decoded JSON, or JSON text, into this message."""
        try:
            if isinstance(data, str | bytes):
                return cls.model_validate_json(data)
            return cls.model_validate(data)
        except ValidationError as error:
            raise InvalidMessageError(cls.__name__, error) from error

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def wire_text(self) -> str:
        return self.model_dump_json(by_alias=True, exclude_none=True)


class Pair(Message):
    """A project and one of its users: the unit of ownership and of ordering."""

    project: ProjectId
    user: UserId

    @property
    def key(self) -> str:
        return f"{self.project}#{self.user}"

    @classmethod
    def from_key(cls, key: str) -> Self:
        project, _, user = key.partition("#")
        return cls.read({"project": project, "user": user})

    def __str__(self) -> str:
        return self.key
