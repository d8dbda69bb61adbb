"""Checks whether a server grows under steady load. It samples the server's resources and compares the samples."""

import contextlib
import os
import re
import statistics
from collections import Counter
from pathlib import Path

MEGABYTE = 1 << 20
# Between two thirds of a run, memory may differ by this amount without a leak. The allocator keeps the memory of a
# burst, and returns unused memory late.
MEMORY_SHARE, MEMORY_ROOM = 0.02, 3 * MEGABYTE


def sample(pid) -> dict:
    """The resources of a process: bytes of memory, threads, file descriptors, and how many of these are sockets."""
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
    targets = open_targets(pid)
    held["descriptors"] = len(targets)
    held["sockets"] = sum(target.startswith("socket:") for target in targets)
    return held


def open_targets(pid) -> list:
    """The targets of a process's file descriptors."""
    targets = []
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            targets.append(os.readlink(file))
    return targets


def open_things(pid) -> Counter:
    """The targets of a process's file descriptors; for sockets, both addresses and the state."""
    ends = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        places = [int(words[place].rsplit(":", 1)[1], 16) for place in (1, 2)]
        ends[words[9]] = f"TCP port {places[0]}, to {places[1]}, state {words[3]}"
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        words = line.split()
        ends[words[6]] = f"a local socket {words[7] if len(words) > 7 else ''}, state {words[5]}"
    found = Counter()
    for target in open_targets(pid):
        number = re.fullmatch(r"socket:\[(\d+)\]", target)
        found[ends.get(number.group(1), "a socket that is not connected") if number else target] += 1
    return found


def growth(values) -> tuple:
    """The medians of the second and the last third of the values, in the order of time. The first third is the
    warm-up."""
    third = len(values) // 3
    assert third >= 5, f"{len(values)} samples are too few"
    return statistics.median(values[third:2 * third]), statistics.median(values[2 * third:])


def allowed(before) -> float:
    """The amount by which memory may grow from one third of a run to the next."""
    return before * MEMORY_SHARE + MEMORY_ROOM


def is_flat(values) -> bool:
    """Whether memory has stopped growing."""
    before, after = growth(values)
    return after - before <= allowed(before)
