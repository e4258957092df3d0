"""Takes screenshots of the page that changed most, for the reply."""

from typing import Any

from webordinary.aws import telemetry
from webordinary.contract.messages.reply import PictureOrder
from webordinary.contract.settings import Settings
from webordinary.steps.picture import Picture

picture = Picture.from_settings(Settings.load())


@telemetry.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return picture.run(PictureOrder.read(event)).wire()
