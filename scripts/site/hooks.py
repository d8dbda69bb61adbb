"""What MkDocs lacks: links from docs/ to other files of the repository, and the syntax of addresses.

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


# The HTML of the theme ------------------------------------------------------------------------------------------------

# A list of pages that is named by a label, and the title within the list.
LIST = re.compile(
    r'(<nav class="md-nav" data-md-level="\d+" )aria-labelledby="__nav_[\d_]+_label"'
    r'([^>]*>\s*<label class="md-nav__title" for="[\w]+">\s*<span class="md-nav__icon md-icon"></span>\s*)'
    r'([^<]*?)(\s*</label>)'
)
CELL = re.compile(r"<td.*?</td>", re.DOTALL)
# The text of code in a cell, without its tags.
CODE = re.compile(r"(?<=<code>)[^<]*")
# Between the parts of a name: TILL_|DATA, /v1/|apps, access|Log.
PARTS = re.compile(r"(?<=[_/])(?=\w)|(?<=[a-z])(?=[A-Z])")
SEARCH = 'data-md-component="search" role="dialog"'


def on_page_content(html: str, page, config, files) -> str:
    """Long names in tables may break between their parts. Wide tables and long lines of code scroll, and a
    part that scrolls must be within reach of the keyboard."""
    html = CELL.sub(lambda cell: CODE.sub(lambda code: PARTS.sub("<wbr>", code[0]), cell[0]), html)
    html = html.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace("</table>", "</table></div>")
    return html.replace("<pre><span></span><code>", '<pre tabindex="0"><span></span><code>')


def on_post_page(output: str, page, config) -> str:
    """The search of the theme is a dialog without a name, and the labels of sections with a page of their own are
    empty."""
    assert SEARCH in output and LIST.search(output), "the theme has changed: see on_post_page"
    output = output.replace(SEARCH, f'{SEARCH} aria-label="Search"')
    return LIST.sub(lambda part: f'{part[1]}aria-label="Pages: {part[3]}"{part[2]}{part[3]}{part[4]}', output)
