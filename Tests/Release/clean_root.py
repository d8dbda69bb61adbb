"""A Debian root in which only one release file is installed, and a Till that runs in it."""

import os
import shutil
import ssl
import subprocess
import time
from pathlib import Path

import requests
from appstoreserverlibrary.api_client import AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

from process_helpers import Server

APP = "com.example.till.demo"
CLEAN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
COMPILERS = ("cc", "gcc", "g++", "clang", "swift", "make")
# Swift reads the arguments of a program from /proc. The mount ends with the process.
ENTER = 'root=$1; shift; mount -t proc proc "$root/proc" && exec chroot "$root" "$@"'


class CleanRoot:
    def __init__(self, base: Path, folder: Path):
        subprocess.run(["cp", "--archive", base, folder], check=True)
        self.folder = folder
        found = [name for name in COMPILERS if self.run("sh", "-c", f"command -v {name}", code=None).returncode == 0]
        assert found == [], f"the root is not clean: {found}"

    def command(self, *arguments) -> list[str]:
        """The command that runs the arguments in the root; its process becomes the program."""
        return ["unshare", "--mount", "sh", "-c", ENTER, "sh", str(self.folder), *map(str, arguments)]

    def run(self, *arguments, code=0, **environment) -> subprocess.CompletedProcess:
        proxies = {key: value for key, value in os.environ.items() if key.lower().endswith("_proxy")}
        done = subprocess.run(
            self.command(*arguments), capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env={**CLEAN, **proxies, "DEBIAN_FRONTEND": "noninteractive", **environment},
        )
        assert code is None or done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def install(self, *packages):
        self.run("apt-get", "--quiet=2", "install", "--yes", "--no-install-recommends", *packages)

    def add(self, file: Path) -> str:
        """Copies a file into the root, and returns its path there."""
        shutil.copy2(file, self.folder / "tmp")
        return f"/tmp/{file.name}"

    def path(self, inside) -> Path:
        """The path of a file of the root from outside."""
        return self.folder / str(inside).lstrip("/")

    def remove(self):
        shutil.rmtree(self.folder)


class RootedServer(Server):
    """`till serve --demo` in a root. The ready file has the paths and the process id of the root."""

    def __init__(self, root: CleanRoot, till: str, prefix=(), **environment):
        self.root = root
        self.ready_file = root.path("/srv/ready.json")
        work = root.folder.parent
        self.stdout_file, self.stderr_file = work / "stdout", work / "stderr"
        # A user without rights writes here.
        root.path("/srv").chmod(0o1777)
        with open(self.stdout_file, "wb") as out, open(self.stderr_file, "wb") as err:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                root.command(
                    *prefix, till, "serve", "--demo", "--production-port", "0", "--sandbox-port", "0",
                    "--control-port", "0", "--ready-file", "/srv/ready.json",
                ),
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, env={**CLEAN, **environment},
            )
        self.pid = self.process.pid
        self.session = requests.Session()
        self.data = None
        self.wait_until_ready()

    def first_signed_answer(self) -> str:
        """Asks for a history with Apple's library and verifies the first transaction. Returns its product."""
        return first_signed_answer(self, self.root.path)


def first_signed_answer(server: Server, path=Path) -> str:
    """Asks the sandbox for ann's history with Apple's library, and verifies its first transaction with the root of
    the server. `path` turns the path of a file of the server into one that can be read here."""
    facts = server.document
    customer = server.control("GET", f"/v1/apps/{APP}/sandbox/customers/ann")
    client = AppStoreServerAPIClient(
        path(facts["keyFile"]).read_bytes(), facts["keyId"], facts["issuerId"], APP, Environment.SANDBOX
    )
    client._base_url = facts["sandbox"]
    root = ssl.PEM_cert_to_DER_cert(path(facts["rootCertificate"]).read_text())
    verifier = SignedDataVerifier([root], False, Environment.SANDBOX, APP)
    page = client.get_transaction_history(
        customer["subscriptions"][0]["transactionId"], None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
    )
    return verifier.verify_and_decode_signed_transaction(page.signedTransactions[0]).productId


def measured(action):
    """The result of a function, and the seconds that it took."""
    begun = time.monotonic()
    return action(), time.monotonic() - begun
