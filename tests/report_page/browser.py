"""Headless Chromium, as the tests use it."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


@dataclass
class Browser:
    """One Chromium; `open` forgets what earlier pages logged."""

    driver: Chrome
    _requests: list[str] = field(default_factory=list)

    @classmethod
    @contextmanager
    def start(cls, chromium: str, driver: str, profile: Path) -> Iterator[Self]:
        """Start with a fresh profile; nothing is looked up or downloaded."""
        from selenium import webdriver  # noqa: PLC0415  only where a browser is
        from selenium.webdriver.chrome.service import Service  # noqa: PLC0415  the same

        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        running = webdriver.Chrome(options=options, service=Service(driver))
        try:
            yield cls(running)
        finally:
            running.quit()

    def open(self, page: Path, fragment: str = "") -> None:
        """Open a file and wait until its explorer has read its index."""
        self.driver.get("about:blank")
        self._read_logs()
        self._requests.clear()
        self.driver.get(page.as_uri() + fragment)
        self.until("document.body && document.body.dataset.ready")

    def js(self, expression: str, *arguments: Any) -> Any:
        """The value of an expression in the page."""
        return self.driver.execute_script(f"return ({expression})", *arguments)

    def until(self, expression: str, within_s: float = 20.0) -> Any:
        """Wait until an expression is true."""
        end = time.monotonic() + within_s
        while not (value := self.js(expression)):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.02)
        return value

    def set(self, field_id: str, value: str) -> None:
        """Fill in a filter and wait until the list has followed."""
        self.driver.execute_script(
            "const f = document.getElementById(arguments[0]);"
            "if (f.type === 'checkbox') f.checked = arguments[1] === '1'; else f.value = arguments[1];"
            "f.dispatchEvent(new Event('input', {bubbles: true}));",
            field_id,
            value,
        )
        time.sleep(0.2)  # the page waits for a pause in typing
        self.until("!document.getElementById('status').textContent.startsWith('Searching')")

    def status(self) -> str:
        """What the explorer says of its list."""
        return str(self.js("document.getElementById('status').textContent"))

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that fit."""
        found = self.js(
            "[...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector
        )
        return [str(text) for text in found]

    def keys(self, *keys: str) -> None:
        """Press keys, whatever has the focus."""
        from selenium.webdriver.common.action_chains import ActionChains  # noqa: PLC0415  as above

        ActionChains(self.driver).send_keys(*keys).perform()

    def look(self, *, width: int, dark: bool = False) -> None:
        """Show the page at a width, in light or dark."""
        scheme = "dark" if dark else "light"
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    def bypass_policy(self, *, on: bool) -> None:
        """Let a test's own script (axe) work in a page whose policy forbids any."""
        self.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": on})

    def print_pdf(self) -> bytes:
        """The page as it is printed."""
        done = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
        return base64.b64decode(done["data"])

    def console(self) -> list[str]:
        """What the page has logged, policy violations among it."""
        return [str(entry["message"]) for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """Every address that was asked for since `open`, the page itself apart."""
        self._read_logs()
        return [
            url
            for url in self._requests
            if not url.startswith(("file:", "data:", "about:", "chrome:"))
        ]

    def _read_logs(self) -> None:
        for entry in self._log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                self._requests.append(str(event["params"]["request"]["url"]))

    def _log(self, name: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.driver.get_log(name)  # type: ignore[no-untyped-call]
        return entries
