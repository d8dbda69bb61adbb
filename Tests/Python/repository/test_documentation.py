"""Checks the documentation: its commands run, its requests succeed, and its links have targets.

Blocks of these kinds are run, page by page, each page on its own new demo shop:

- console: each line that starts with "$ till" must exit with 0. `till serve` and `make` are not run; their flags and
  targets must exist.
- http: control requests, each a method and a path followed by the body; each must be answered with 2xx.
- python: a block that imports the official library runs, after the commands in its comments (`# till …`). It finds
  signed_transaction_info, KEY_FILE, KEY_ID, ISSUER_ID and TRANSACTION_ID set, and the sandbox at its usual address.
- python and sh that begin with "# file: NAME": written to that file, for the commands that follow. On such a page a
  text block after a console block is the output of each of its commands.

Placeholders: $TX a transaction of ann, $ORDER its order, $SUB the transaction of her subscription, $ANN her app
transaction id, $KEY a key id, $REQUEST the id of a rejected request, $NOTIFICATION a notification of ann, $FOLDER the
test's own folder.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from process_helpers import ROOT, Server, payload, run_till, till_binary

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("**/*.md")) + [page for page in [ROOT / "README.md"] if page.exists()]
EXAMPLES = [file.read_text() for file in (DOCS / "testing/examples").iterdir() if file.is_file()]
FILE = re.compile(r"# file: ([\w.-]+)\n")
APP = "/v1/apps/com.example.till.demo/sandbox"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *kinds: str) -> list[tuple[str, str]]:
    """The blocks of these kinds, except example files that are printed whole, which tests run as files."""
    found = FENCE.findall(page.read_text())
    return [(kind, text) for kind, text in found if kind in kinds and text not in EXAMPLES]


def commands(page: Path) -> list[str]:
    lines = [line for _, text in blocks(page, "console") for line in text.splitlines()]
    return [line[2:] for line in lines if line.startswith("$ ")]


def is_run(page: Path) -> bool:
    is_verified = any("appstoreserverlibrary" in text for _, text in blocks(page, "python"))
    return is_verified or bool(commands(page)) or bool(blocks(page, "http"))


class Shop:
    """A demo server in its own folder."""

    def __init__(self, folder: Path, *flags: str):
        self.folder, self.work = folder, folder / "cwd"
        self.work.mkdir()
        self.server = Server(folder / "data", folder, "--demo", *flags)
        # The examples use till and python3. PATH finds this build and the tests' libraries.
        path = os.pathsep.join([str(Path(till_binary()).parent), str(Path(sys.executable).parent), os.environ["PATH"]])
        self.facts = self.server.document
        self.environment = {
            "TILL_DATA": str(folder / "data"), "PATH": path, "HOME": str(folder),
            # The server that till apple asks.
            "TILL_APPLE_URL": self.facts["sandbox"], "TILL_APPLE_KEY": self.facts["keyFile"],
            "TILL_APPLE_ISSUER": self.facts["issuerId"], "TILL_APPLE_BUNDLE": "com.example.till.demo",
        }
        try:
            self.places = self.find_places()
        except BaseException:
            self.server.kill()
            raise

    def find_places(self) -> dict[str, str]:
        ann = self.control("GET", f"{APP}/customers/ann").json()
        refused = requests.get(self.facts["sandbox"] + "/inApps/v1/transactions/1")
        pages = json.loads(self.till(["history", ann["appTransactionId"], "--json"]).stdout)
        first = payload(pages[0]["signedTransactions"][0])["transactionId"]
        bought = self.control("GET", f"{APP}/transactions/{first}?include=signed").json()
        self.signed = bought["signedTransactionInfo"]
        return {
            "$TX": first,
            "$ORDER": bought["orderId"],
            "$SUB": ann["subscriptions"][0]["transactionId"],
            "$ANN": ann["appTransactionId"],
            "$KEY": self.control("POST", "/v1/keys", '{"name": "spare"}').json()["keyId"],
            "$REQUEST": refused.headers["X-Request-ID"],
            "$NOTIFICATION": self.control(
                "POST", f"{APP}/notifications", json.dumps({"type": "REFUND", "transactionId": first})
            ).json()["notificationUUID"],
            "$FOLDER": str(self.folder),
        }

    def fill(self, text: str) -> str:
        filled = re.sub(r"\$[A-Z]+", lambda match: self.places.get(match[0], match[0]), text)
        assert not re.search(r"\$[A-Z]", filled), f"unknown placeholder in: {text}"
        return filled

    def control(self, method: str, path: str, body: str = "") -> requests.Response:
        headers = {"Content-Type": "application/json"} if body else {}
        return requests.request(method, self.facts["control"] + path, data=body.encode(), headers=headers, timeout=30)

    def till(self, arguments: list[str]) -> subprocess.CompletedProcess:
        return run_till(*arguments, cwd=self.work, **self.environment)


def http_requests(text: str) -> list[tuple[str, str, str]]:
    found = []
    for part in re.split(r"^(?=(?:GET|POST|PUT|PATCH|DELETE) /)", text, flags=re.MULTILINE):
        if part.strip():
            head, _, body = part.strip().partition("\n")
            method, path = head.split(" ")
            found.append((method, path, body.strip()))
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if is_run(page)], ids=name)
def test_examples_run(page: Path, tmp_path: Path):
    asks_for_names = any(command.startswith("till hosts") for command in commands(page))
    shop = Shop(tmp_path, *(["--tls-port", "0", "--proxy-port", "0"] if asks_for_names else []))
    files, printed = [], []
    try:
        for kind, text in blocks(page, "console", "http", "python", "sh", "text"):
            if named := FILE.match(text):
                files.append(named[1])
                (shop.work / named[1]).write_text(text)
            elif kind == "console":
                printed = [run(line, shop) for line in text.splitlines()]
            elif kind == "http":
                for method, path, body in http_requests(text):
                    answer = shop.control(method, shop.fill(path), shop.fill(body))
                    assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
            elif kind == "text" and files and printed:
                assert printed == [text] * len(printed)
            elif kind == "python" and "appstoreserverlibrary" in text:
                verify(text, shop)
            printed = printed if kind == "console" else []
    finally:
        shop.server.kill()


def verify(text: str, shop: Shop):
    for command in re.findall(r"# (till .+)$", text, re.MULTILINE):
        run(f"$ {command}", shop)
    given = {
        "signed_transaction_info": shop.signed,
        "KEY_FILE": shop.facts["keyFile"],
        "KEY_ID": shop.facts["keyId"],
        "ISSUER_ID": shop.facts["issuerId"],
        "TRANSACTION_ID": shop.places["$TX"],
    }
    script = "".join(f"{key} = {value!r}\n" for key, value in given.items())
    script += text.replace("http://127.0.0.1:8889", shop.facts["sandbox"])
    done = subprocess.run([sys.executable, "-c", script], cwd=shop.work, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("com.example.till.demo."), done.stdout


def run(line: str, shop: Shop) -> str:
    """Runs a command and returns its output. Returns nothing for a command that is not run."""
    assert line.startswith("$ "), f"a console block may contain commands only; put output in a text block: {line}"
    words = shlex.split(shop.fill(line[2:]))
    if words[0] == "make":
        check_targets(words)
    elif words[:2] == ["till", "serve"]:
        check_flags(words)
    else:
        assert words[0] == "till", f"neither till nor make: {line}"
        done = shop.till(words[1:])
        assert done.returncode == 0, f"{line}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout
    return ""


def check_targets(words: list[str]):
    makefile = (ROOT / "Makefile").read_text()
    for word in words[1:]:
        target, is_variable, _ = word.partition("=")
        pattern = rf"^{re.escape(target)}\s*\??=" if is_variable else rf"^{re.escape(target)}:"
        assert re.search(pattern, makefile, re.MULTILINE), f"make has no {word}"


def serve_flags() -> set[str]:
    return set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", run_till("serve", "--help").stdout, re.MULTILINE))


def check_flags(words: list[str]):
    known = serve_flags()
    for word in words:
        if word.startswith("--"):
            assert word.split("=")[0] in known, f"till serve has no {word}"


def test_every_flag_of_serve_is_in_the_settings():
    text = (DOCS / "operating/settings.md").read_text()
    missing = [flag for flag in serve_flags() - {"--help", "--version"} if f"`{flag}`" not in text]
    assert not missing


def test_every_control_operation_is_documented():
    """Compares the operations of the contract with the pages. Rows of a table leave out the prefix in the table's
    heading."""
    pages = "".join(page.read_text() for page in [*sorted((DOCS / "control").glob("*.md")), DOCS / "catalog.md"])
    missing = []
    sources = "".join(file.read_text() for file in (ROOT / "Sources/TillControl/Operations").rglob("*.swift"))
    operations = re.findall(r"ControlOperation\(\s*\.(\w+),\s*\"([^\"]+)\"", sources)
    assert len(operations) > 80
    for method, path in operations:
        short = path.removeprefix("/v1/apps/{bundleId}/{environment}")
        if f"`{method.upper()} {path}`" not in pages and f"`{method.upper()} {short}`" not in pages:
            missing.append(f"{method.upper()} {path}")
    assert not missing


def test_every_page_named_in_the_sources_exists():
    missing = []
    for source in [*sorted((ROOT / "Sources").glob("**/*.swift")), ROOT / "Package.swift"]:
        for path in re.findall(r"\bdocs/[\w/-]+(?:\.md)?", source.read_text()):
            if not (ROOT / path).exists():
                missing.append(f"{name(source)}: {path}")
    assert not missing


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_have_targets(page: Path):
    prose = FENCE.sub("", page.read_text())
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            wrong.append(target)
        elif anchor and file.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", FENCE.sub("", file.read_text()), re.MULTILINE)
            if anchor not in [slug(heading) for heading in headings]:
                wrong.append(target)
    assert not wrong


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "json")], ids=name)
def test_json_blocks_are_valid_json(page: Path):
    for _, text in blocks(page, "json"):
        json.loads(text)


def test_the_compose_file_maps_every_name_to_till():
    text = (DOCS / "operating/bring-your-backend.md").read_text()
    hosts = (DOCS / "operating/hosts.md").read_text().split("There are three ways")[0]
    names = re.findall(r"`([a-z.-]+\.apple\.com)`", hosts)
    (compose,) = [block for kind, block in FENCE.findall(text) if kind == "yaml"]
    assert len(names) == 6
    assert sorted(re.findall(r"- ([a-z.-]+\.apple\.com)$", compose, re.MULTILINE)) == sorted(names)


@pytest.mark.parametrize("page, denied, example", [
    ("api/offers.md", "Not checked yet", "till exec --demo -- python3 somebody_elses.py"),
    ("api/notifications.md", "not offered", "till endpoint create http://127.0.0.1:9/old --name old --v1"),
    ("api/transport.md", "only Set App Account Token reads its body", "till exec --demo -- python3 content_type.py"),
    ("api/transport.md", "not imitated yet", "till fault create rateLimit --route getTransactionInfo"),
])
def test_a_feature_that_pages_once_denied_has_an_example(page: str, denied: str, example: str):
    """Some pages once denied a feature that exists now. The examples of these pages run with all others."""
    assert denied not in (DOCS / page).read_text()
    assert example in commands(DOCS / page)


def test_the_error_table_matches_the_code():
    source = (ROOT / "Sources/TillServer/API/APIError.swift").read_text()
    source = re.sub(r'"\s*\+ "', "", source)
    coded = {
        int(code.replace("_", "")): ("Invalid request. " if function == "invalid" else "") + message
        for function, code, message in re.findall(r"(APIError|invalid)\(\s*([\d_]+),\s*\"([^\"]*)\"\s*\)", source)
    }
    assert coded
    page = (DOCS / "api/errors.md").read_text()
    section = page.split("## Codes that Till sends\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (\d+) \| [^|]* \| ([^|]*) \| [^|]* \|$", section, re.MULTILINE)
    assert len({code for code, _, _ in rows}) == len(rows), "a code is listed twice"
    assert all(int(status) == int(code) // 10_000 for code, status, _ in rows)
    assert {int(code): message.strip() for code, _, message in rows} == coded


def test_no_error_in_the_code_is_documented_as_never_sent():
    page = (DOCS / "api/errors.md").read_text()
    sent = {int(code) for code in re.findall(r"^\| (\d{7}) \| \d{3} ", page, re.MULTILINE)}
    section = page.split("## Codes that Till never sends\n")[1].split("\n## ")[0]
    for row in re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE):
        for first, last in re.findall(r"(\d{7})(?:–(\d{7}))?", row):
            between = {code for code in sent if int(first) <= code <= int(last or first)}
            assert not between, f"{row} holds {between}"
