"""The Debian package, made by debhelper from the templates in Distribution/debian."""

import os
import shutil
import textwrap
import time
from email.utils import formatdate
from pathlib import Path

from project import DIST, DISTRIBUTION, ROOT, Project, run


def build(project: Project, tree: Path) -> Path:
    source = DIST / "deb" / f"{project.name}-{project.version}"
    shutil.rmtree(source.parent, ignore_errors=True)
    shutil.copytree(tree, source / "stage")
    architecture = run("dpkg", "--print-architecture").strip()
    # Debian's lists show the summary without article and point.
    summary = project.summary.removeprefix("An ").removesuffix(".")
    for template in (DISTRIBUTION / "debian").iterdir():
        values = {
            "ARCHITECTURE": architecture, "DEBIAN_SUMMARY": summary,
            "YEAR": str(time.gmtime(project.epoch).tm_year),
            "DEBIAN_DESCRIPTION": textwrap.indent(textwrap.fill(" ".join(project.description), 78), " "),
        }
        file = source / "debian" / template.name
        file.parent.mkdir(exist_ok=True)
        file.write_text(project.fill(template.read_text(), **values))
    (source / "debian/rules").chmod(0o755)
    (source / "debian/changelog").write_text(changelog(project))
    shutil.copy2(ROOT / "Operations/systemd/till.service", source / "debian/till.service")
    # -d: the build needs no packages; everything is built already.
    run("dpkg-buildpackage", "--build=binary", "--no-check-builddeps", "--unsigned-changes", "--no-pre-clean",
        cwd=source, env=environment(project))
    (made,) = source.parent.glob("*.deb")
    return made.rename(DIST / made.name)


def environment(project: Project) -> dict:
    return {**os.environ, "SOURCE_DATE_EPOCH": str(project.epoch), "DEB_BUILD_OPTIONS": "nocheck", "LC_ALL": "C.UTF-8"}


def changelog(project: Project) -> str:
    """The package has no revision of its own, so its changelog has one entry for the release."""
    when = formatdate(project.epoch)
    return (
        f"{project.name} ({project.version}) unstable; urgency=medium\n\n"
        f"  * Release {project.version}. CHANGELOG.md in the tarball has its changes.\n\n"
        f" -- {project.maintainer}  {when}\n"
    )
