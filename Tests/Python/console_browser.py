"""A browser that looks at the console: Debian's Chromium, led by its driver.

Whatever page is looked at, `examine` has its HTML checked by tidy, and looks for what keeps people out with axe, in
light, in dark, and on a screen of 400 px. Screenshots are kept beside the logs of the run. Every request that the
browser ever made must have gone to the console; `close` says so, and that nothing was complained of on the way.
"""

import base64
import importlib.metadata
import json
import os
import re
import shutil
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

REPOSITORY = Path(__file__).resolve().parents[2]
SCREENSHOTS = REPOSITORY / ".build/test-logs/screenshots"
INSTALLS = "Install what the tests need with: scripts/install test"
WIDE, NARROW = (1280, 900), (400, 800)
# How each page is looked at: the name of the screenshot, the screen, the scheme of colours.
LOOKS = [("light", WIDE, "light"), ("dark", WIDE, "dark"), ("narrow", NARROW, "light")]
PATIENCE = 20
# Where Debian's tidy is wrong: aria-current came with ARIA 1.1, and a link within SVG is a link, too.
NEWER_THAN_TIDY = (
    'proprietary attribute "aria-current"', '<a> proprietary attribute "href"', '<a> proprietary attribute "tabindex"',
)


def _program(*names):
    for name in names:
        if found := shutil.which(name):
            return found
    raise AssertionError(f"{names[0]} is missing. {INSTALLS}")


def _axe() -> str:
    distribution = importlib.metadata.distribution("axe-playwright-python")
    return Path(distribution.locate_file("axe_playwright_python/axe.min.js")).read_text()


class Browser:
    """One window, on the console of one server."""

    def __init__(self, address):
        self.address = address.rstrip("/")
        tidy, driver = _program("tidy"), _program("chromedriver")
        self._tidy = tidy
        options = webdriver.ChromeOptions()
        options.binary_location = _program("chromium")
        for argument in (
            "--headless=new", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=en-US",
            "--force-color-profile=srgb", "--font-render-hinting=none",
            # No name is looked up but the console's, so that nothing can be asked of anybody else.
            f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {urlsplit(address).hostname}",
        ):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(options, Service(driver))
        self.driver.set_page_load_timeout(PATIENCE)
        self.requested = []
        self._documents = []
        self._axe = _axe()
        self._look(*LOOKS[0][1:])

    # Going somewhere --------------------------------------------------------------------------------------------------

    def open(self, path="/console/"):
        self.driver.get(self.address + path)

    @property
    def path(self):
        """The path and query of the address that the window shows."""
        return self.driver.current_url.removeprefix(self.address)

    def reload(self):
        self.driver.refresh()

    def without_script(self, is_without):
        """Whether pages that are loaded from now on run none."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": is_without})

    # Looking ----------------------------------------------------------------------------------------------------------

    def all(self, selector, within=None):
        return (within or self.driver).find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, within=None):
        found = self.all(selector, within)
        assert len(found) == 1, f"{len(found)} elements are {selector} on {self.path}, and one was expected"
        return found[0]

    def text(self, selector="main"):
        return self.one(selector).text

    @property
    def heading(self):
        return self.text("h1")

    def wait(self, condition, what, seconds=PATIENCE):
        """Waits until a condition holds; elements that a live page replaced meanwhile are looked up again."""
        deadline = time.monotonic() + seconds
        lacking = ""
        while True:
            try:
                if found := condition():
                    return found
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            except AssertionError as missing:
                # Of a page that is on its way not everything is there yet.
                lacking = f" ({missing})"
            except WebDriverException as trouble:
                # Between two pages there is nothing to ask.
                if "does not belong to the document" not in str(trouble):
                    raise
            assert time.monotonic() < deadline, (
                f"{what} did not come on {self.path} in {seconds} s{lacking}:\n{self.text()[:900]}"
            )
            time.sleep(0.05)

    def see(self, words, selector="main", seconds=PATIENCE):
        """Waits until a part of the page says so, without loading it again."""
        self.wait(lambda: words in self.text(selector), repr(words), seconds)

    def visible(self, selector):
        """How many elements are to be seen: of the three drawings of a timeline one is."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].filter((element) => element.checkVisibility()).length",
            selector,
        )

    def periods(self):
        """The kinds of the periods on the timeline that is to be seen, from left to right."""
        return self.driver.execute_script("""
            return [...document.querySelectorAll(".tl a .tl-bar")].filter((bar) => bar.checkVisibility())
                .map((bar) => bar.classList[1].replace("tl-", ""));
        """)

    def mark(self):
        """Leaves a mark on the page that only loading it again takes away."""
        self.driver.execute_script("window.marked = true")

    def is_marked(self):
        return self.driver.execute_script("return window.marked === true")

    def source(self):
        """The page's HTML as the server sent it, whichever request it answered."""
        self._read_log()
        url = self.driver.current_url.split("#")[0]
        documents = [request for request, address, kind in self._documents if kind == "Document"]
        assert documents, f"no document came for {url}"
        answer = self.driver.execute_cdp_cmd("Network.getResponseBody", {"requestId": documents[-1]})
        assert not answer["base64Encoded"]
        return answer["body"]

    def unfold(self, words):
        """Opens what is folded away under these words."""
        def open_it():
            found = [summary for summary in self.all("summary") if summary.text.strip() == words]
            assert len(found) == 1, f"{len(found)} folds are called {words!r} on {self.path}"
            found[0].click()
            return True

        self.wait(open_it, f"the fold {words!r}")

    def mark_of(self, words):
        """The mark of a notification on the timeline that is to be seen."""
        return self.wait(
            lambda: self.driver.execute_script("""
                return [...document.querySelectorAll(".tl a")].find((link) => link.checkVisibility()
                    && link.querySelector("title").textContent.startsWith(arguments[0]))?.querySelector(".tl-mark");
            """, words),
            f"a mark of {words}",
        )

    # Acting -----------------------------------------------------------------------------------------------------------

    def follow(self, link):
        """Clicks on a link that was found."""
        self._settle(link.click)

    def click(self, words, within=None):
        """Follows the link of these words, in a part of the page or anywhere."""
        def follow():
            found = [link for link in self.all("a", within and self.one(within)) if link.text.strip() == words]
            assert len(found) == 1, f"{len(found)} links say {words!r} on {self.path}"
            self._settle(found[0].click)
            return True

        self.wait(follow, f"the link {words!r}")

    def buttons(self, label, within=None, **parameters):
        """The buttons that say so, with these parameters of their verb's path."""
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
        """Fills a form in by the labels of its fields and presses its button, then waits for what that caused."""
        def press():
            found = self.buttons(label, within and self.one(within), **parameters)
            assert len(found) == 1, f"{len(found)} buttons on {self.path} say {label!r} with {parameters}"
            # What is folded away is unfolded from the outside in, as a person would.
            for details in found[0].find_elements(By.XPATH, "ancestor::details[not(@open)]"):
                self.one(":scope > summary", details).click()
            form = found[0].find_element(By.XPATH, "ancestor::form")
            for name, value in (values or {}).items():
                self._fill(form, name, value)
            self._settle(found[0].click)
            return True

        # A live page may put a new form in place of the one that was found.
        self.wait(press, f"a way to {label!r}")
        self.wait(lambda: self.all("#effect"), f"what {label!r} caused")

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
        elif kind == "datetime-local":
            # A person types it part by part, as their language has it; what comes of it is the same.
            self.driver.execute_script("arguments[0].value = arguments[1]", field, value)
        else:
            field.clear()
            # Keys beyond the first plane have no key of their own.
            if all(ord(letter) < 0x10000 for letter in value):
                field.send_keys(value)
            else:
                self.driver.execute_script("arguments[0].value = arguments[1]", field, value)

    def _settle(self, action):
        """Does something that loads a page, and waits for that page."""
        self.driver.execute_script("window.isLeft = true")
        action()
        self.wait(
            lambda: self.driver.execute_script("return !window.isLeft && document.readyState === 'complete'"),
            "another page",
        )

    def fill(self, field, value):
        """Writes into the field with an id."""
        found = self.driver.find_element(By.ID, field)
        found.clear()
        if len(value) < 200:
            found.send_keys(value)
        else:
            # Nobody types as much as that.
            self.driver.execute_script("arguments[0].value = arguments[1]", found, value)

    def send(self, label):
        """Presses a button that leads to another page."""
        found = self.buttons(label)
        assert len(found) == 1, f"{len(found)} buttons on {self.path} say {label!r}"
        self._settle(found[0].click)

    def focus(self, label, most=200):
        """Goes on with the tabulator until the focus is on the button that says so."""
        for _ in range(most):
            self.press("TAB")
            if self.focused.get_attribute("textContent").strip() == label:
                return
        raise AssertionError(f"the tabulator does not lead to {label!r} on {self.path}")

    def settle_after(self, *keys):
        """Presses keys that lead to another page."""
        self._settle(lambda: self.press(*keys))

    def press(self, *keys):
        """Presses keys one after the other, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(getattr(Keys, key, key))

    @property
    def focused(self):
        return self.driver.switch_to.active_element

    # Judging ----------------------------------------------------------------------------------------------------------

    def examine(self, name):
        """Checks the page that is open, and keeps what it looks like."""
        findings = [f"tidy: {finding}" for finding in self._tidied(self.source())]
        for look, screen, scheme in LOOKS:
            self._look(screen, scheme)
            self._shoot(f"{name}-{look}")
            findings += [f"axe, {look}: {finding}" for finding in self._barriers()]
            findings += [f"{look}: wider than the screen: {element}" for element in self._too_wide()]
        self._look(*LOOKS[0][1:])
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
        """What axe finds, in one line each."""
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
        """What makes the page itself scroll sideways."""
        return self.driver.execute_script("""
            if (document.documentElement.scrollWidth <= window.innerWidth) return [];
            const found = [...document.querySelectorAll("body *")].filter((element) => {
                const isScrolled = element.parentElement.closest(".scroll");
                const isPlaced = getComputedStyle(element).position === "absolute";
                return element.getBoundingClientRect().right > window.innerWidth && (isPlaced || !isScrolled);
            });
            return found.map((element) => element.outerHTML.slice(0, 120)).concat("the page").slice(0, 4);
        """)

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
        """Every request went to the console; a page may hold data in itself."""
        self._read_log()
        strange = sorted({
            url for url in self.requested
            if not url.startswith((self.address + "/console", "data:", "about:")) and url != self.address + "/"
        })
        assert not strange, f"asked of somebody else: {strange}"
        assert self.requested

    def check_complaints(self):
        """The browser complained of nothing: no script broke, and nothing was kept from a page by its policy."""
        complaints = [
            entry["message"] for entry in self.driver.get_log("browser")
            # A page that says no has a status that says so, too.
            if entry["level"] in ("SEVERE", "WARNING") and not re.search(r"status of 4\d\d", entry["message"])
        ]
        assert not complaints, complaints

    def close(self):
        try:
            self.check_requests()
            self.check_complaints()
        finally:
            self.driver.quit()

