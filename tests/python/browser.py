"""Pages in a real Chromium, as a person would open them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from cli import REPOSITORY

SCREENSHOTS = REPOSITORY / "build/screenshots"


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        pytest.skip("needs Chromium; CHROMIUM may name one")
    return found


@contextmanager
def opened(file: Path, *, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
    """The page, ready to be used. Whatever it has complained of by the end fails the test."""
    with sync_playwright() as playwright:
        # As root, as in a container, Chromium has no sandbox.
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_page(
            viewport={"width": width, "height": width * 5 // 8}, color_scheme=scheme
        )
        complaints: list[str] = []
        page.on(
            "console",
            lambda message: complaints.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_selector("body[data-ready]")
        yield page
        browser.close()
    # It asks for itself, and for nothing else.
    assert complaints == [file.as_uri()], complaints


def keep_screenshot(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
