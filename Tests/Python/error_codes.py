"""The documented error codes of the App Store Server API and the Retention Messaging API.

The names and messages of the codes that Till sends are those of docs/api/errors.md, which test_documentation.py
compares with the code. Each code is either caused in a run of this suite, or listed in LISTED with the reason and with
the issue that will add a test. `test_complete.py` fails for a code that is neither caused nor listed, and for a code
that is both.
"""

import re
from pathlib import Path

_PAGE = Path(__file__).resolve().parents[2] / "docs/api/errors.md"
_SENT = re.findall(r"^\| (\d{7}) \| \d{3} \| (\w+) \| ([^|]+) \|", _PAGE.read_text(), re.M)

FAULTS = "issue 5, unmodified clients and faults on demand"
LATER = "a later issue; none is open yet"
NEVER = "no issue: it is not sent any more"


def _listed(reason, issue, *codes):
    return {code: (reason, issue) for code in codes}


# The codes that no test causes, each with the reason.
LISTED = {
    **_listed(
        "only a fault on demand brings it about", FAULTS,
        4000017, 4040001, 4040002, 4040004, 4040006, 4290000, 5000000, 5000001,
    ),
    **_listed("groups and assigned purchases", LATER, 4000004, 4000225, 4000227, 4030028, 4040022),
    **_listed(
        "retention messaging", LATER,
        4000161, 4000162, 4000163, 4000164, 4000175, 4000211, 4000212, 4000213, 4000215, 4000216,
        4000218, 4000219, 4000224, 4030014, 4030016, 4030017, 4030018, 4030019, 4030026, 4040014,
        4040015, 4040018, 4040020, 4040021, 4090000, 4090001,
    ),
    **_listed("deprecated: excludeRevoked is a Boolean, and a wrong one is 4000030", NEVER, 4000025),
    **_listed("deprecated: consumption is sent for every type of product", NEVER, 4000043),
}

# Apple has not published the numbers of these names, so Till uses its own.
CHOSEN = {int(code): name for code, name, _ in _SENT if code in ("4000207", "4000208")}
MESSAGES = {int(code): message.strip() for code, _, message in _SENT}
# The names of all codes with a published number. A code that Till never sends has the reason instead of a name.
NAMES = {code: reason for code, (reason, _) in LISTED.items()} | {
    int(code): name for code, name, _ in _SENT if int(code) not in CHOSEN
}
