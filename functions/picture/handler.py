"""Takes pictures of the page that changed most, for the answer."""

from typing import Any

from webordinary.platform import observability
from webordinary.platform.messages import PictureOrder
from webordinary.platform.settings import Settings
from webordinary.steps.picture import Picture

picture = Picture.from_settings(Settings.load())


@observability.function
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return picture.run(PictureOrder.read(event)).wire()
