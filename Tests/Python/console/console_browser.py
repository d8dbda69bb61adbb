"""Controls the console in Debian's Chromium.

`examine` checks the HTML of the open page with tidy and its accessibility with axe, in light and dark mode and on a
screen that is 400 px wide. Screenshots are stored beside the logs of the run. `close` asserts that the browser sent
requests only to the console, and that it logged no errors.
"""

import base64
import importlib.metadata
import json
import os
import re
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from process_helpers import installed

REPOSITORY = Path(__file__).resolve().parents[3]
SCREENSHOTS = REPOSITORY / ".build/test-logs/screenshots"
WIDE, NARROW = (1280, 900), (400, 800)
# Each page is checked in these variants: name of the screenshot, screen size, color scheme.
LOOKS = [
    ("light", WIDE, "light"), ("dark", WIDE, "dark"), ("narrow", NARROW, "light"), ("narrow-dark", NARROW, "dark"),
]
PATIENCE = 20
# Known false positives of Debian's tidy: aria-current (new in ARIA 1.1) and links within SVG.
NEWER_THAN_TIDY = (
    'proprietary attribute "aria-current"', '<a> proprietary attribute "href"', '<a> proprietary attribute "tabindex"',
)


def _axe() -> str:
    distribution = importlib.metadata.distribution("axe-playwright-python")
    return Path(distribution.locate_file("axe_playwright_python/axe.min.js")).read_text()


class Browser:
    """A browser window that shows the console of one server."""

    def __init__(self, address):
        self.address = address.rstrip("/")
        self._tidy = installed("tidy", "tidy")
        options = webdriver.ChromeOptions()
        options.binary_location = installed("chromium", "chromium")
        for argument in (
            "--headless=new", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=en-US",
            "--force-color-profile=srgb", "--font-render-hinting=none",
            # The browser resolves only the console's host name, so that it cannot contact another server.
            f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {urlsplit(address).hostname}",
        ):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(options, Service(installed("chromedriver", "chromium-driver")))
        self.driver.set_page_load_timeout(PATIENCE)
        self.requested = []
        self._documents = []
        self._axe = _axe()
        self._look(*LOOKS[0][1:])

    # Navigation -------------------------------------------------------------------------------------------------------

    def open(self, path="/console/"):
        self.driver.get(self.address + path)

    @property
    def path(self):
        """The path and query of the current address."""
        return self.driver.current_url.removeprefix(self.address)

    def without_script(self, is_without):
        """Turns off JavaScript for all pages that are loaded afterwards."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": is_without})

    # Reading ----------------------------------------------------------------------------------------------------------

    def all(self, selector, within=None):
        return (within or self.driver).find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, within=None):
        found = self.all(selector, within)
        assert len(found) == 1, f"{len(found)} elements match {selector} on {self.path}, expected one"
        return found[0]

    def text(self, selector="main"):
        return self.one(selector).text

    @property
    def heading(self):
        return self.text("h1")

    def wait(self, condition, what, seconds=PATIENCE):
        """Waits until a condition is true. Looks up elements again if a live page has replaced them."""
        deadline = time.monotonic() + seconds
        lacking = ""
        while True:
            try:
                if found := condition():
                    return found
            except AssertionError as missing:
                # The page is still loading.
                lacking = f" ({missing})"
            except WebDriverException as trouble:
                # The page has been replaced, or the browser is between two pages, and there is no document.
                is_gone = isinstance(trouble, (NoSuchElementException, StaleElementReferenceException))
                if not is_gone and "does not belong to the document" not in str(trouble):
                    raise
            assert time.monotonic() < deadline, (
                f"{what} did not appear on {self.path} within {seconds} s{lacking}:\n{self.text()[:900]}"
            )
            time.sleep(0.05)

    def see(self, words, selector="main", seconds=PATIENCE):
        """Waits until part of the page contains the text, without reloading the page."""
        self.wait(lambda: words in self.text(selector), repr(words), seconds)

    def visible(self, selector):
        """The number of visible elements. Only one of the three drawings of a timeline is visible at a time."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].filter((element) => element.checkVisibility()).length",
            selector,
        )

    def periods(self):
        """The kinds of the periods on the visible timeline, from left to right."""
        return self.driver.execute_script("""
            return [...document.querySelectorAll(".tl a .tl-bar")].filter((bar) => bar.checkVisibility())
                .map((bar) => bar.classList[1].replace("tl-", ""));
        """)

    def mark(self):
        """Marks the page. Only a reload removes this mark."""
        self.driver.execute_script("window.marked = true")

    def is_marked(self):
        return self.driver.execute_script("return window.marked === true")

    def source(self):
        """The HTML of the page as the server sent it, in answer to a request of any method."""
        self._read_log()
        url = self.driver.current_url.split("#")[0]
        documents = [request for request, address, kind in self._documents if kind == "Document"]
        assert documents, f"no document was received for {url}"
        answer = self.driver.execute_cdp_cmd("Network.getResponseBody", {"requestId": documents[-1]})
        assert not answer["base64Encoded"]
        return answer["body"]

    def unfold(self, words):
        """Opens the collapsed section with this title."""
        def open_it():
            found = [summary for summary in self.all("summary") if summary.text.strip() == words]
            assert len(found) == 1, f"{len(found)} sections are called {words!r} on {self.path}"
            found[0].click()
            return True

        self.wait(open_it, f"the fold {words!r}")

    def mark_of(self, words):
        """The symbol of a notification on the visible timeline."""
        return self.wait(
            lambda: self.driver.execute_script("""
                return [...document.querySelectorAll(".tl a")].find((link) => link.checkVisibility()
                    && link.querySelector("title").textContent.startsWith(arguments[0]))?.querySelector(".tl-mark");
            """, words),
            f"a mark of {words}",
        )

    # Actions ----------------------------------------------------------------------------------------------------------

    def follow(self, link):
        """Clicks on a link that the caller has found."""
        self._settle(link.click)

    def click(self, words, within=None):
        """Clicks on the link with this text, in part of the page or on the whole page."""
        def follow():
            found = [link for link in self.all("a", within and self.one(within)) if link.text.strip() == words]
            assert len(found) == 1, f"{len(found)} links say {words!r} on {self.path}"
            self._settle(found[0].click)
            return True

        self.wait(follow, f"the link {words!r}")

    def buttons(self, label, within=None, **parameters):
        """The buttons with this label and these path parameters."""
        return self.driver.execute_script(
            """
            const [label, parameters, within] = arguments;
            return [...(within || document).querySelectorAll("form button")].filter((button) =>
                button.textContent.trim().replace(/\\s+/g, " ") === label
                && Object.entries(parameters).every(([name, value]) =>
                    button.form.querySelector(`input[name="path.${name}"]`)?.value === value));
            """,
            label, parameters, within,
        )

    def act(self, label, values=None, within=None, **parameters):
        """Fills in a form by the labels of its fields, presses the form's button, and waits for the result."""
        def press():
            found = self.buttons(label, within and self.one(within), **parameters)
            assert len(found) == 1, f"{len(found)} buttons on {self.path} say {label!r} with {parameters}"
            # Collapsed sections are opened from the outermost to the innermost, as a user would do it.
            for details in found[0].find_elements(By.XPATH, "ancestor::details[not(@open)]"):
                self.one(":scope > summary", details).click()
            form = found[0].find_element(By.XPATH, "ancestor::form")
            for name, value in (values or {}).items():
                self._fill(form, name, value)
            self._settle(found[0].click)
            return True

        # A live page may replace the form after the test has found it.
        self.wait(press, f"a way to {label!r}")
        self.wait(lambda: self.all("#effect"), f"what {label!r} caused")

    def choose(self, form, name, value):
        """Fills in a field of the form with this selector, and does not send the form."""
        self._fill(self.one(form), name, value)

    def _fill(self, form, name, value):
        labels = [label for label in self.all("label", form) if label.text.strip() == name]
        assert len(labels) == 1, f"{len(labels)} fields of the form are called {name!r}"
        field = self.driver.find_element(By.ID, labels[0].get_attribute("for"))
        kind = field.get_attribute("type")
        if field.tag_name == "select":
            Select(field).select_by_visible_text(value)
        elif kind == "checkbox":
            if field.is_selected() != value:
                field.click()
        elif kind == "file":
            field.send_keys(str(value))
        else:
            self._write(field, value, can_be_typed=kind != "datetime-local")

    def _write(self, field, value, can_be_typed=True):
        """Types a text. The script sets a date (a user would type its parts in the order of the locale), a text that is
        too long to be typed, and characters outside of the Basic Multilingual Plane."""
        field.clear()
        if can_be_typed and len(value) < 200 and all(ord(letter) < 0x10000 for letter in value):
            field.send_keys(value)
        else:
            self.driver.execute_script("arguments[0].value = arguments[1]", field, value)

    def _settle(self, action):
        """Performs an action that loads a page, and waits until the page is loaded."""
        self.driver.execute_script("window.isLeft = true")
        action()
        self.wait(
            lambda: self.driver.execute_script("return !window.isLeft && document.readyState === 'complete'"),
            "another page",
        )

    def fill(self, field, value):
        """Writes into the field with this id."""
        self._write(self.driver.find_element(By.ID, field), value)

    def send(self, label):
        """Presses a button that opens another page."""
        found = self.buttons(label)
        assert len(found) == 1, f"{len(found)} buttons on {self.path} say {label!r}"
        self._settle(found[0].click)

    def focus(self, label, most=200):
        """Presses Tab until the button with this label has the focus."""
        for _ in range(most):
            self.press("TAB")
            if self.focused.get_attribute("textContent").strip() == label:
                return
        raise AssertionError(f"the tabulator does not lead to {label!r} on {self.path}")

    def settle_after(self, key):
        """Presses a key that opens another page."""
        self._settle(lambda: self.press(key))

    def press(self, key):
        """Presses a key in the element that has the focus."""
        self.focused.send_keys(getattr(Keys, key))

    @property
    def focused(self):
        return self.driver.switch_to.active_element

    # Checks -----------------------------------------------------------------------------------------------------------

    def examine(self, name):
        """Checks the open page and takes screenshots."""
        findings = [f"tidy: {finding}" for finding in self._tidied(self.source())]
        for look, screen, scheme in LOOKS:
            self._look(screen, scheme)
            self._shoot(f"{name}-{look}")
            findings += [f"axe, {look}: {finding}" for finding in self._barriers()]
            findings += [f"{look}: wider than the screen: {element}" for element in self._too_wide()]
            findings += [f"{look}: out of sight: {element}" for element in self._out_of_sight()]
            if screen == NARROW:
                findings += [f"{look}: scrolls sideways: {element}" for element in self._scrolled()]
        self._look(*LOOKS[0][1:])
        assert not findings, f"{name} ({self.path}):\n" + "\n".join(findings)

    def examine_now(self, name):
        """Checks the open page in the present state and look."""
        self._shoot(name)
        findings = [f"axe: {finding}" for finding in self._barriers()] + self._too_wide() + self._out_of_sight()
        assert not findings, f"{name} ({self.path}):\n" + "\n".join(findings)

    def _look(self, screen, scheme):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": screen[0], "height": screen[1], "deviceScaleFactor": 1, "mobile": False},
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ]},
        )

    def _shoot(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        answer = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "fromSurface": True}
        )
        (SCREENSHOTS / f"{name}.png").write_bytes(base64.b64decode(answer["data"]))

    def _tidied(self, html):
        run = subprocess.run(
            [self._tidy, "-quiet", "-errors", "-utf8", "--show-warnings", "yes", "--drop-empty-elements", "no"],
            input=html.encode(), capture_output=True, timeout=PATIENCE,
        )
        lines = run.stderr.decode(errors="replace").splitlines()
        return [line for line in lines if not line.endswith(NEWER_THAN_TIDY)]

    def _barriers(self):
        """The findings of axe, one line each."""
        self.driver.execute_script(self._axe)
        found = self.driver.execute_async_script("""
            const done = arguments[0];
            axe.run(document, { resultTypes: ["violations"] }).then((result) => done(result.violations), done);
        """)
        assert isinstance(found, list), f"axe did not run: {found}"
        return [
            f"{finding['id']}: {finding['help']}: "
            + "; ".join(f"{node['target']} {node['html'][:200]}" for node in finding["nodes"][:3])
            for finding in found
        ]

    def _too_wide(self):
        """The elements that are too wide, so that the page scrolls sideways."""
        return self.driver.execute_script("""
            if (document.documentElement.scrollWidth <= window.innerWidth) return [];
            const found = [...document.querySelectorAll("body *")].filter((element) => {
                const isScrolled = element.parentElement.closest(".scroll");
                const isPlaced = getComputedStyle(element).position === "absolute";
                return element.getBoundingClientRect().right > window.innerWidth && (isPlaced || !isScrolled);
            });
            return found.map((element) => element.outerHTML.slice(0, 120)).concat("the page").slice(0, 4);
        """)

    def _out_of_sight(self):
        """The buttons, links and fields that a user sees only after scrolling sideways, outside of drawings."""
        return self.driver.execute_script("""
            const selector = "main button, main a, main input, main select, main textarea, header a";
            return [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility()
                && !element.closest("svg, pre") && element.getBoundingClientRect().right > window.innerWidth + 1
            ).map((element) => element.outerHTML.slice(0, 160)).slice(0, 4);
        """)

    def _scrolled(self):
        """The parts of the page whose content is cut off unless a user scrolls them sideways."""
        return self.driver.execute_script("""
            return [...document.querySelectorAll(".scroll")].filter((part) => part.checkVisibility()
                && part.scrollWidth > part.clientWidth + 1).map((part) => part.outerHTML.slice(0, 160));
        """)

    def on_a_phone(self):
        """A context in which the screen is 400 px wide."""
        return Phone(self)

    def _read_log(self):
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            values = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                self.requested.append(values["request"]["url"])
                self._documents.append((values["requestId"], values["request"]["url"], values.get("type")))
            elif message["method"] == "Network.webSocketCreated":
                self.requested.append(values["url"])

    def check_requests(self):
        """Asserts that every request went to the console or to a data URL."""
        self._read_log()
        strange = sorted({
            url for url in self.requested
            if not url.startswith((self.address + "/console", "data:", "about:")) and url != self.address + "/"
        })
        assert not strange, f"requests to other servers: {strange}"
        assert self.requested

    def check_complaints(self):
        """Asserts that the browser logged no script error and no violation of the content security policy."""
        complaints = [
            entry["message"] for entry in self.driver.get_log("browser")
            # A page that reports an error also has an error status, which the browser logs.
            if entry["level"] in ("SEVERE", "WARNING") and not re.search(r"status of 4\d\d", entry["message"])
        ]
        assert not complaints, complaints

    def close(self):
        try:
            self.check_requests()
            self.check_complaints()
        finally:
            self.driver.quit()


class Phone:
    """Shows the pages of a browser on a narrow screen."""

    def __init__(self, browser):
        self._browser = browser

    def __enter__(self):
        self._browser._look(*LOOKS[2][1:])
        return self._browser

    def __exit__(self, *_):
        self._browser._look(*LOOKS[0][1:])
