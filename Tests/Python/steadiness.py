"""Whether a server that works steadily also stays as it is: what it holds is sampled, and the samples are judged."""

import os
import re
import statistics
from collections import Counter
from pathlib import Path

MEGABYTE = 1 << 20
# Memory may differ by so much between two stretches of a run although nothing is leaked: the allocator keeps what
# a burst took, and garbage is given back late.
MEMORY_SHARE, MEMORY_ROOM = 0.02, 3 * MEGABYTE


def sample(pid) -> dict:
    """What a process holds: bytes of memory, threads, descriptors and sockets among them."""
    status = Path(f"/proc/{pid}/status").read_text()
    held = {
        "rss": int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M).group(1)) * 1024,
        "threads": int(re.search(r"^Threads:\s+(\d+)", status, re.M).group(1)),
    }
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        held["anonymous"] = int(re.search(r"^Anonymous:\s+(\d+) kB", rollup, re.M).group(1)) * 1024
    except (OSError, AttributeError):
        held["anonymous"] = held["rss"]
    targets = []
    for entry in os.listdir(f"/proc/{pid}/fd"):
        try:
            targets.append(os.readlink(f"/proc/{pid}/fd/{entry}"))
        except OSError:
            pass
    held["descriptors"] = len(targets)
    held["sockets"] = sum(target.startswith("socket:") for target in targets)
    return held


def open_things(pid) -> Counter:
    """What the descriptors of a process lead to; sockets with both ends and their state."""
    ends = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        places = [int(words[place].rsplit(":", 1)[1], 16) for place in (1, 2)]
        ends[words[9]] = f"TCP port {places[0]}, to {places[1]}, state {words[3]}"
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        words = line.split()
        ends[words[6]] = f"a local socket {words[7] if len(words) > 7 else ''}, state {words[5]}"
    found = Counter()
    for entry in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{entry}")
        except OSError:
            continue
        number = re.fullmatch(r"socket:\[(\d+)\]", target)
        found[ends.get(number.group(1), "a socket that is not connected") if number else target] += 1
    return found


def growth(values) -> tuple:
    """The medians of the second and of the last third of what was measured, in order: the first third warms up."""
    third = len(values) // 3
    assert third >= 5, f"{len(values)} samples are too few to judge"
    return statistics.median(values[third:2 * third]), statistics.median(values[2 * third:])


def allowed(before) -> float:
    """By how much memory may have grown from one third of a run to the next."""
    return before * MEMORY_SHARE + MEMORY_ROOM


def is_flat(values) -> bool:
    """Whether memory no longer grows."""
    before, after = growth(values)
    return after - before <= allowed(before)
