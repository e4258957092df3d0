"""An animated picture: screenshots with a caption, one after another."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from PIL import Image

from local.runtime.local_browser import LocalBrowser

WIDTH, HEIGHT, CAPTION_HEIGHT = 1100, 700, 56
SHOWN_WIDTH = 880  # as wide as a README is shown
QUALITY = 82
FRAME = """<!doctype html><style>
body {{ margin: 0; background: #24211c; font: 600 24px "Open Sans", sans-serif; color: #fffefb }}
p {{ margin: 0; height: {caption}px; line-height: {caption}px; padding: 0 24px }}
b {{ color: #f0a37c; padding-right: 12px }}
img {{ display: block; width: 100vw; height: {height}px; object-fit: cover; object-position: top }}
</style><p><b>{step}</b>{words}</p><img src="data:image/png;base64,{picture}" alt="">"""


@dataclass(frozen=True)
class Shot:
    picture: bytes
    step: int
    words: str
    seconds: float


@dataclass
class Film:
    shots: list[Shot] = field(default_factory=list)

    def add(self, browser: LocalBrowser, step: int, words: str, seconds: float) -> None:
        """The window as it is now."""
        self.shots.append(Shot(browser.picture(kind="png", max_height=None), step, words, seconds))

    def save(self, browser: LocalBrowser, file: Path) -> None:
        frames = [self._frame(browser, shot) for shot in self.shots]
        frames[0].save(
            file,
            save_all=True,
            append_images=frames[1:],
            duration=[int(shot.seconds * 1000) for shot in self.shots],
            loop=0,
            quality=QUALITY,
            method=6,
        )

    def _frame(self, browser: LocalBrowser, shot: Shot) -> Image.Image:
        html = FRAME.format(
            caption=CAPTION_HEIGHT,
            height=HEIGHT,
            step=shot.step,
            words=escape(shot.words),
            picture=base64.b64encode(shot.picture).decode(),
        )
        shown = browser.show(html, width=WIDTH, height=HEIGHT + CAPTION_HEIGHT).picture()
        image = Image.open(io.BytesIO(shown)).convert("RGB")
        return image.resize((SHOWN_WIDTH, image.height * SHOWN_WIDTH // image.width), Image.Resampling.LANCZOS)
