"""The Homebrew formula, with the checksum of each tarball in dist/."""

import hashlib
from pathlib import Path

from project import DIST, DISTRIBUTION, Project

# The condition of the formula for each system.
SYSTEMS = {
    "linux-x86_64": "if OS.linux? && Hardware::CPU.intel?",
    "linux-arm64": "if OS.linux? && Hardware::CPU.arm?",
    "macos-universal": "if OS.mac?",
}


def build(project: Project) -> Path:
    stanzas = []
    for system, condition in SYSTEMS.items():
        tarball = DIST / f"{project.name}-{project.version}-{system}.tar.gz"
        if not tarball.exists():
            continue
        checksum = hashlib.sha256(tarball.read_bytes()).hexdigest()
        url = f"{project.releases}/v{project.version}/{tarball.name}"
        stanzas.append(f'  {condition}\n    url "{url}"\n    sha256 "{checksum}"\n  end\n')
    template = (DISTRIBUTION / "templates/till.rb").read_text()
    path = DIST / f"{project.name}.rb"
    path.write_text(project.fill(template, SYSTEMS="".join(stanzas), SUMMARY=project.summary.rstrip(".")))
    return path
