"""What is known of the project. The binary declares the name, the version and the summary; project.json the rest."""

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DISTRIBUTION = ROOT / "Distribution"
DIST = ROOT / "dist"
BINARY = DIST / "till"


def run(*command, **options) -> str:
    """Runs a command and returns its output. If it fails, the program ends with the error output of the command."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"pack: {' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


@dataclass(frozen=True)
class Project:
    """The facts that the files of a release contain."""

    licence: str
    maintainer: str
    description: list
    # The folder of the releases on the web; below it is a folder for each version.
    releases: str

    @classmethod
    def load(cls) -> "Project":
        facts = json.loads((DISTRIBUTION / "project.json").read_text())
        # A workflow knows where its releases are.
        facts["releases"] = os.environ.get("TILL_RELEASES") or facts["releases"]
        return cls(**facts)

    @cached_property
    def root_command(self) -> dict:
        """The root command, with its subcommands, as the binary describes it."""
        return json.loads(run(BINARY, "--experimental-dump-help"))["command"]

    @cached_property
    def name(self) -> str:
        return self.root_command["commandName"]

    @cached_property
    def summary(self) -> str:
        return self.root_command["abstract"]

    @cached_property
    def version(self) -> str:
        return run(BINARY, "--version").strip()

    @cached_property
    def epoch(self) -> int:
        """The time of the last commit, which is the time of every packed file. So a build can be repeated."""
        return int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct", cwd=ROOT))

    @property
    def is_linux(self) -> bool:
        return sys.platform == "linux"

    @property
    def machine(self) -> str:
        """The name of the processor: `x86_64` or `arm64`; `universal` on macOS."""
        return platform.machine().replace("aarch64", "arm64") if self.is_linux else "universal"

    @property
    def system(self) -> str:
        return f"{'linux' if self.is_linux else 'macos'}-{self.machine}"

    @property
    def basename(self) -> str:
        """The beginning of the name of a file for one system."""
        return f"{self.name}-{self.version}-{self.system}"

    def fill(self, template: str, **values) -> str:
        """Replaces `@NAME@` and the like in a template."""
        known = {
            "NAME": self.name, "VERSION": self.version, "SUMMARY": self.summary, "LICENCE": self.licence,
            "MAINTAINER": self.maintainer, "DESCRIPTION": " ".join(self.description), **values,
        }
        for key, value in known.items():
            template = template.replace(f"@{key}@", value)
        return template
