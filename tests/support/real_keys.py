"""Browsers with a window on a display of their own, and keys and clicks that reach them as a person's do.

Playwright and WebDriver hand events to the page that they name. Whether a key reaches the element that has
the focus, and whether Tab gets into a frame, is seen only with events that come from the display.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

#: The programs that are needed, each with the Debian package that has it.
PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool", "chromium": "chromium", "firefox-esr": "firefox-esr"}
_SECONDS = 30.0  # to wait for a browser on a busy machine
#: No pages of its own, no updates, no connections to Mozilla.
_FIREFOX = """\
user_pref("marionette.port", 0);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("termsofuse.bypassNotification", true);
user_pref("app.update.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("dom.ipc.processCount", 1);
user_pref("dom.ipc.processPrelaunch.enabled", false);
"""


def missing() -> str:
    """The Debian packages that lack."""
    return " ".join(package for program, package in PROGRAMS.items() if shutil.which(program) is None)


@dataclass(frozen=True)
class Window:
    """A browser window that fills a display."""

    display: str
    open: Callable[[str], Any]
    evaluate: Callable[[str], Any]  #: the value of an expression of JavaScript
    console: Callable[[], list[str]]  #: errors and warnings about our pages so far

    def press(self, *keys: str) -> None:
        """Press keys, by their names in X11."""
        self._do("key", "--delay", "20", *keys)

    def write(self, text: str) -> None:
        self._do("type", "--delay", "20", text)

    def click(self, selector: str, until: str) -> None:
        """Click near the upper edge of an element, in the middle from left to right, until something is true.

        Browsers drop clicks on a page that they have not shown yet, and people click again.
        """
        end = time.monotonic() + _SECONDS
        while not self.evaluate(until):
            assert time.monotonic() < end, f"clicks on {selector} did not help: {until}"
            self._click(selector)
            again = time.monotonic() + 1
            while time.monotonic() < again and not self.evaluate(until):
                time.sleep(0.02)

    def _click(self, selector: str) -> None:
        x, y = self.evaluate(
            f"(() => {{ const element = document.querySelector({selector!r});"
            "element.scrollIntoView({block: 'nearest'});"
            "const box = element.getBoundingClientRect();"
            "const left = window.mozInnerScreenX ?? screenX + (outerWidth - innerWidth) / 2;"
            "const top = window.mozInnerScreenY ?? screenY + outerHeight - innerHeight;"
            "return [left + box.x + box.width / 2, top + box.y + Math.min(20, box.height / 2)]; })()"
        )
        self._do("mousemove", str(round(x)), str(round(y)), "click", "1")

    def shown(self) -> None:
        """Wait until the page is on the display; keys that are pressed before may be lost."""
        self.until("document.readyState == 'complete' && performance.getEntriesByType('paint').length > 0")

    def until(self, condition: str) -> Any:
        """Wait until an expression is true."""
        end = time.monotonic() + _SECONDS
        while not (found := self.evaluate(condition)):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)
        return found

    def _do(self, *command: str) -> None:
        subprocess.run(["xdotool", *command], env=_environment(self.display), check=True)


@contextmanager
def chromium() -> Iterator[Window]:
    """Debian's Chromium."""
    from playwright.sync_api import Error, sync_playwright

    with _display() as display, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"),
            headless=False,
            args=["--no-sandbox", "--window-position=0,0", "--window-size=1280,900"],
            env={**_environment(display)},
        )
        page = browser.new_page(no_viewport=True)
        said: list[str] = []

        def evaluate(expression: str) -> Any:
            try:
                return page.evaluate(expression)
            except Error as error:
                if "navigation" not in error.message:
                    raise
            page.wait_for_load_state()
            return page.evaluate(expression)

        page.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
        yield Window(display, page.goto, evaluate, lambda: said)
        browser.close()


@contextmanager
def firefox() -> Iterator[Window]:
    """Debian's Firefox, which answers by Marionette, the protocol behind geckodriver."""
    with _display() as display, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder, "user.js").write_text(_FIREFOX)
        command = [
            "firefox-esr",
            "--marionette",
            "--remote-allow-system-access",
            "--no-remote",
            "--profile",
            folder,
        ]
        environment = _environment(display) | {"HOME": folder, "MOZ_CRASHREPORTER_DISABLE": "1"}
        running = subprocess.Popen(
            [*command, "--width", "1280", "--height", "900"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            port = _port(Path(folder, "MarionetteActivePort"))
            with socket.create_connection(("127.0.0.1", port)) as line, line.makefile("rb") as answers:
                yield _firefox_window(display, line, answers)
        finally:
            running.terminate()
            running.wait()


def _firefox_window(display: str, line: socket.socket, answers: BinaryIO) -> Window:
    count = 0

    def answer() -> Any:
        length = bytearray()
        while (sign := answers.read(1)) != b":":
            assert sign, "Firefox has gone"
            length += sign
        return json.loads(answers.read(int(length)))

    def ask(command: str, **parameters: Any) -> Any:
        nonlocal count
        count += 1
        text = json.dumps([0, count, command, parameters]).encode()
        line.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = answer()
        assert error is None, error
        return result

    def evaluate(expression: str) -> Any:
        return ask("WebDriver:ExecuteScript", script=f"return {expression};", args=[])["value"]

    def console() -> list[str]:
        ask("Marionette:SetContext", value="chrome")
        said: list[str] = evaluate(
            "Services.console.getMessageArray()"
            ".filter((one) => one instanceof Ci.nsIScriptError && one.sourceName.startsWith('http'))"
            ".map((one) => one.errorMessage)"
        )
        ask("Marionette:SetContext", value="content")
        return said

    answer()  # which says that it is Firefox
    ask("WebDriver:NewSession", capabilities={"alwaysMatch": {"unhandledPromptBehavior": "ignore"}})
    subprocess.run(
        ["xdotool", "search", "--sync", "--onlyvisible", "--class", "firefox", "windowfocus"],
        env=_environment(display),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return Window(display, lambda url: ask("WebDriver:Navigate", url=url), evaluate, console)


def _port(file: Path) -> int:
    """The port that Firefox writes to a file when it listens."""
    end = time.monotonic() + _SECONDS
    while not (file.is_file() and (text := file.read_text())):
        assert time.monotonic() < end, "Firefox did not start"
        time.sleep(0.05)
    return int(text)


@contextmanager
def _display() -> Iterator[str]:
    """A display of its own, whose name is that of the first free one."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    running = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as file:
            yield f":{file.readline().strip()}"
    finally:
        running.terminate()
        running.wait()


def _environment(display: str) -> dict[str, str]:
    return {**os.environ, "DISPLAY": display}
