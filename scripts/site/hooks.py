"""What MkDocs does not do by itself: links from docs/ to other files of the repository, and the syntax of addresses.

On GitHub, a page can link to a file outside of docs/. On the site, such a link leads to the file in the repository. A
warning, which fails the build, names each link to a file that does not exist and each address that is not one.
"""

import logging
import re
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```\w*\n.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
log = logging.getLogger("mkdocs.hooks.site")


def on_page_markdown(markdown: str, page, config, files) -> str:
    folder = (DOCS / page.file.src_uri).parent

    def replaced(match) -> str:
        return match[1] + target(match[2], folder, page.file.src_uri, config.extra["repository"]) + match[3]

    # Links are in the parts between blocks of code.
    parts = re.split(f"({FENCE.pattern})", markdown, flags=FENCE.flags)
    return "".join(part if number % 2 else LINK.sub(replaced, part) for number, part in enumerate(parts))


def target(link: str, folder: Path, page: str, repository: str) -> str:
    """The link as it is on the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        if parts.scheme not in ("http", "https", "mailto") or (parts.scheme != "mailto" and not parts.netloc):
            log.warning("%s links to %s, which is not an address.", page, link)
        return link
    file = (folder / parts.path).resolve()
    if not parts.path or file.is_relative_to(DOCS):
        return link
    if not file.is_relative_to(ROOT) or not file.exists():
        log.warning("%s links to %s, which does not exist.", page, link)
        return link
    kind = "tree" if file.is_dir() else "blob"
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    return f"{repository}/{kind}/main/{file.relative_to(ROOT)}{anchor}"
