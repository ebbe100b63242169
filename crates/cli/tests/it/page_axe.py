"""What axe, the accessibility checker, finds on pages in Chromium, at a desktop's and a phone's width, light and dark.

    python3 page_axe.py AXE.MIN.JS CHROMIUM SCREENSHOTS URL...

For each page, width and color scheme a line of JSON: `url`, `width` in CSS pixels, `scheme`, `violations` (`id`, `impact`,
`help` and up to five `targets` each), and `overflow`: by how many CSS pixels the page is wider than the screen. A
screenshot of each goes into the folder SCREENSHOTS, in the order of the lines: `01-1280-light.png`.

Chromium is driven by its own protocol over two pipes (`--remote-debugging-pipe`), so nothing is needed but Python, and
axe is evaluated by the debugger, which no Content-Security-Policy of the page keeps out.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator, Optional

#: CSS pixels: width and height of the screen.
SCREENS = ((1280, 900), (390, 844))
SCHEMES = ("light", "dark")

#: Rules that tell of a fault, not of taste: WCAG 2 at level AA, and what axe calls best practices.
OPTIONS = {"resultTypes": ["violations"]}


class Browser:
    """A Chromium with one page."""

    def __init__(self, chromium: str, profile: str) -> None:
        to_browser, own_write = os.pipe()
        own_read, from_browser = os.pipe()
        # The browser reads from its descriptor 3 and writes to 4; the shell puts them there.
        script = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$0" "$@"'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", script, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
            + ["--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.write, self.read = os.fdopen(own_write, "wb", 0), os.fdopen(own_read, "rb", 0)
        self.number, self.rest, self.session = 0, b"", None  # type: int, bytes, Optional[str]
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def messages(self) -> Iterator[Any]:
        while True:
            while b"\0" not in self.rest:
                more = self.read.read(1 << 16)
                if not more:
                    raise SystemExit("Chromium ended")
                self.rest += more
            one, self.rest = self.rest.split(b"\0", 1)
            yield json.loads(one)

    def call(self, method: str, **parameters: Any) -> Any:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.write.write(json.dumps(message).encode() + b"\0")
        for answer in self.messages():
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
        raise AssertionError

    def open(self, url: str) -> None:
        said = self.call("Page.navigate", url=url)
        if "errorText" in said:
            raise SystemExit(f"{url}: {said['errorText']}")
        for message in self.messages():
            if message.get("method") == "Page.loadEventFired":
                return

    def evaluate(self, expression: str) -> Any:
        said = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in said:
            raise SystemExit(str(said["exceptionDetails"]))
        return said["result"].get("value")

    def end(self) -> None:
        self.session = None
        self.call("Browser.close")
        self.process.wait(30)


def violations(browser: Browser, axe: str) -> list[Any]:
    browser.evaluate(axe + "; 0")
    found = browser.evaluate(f"axe.run({json.dumps(OPTIONS)}).then(found => found.violations)")
    return [
        {
            "id": one["id"],
            "impact": one["impact"],
            "help": one["help"],
            "targets": [node["target"] for node in one["nodes"][:5]],
            "why": [node.get("failureSummary", "") for node in one["nodes"][:2]],
        }
        for one in found
    ]


def main(axe_file: str, chromium: str, screenshots: str, urls: list[str]) -> None:
    axe = Path(axe_file).read_text(encoding="utf-8")
    folder = Path(screenshots)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(chromium, profile)
        for number, url in enumerate(urls, 1):
            for width, height in SCREENS:
                size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
                browser.call("Emulation.setDeviceMetricsOverride", **size)
                for scheme in SCHEMES:
                    wanted = [{"name": "prefers-color-scheme", "value": scheme}]
                    browser.call("Emulation.setEmulatedMedia", features=wanted)
                    browser.open(url)
                    wider = browser.evaluate("document.scrollingElement.scrollWidth") - width
                    found = violations(browser, axe)
                    shot = browser.call("Page.captureScreenshot", format="png")["data"]
                    folder.joinpath(f"{number:02}-{width}-{scheme}.png").write_bytes(base64.b64decode(shot))
                    row = {"url": url, "width": width, "scheme": scheme, "overflow": max(0, wider), "violations": found}
                    print(json.dumps(row), flush=True)
        browser.end()


if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4:])
