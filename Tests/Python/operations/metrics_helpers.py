"""Reads the metrics of a running Till, and runs a Prometheus that scrapes it."""

import re
import subprocess
import time

import requests

from process_helpers import ROOT, free_port, installed, wait_until

RULES = ROOT / "Operations/prometheus/alerts.yml"
SAMPLE = re.compile(r'([a-z_]+)(?:\{(.*)\})? (\S+)')
LABEL = re.compile(r'([a-z_]+)="([^"]*)"')
# The suffixes of the series of a histogram.
PART = re.compile(r"_(bucket|sum|count)$")


class Scrape:
    """The metrics of one request."""

    def __init__(self, text):
        self.text = text
        self.kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
        self.helps = dict(re.findall(r"^# HELP (\S+) (.+)$", text, re.M))
        self.samples = []
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels, value = SAMPLE.fullmatch(line).groups()
                self.samples.append((name, dict(LABEL.findall(labels or "")), float(value)))

    def series(self, name, **labels):
        return [
            value for found, own, value in self.samples
            if found == name and all(own.get(key) == wanted for key, wanted in labels.items())
        ]

    def value(self, name, **labels):
        """The sum of the series with these labels; None if there is none."""
        found = self.series(name, **labels)
        return sum(found) if found else None

    def labels(self, name):
        """The names of the labels of a metric."""
        return {
            key for found, own, _ in self.samples if name in (found, PART.sub("", found)) for key in own if key != "le"
        }


def scrape(server) -> Scrape:
    answer = requests.get(server.address("control") + "/metrics", timeout=30)
    assert answer.status_code == 200, answer.text
    return Scrape(answer.text)


class Moves:
    """Checks that metrics of a server move, and remembers which did."""

    moved = set()

    def __init__(self, server):
        self.server = server
        self.last = scrape(server)

    def up(self, name, by=0, **labels):
        """Waits until a metric has increased by more than `by` since the last call of `mark`."""
        before = self.last.value(name, **labels) or 0
        self.until(name, lambda value: value > before + by, **labels)

    def until(self, name, condition, **labels):
        """Waits until the value of a metric meets a condition."""
        def holds():
            value = scrape(self.server).value(name, **labels)
            return value is not None and condition(value)

        wait_until(holds)
        Moves.moved.add(PART.sub("", name))

    def mark(self):
        self.last = scrape(self.server)


class Prometheus:
    """A Prometheus that scrapes a Till every half second, with the alert rules of this repository."""

    def __init__(self, folder, server):
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        target = server.address("control").removeprefix("http://")
        (folder / "prometheus.yml").write_text(
            "global: {scrape_interval: 500ms, evaluation_interval: 1s}\n"
            f"rule_files: [{RULES}]\n"
            f"scrape_configs: [{{job_name: till, static_configs: [{{targets: ['{target}']}}]}}]\n"
        )
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            [
                installed("prometheus", "prometheus"), f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )
        wait_until(self.is_ready)

    def is_ready(self):
        assert self.process.poll() is None, self.log.name
        try:
            return requests.get(self.address + "/-/ready", timeout=5).status_code == 200
        except requests.ConnectionError:
            time.sleep(0.05)
            return False

    def get(self, path, **parameters):
        answer = requests.get(f"{self.address}/api/v1/{path}", params=parameters, timeout=30).json()
        assert answer["status"] == "success", (parameters, answer)
        return answer["data"]

    def query(self, expression) -> list:
        """The values of an expression now. Raises an error for an expression that is not valid."""
        return [float(item["value"][1]) for item in self.get("query", query=expression)["result"]]

    def stop(self):
        self.process.kill()
        self.process.wait(60)
        self.log.close()
