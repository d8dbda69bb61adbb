"""The documentation site (docs/, mkdocs.yml): it builds without a warning, every link has a target, a browser loads
nothing from another server, search finds pages, axe finds nothing, and the generated parts are those of the code."""

import importlib.util
import logging
import re
import subprocess
import sys
import threading
from functools import cached_property
from html import escape, unescape
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import requests

from process_helpers import ROOT

sys.path.insert(0, str(ROOT / "Tests/Python/console"))
from console_browser import LOOKS, Browser  # noqa: E402

DOCS = ROOT / "docs"
SITE = ROOT / ".build/docs/site"
# Attributes whose address a browser loads without a click.
LOADED = {
    "script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src", "object": "data",
}
# Relations of a link element that a browser only keeps.
KEPT = {"canonical", "next", "prev", "alternate"}
PATIENCE = 120
EXAMINED = ["", "operating/settings/", "reference/control/purchases/"]


class Page(HTMLParser):
    """The links of a page, what a browser loads with it, and its anchors."""

    def __init__(self, file: Path):
        super().__init__()
        self.file, self.links, self.loaded, self.anchors = file, [], [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if given.get(LOADED.get(tag)) and not KEPT & set((given.get("rel") or "").split()):
            self.loaded.append(given[LOADED[tag]])


class Site:
    """The built site. A build takes a few seconds."""

    def __init__(self):
        outcome = subprocess.run([ROOT / "scripts/docs", "site"], capture_output=True, text=True, timeout=300)
        assert outcome.returncode == 0, outcome.stdout[-4_000:] + outcome.stderr[-4_000:]

    @cached_property
    def pages(self) -> dict[Path, Page]:
        return {file: Page(file) for file in sorted(SITE.rglob("*.html"))}


@pytest.fixture(scope="module")
def site():
    return Site()


@pytest.fixture(scope="module")
def address(site):
    """The address of a server with the files of the site."""
    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *given):
            super().__init__(*given, directory=str(SITE))

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(address):
    browser = Browser(address)
    yield browser
    browser.driver.quit()


def test_each_page_of_docs_is_a_page_of_the_site(site):
    # MkDocs itself fails the build for a page that is not in the navigation.
    pages = [page.relative_to(DOCS) for page in DOCS.rglob("*.md")]
    assert len(pages) > 90
    for page in pages:
        folder = page.parent if page.name == "index.md" else page.with_suffix("")
        assert SITE / folder / "index.html" in site.pages, page


def test_each_link_of_the_site_has_a_target(site):
    wrong = []
    for file, page in site.pages.items():
        # The page for unknown addresses has absolute links.
        for link in page.links + page.loaded if file.name != "404.html" else []:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme in ("http", "https") and parts.netloc, f"{file}: {link}"
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                wrong.append(f"{file.relative_to(SITE)}: {link}")
            elif parts.fragment and target in site.pages and unquote(parts.fragment) not in site.pages[target].anchors:
                wrong.append(f"{file.relative_to(SITE)}: {link}")
    assert not wrong, "\n".join(wrong[:20])


def test_each_documentation_link_of_the_console_leads_to_its_page(site, address, serve):
    """Visits every page of the console that a link leads to, from a server that knows the address of the site."""
    control = serve("--demo", "--documentation-url", address).address("control")
    left, visited, links = ["/console/"], set(), {}
    while left:
        path = left.pop()
        # One customer, transaction, product and notification have the links of all others.
        kind = re.sub(r"(customers|transactions|products|notifications|requests)/[^/?]+", r"\1/…", urlsplit(path).path)
        if kind in visited:
            continue
        visited.add(kind)
        answer = requests.get(control + path, timeout=60)
        assert answer.status_code == 200, path
        found = re.findall(r'<a href="([^"]+)"[^>]*>([^<]*)', answer.text)
        links |= {unescape(link): unescape(words) for link, words in found if link.startswith(address)}
        places = [unescape(link) for link, _ in re.findall(r'href="([^"]+)"()', answer.text)]
        left += [place for place in places if place.startswith("/console/") and "download" not in place]
    assert len(visited) > 20 and len(links) > 10, (visited, links)
    for link, words in links.items():
        parts = urlsplit(link)
        file = SITE / unquote(parts.path).strip("/") / "index.html"
        assert file in site.pages, link
        assert not parts.fragment or parts.fragment in site.pages[file].anchors, link
        assert re.search(rf"<h1[^>]*>{re.escape(escape(words, quote=False))}", file.read_text()), f"{link}: {words}"


def test_links_to_the_repository_lead_to_files_that_exist(site):
    links = {link for page in site.pages.values() for link in page.links if re.search(r"/(?:blob|tree)/main/", link)}
    assert len(links) >= 5
    for link in links:
        assert (ROOT / re.split(r"/(?:blob|tree)/main/", urlsplit(link).path)[1]).exists(), link


def test_a_browser_loads_nothing_from_another_server(site):
    loaded = {address for page in site.pages.values() for address in page.loaded}
    assert len(loaded) > 3
    assert not [address for address in loaded if urlsplit(address).netloc]
    for file in SITE.rglob("*.css"):
        for address in re.findall(r"(?:url\(|@import )[\"']?([^\"')\s]+)", file.read_text()):
            assert not urlsplit(address).netloc, f"{file.name}: {address}"


def test_search_finds_refunds(browser, address):
    browser.open("/")
    browser.driver.execute_script("document.querySelector('[data-md-component=search-query]').focus()")
    browser.driver.switch_to.active_element.send_keys("refund")
    results = ".md-search-result__link"
    browser.wait(lambda: browser.all(results), "a result", seconds=PATIENCE)
    found = [link.get_attribute("href") for link in browser.all(results)]
    assert any("/api/refunds/" in link for link in found), found
    first = found[0]
    browser.driver.get(first)
    assert "refund" in browser.text("article").lower()


@pytest.mark.parametrize("path", EXAMINED)
def test_axe_finds_nothing(browser, path):
    browser.open(f"/{path}")
    findings = []
    for look, screen, scheme in LOOKS:
        browser._look(screen, scheme)
        wanted = "slate" if scheme == "dark" else "default"
        body = f"body[data-md-color-scheme={wanted}]"
        browser.wait(lambda: browser.all(body), f"the scheme {wanted}", seconds=PATIENCE)
        findings += [f"{look}: {finding}" for finding in [*browser._barriers(), *browser._too_wide()]]
    assert not findings, "\n".join(findings)


def test_the_browser_asked_only_the_site(browser, address):
    """Runs after the tests that open pages."""
    browser._read_log()
    assert any("search" in url for url in browser.requested)
    assert not [url for url in browser.requested if not url.startswith((address, "data:", "about:", "blob:"))]
    browser.check_complaints()


@pytest.mark.parametrize("link, expected", [
    ("../../SECURITY.md#report", "https://example.com/till/blob/main/SECURITY.md#report"),
    ("../../Operations", "https://example.com/till/tree/main/Operations"),
    ("../catalog.md#the-catalog-as-json", "../catalog.md#the-catalog-as-json"),
    ("https://www.swift.org/install/", "https://www.swift.org/install/"),
])
def test_a_link_leads_to_the_site_or_to_the_repository(link, expected, caplog):
    assert hooks().target(link, DOCS / "api", "api/a.md", "https://example.com/till") == expected
    assert not caplog.records


@pytest.mark.parametrize("link", ["../../NOTHING.md", "../../../etc/passwd", "https:/www.swift.org", "htp://swift.org"])
def test_a_wrong_link_is_a_warning(link, caplog):
    """A warning of this logger fails the build."""
    assert hooks().target(link, DOCS / "api", "api/a.md", "https://example.com/till") == link
    assert [(record.levelno, record.name) for record in caplog.records] == [(logging.WARNING, "mkdocs.hooks.site")]


def hooks():
    specification = importlib.util.spec_from_file_location("site_hooks", ROOT / "scripts/site/hooks.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("method, path, body", [
    ("GET", "/v1/apps/com.example.none", None),
    ("GET", "/v1/apps/com.example.none/moon/customers", None),
    ("GET", "/v1/apps?color=red", None),
    ("GET", "/v1/none", None),
    ("GET", "/v1/search", None),
    ("GET", "/v1/search?value=", None),
    ("GET", "/v1/snapshots/none/differences", None),
    ("POST", "/v1/apps", {"bundleId": "-"}),
    ("POST", "/v1/apps", {"bundleId": 5}),
    ("POST", "/v1/tokens", {"name": "administrator"}),
    ("POST", "/v1/snapshots/none/restore", None),
    ("DELETE", "/v1/tokens/none", None),
    ("POST", "/v1/faults", {"kind": "status", "code": 1_234_567}),
])
def test_the_reference_lists_the_error_of_a_refused_request(server, method, path, body):
    refused = requests.request(method, server.address("control") + path, json=body, timeout=60)
    code = refused.json()["code"]
    sections = re.split(r"^## (\d+)$", (DOCS / "reference/control/errors.md").read_text(), flags=re.MULTILINE)
    listed = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert f"| `{code}` |" in listed[str(refused.status_code)], f"{refused.status_code} {code}"


def test_the_generated_parts_are_those_of_the_code():
    command = [sys.executable, ROOT / "scripts/site/reference.py", "--check"]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert outcome.returncode == 0, f"run make reference:\n{outcome.stdout}{outcome.stderr[-2_000:]}"
