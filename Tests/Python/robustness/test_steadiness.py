"""The check of the soak test distinguishes a leak from normal noise."""

import random

import pytest

from steadiness import MEGABYTE, allowed, growth, is_flat, sample


def series(seconds=600, every=3, start=120 * MEGABYTE, leak_per_second=0.0, warm_up=0.0, noise=2 * MEGABYTE, seed=1):
    """Samples of a server's memory, which grows in the first third (the warm-up), and by the leak all the time."""
    chance = random.Random(seed)
    return [
        start + warm_up * min(1.0, at / (seconds / 3)) + leak_per_second * at + chance.uniform(-noise, noise)
        for at in range(0, seconds, every)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_steady_memory_is_flat(seed):
    assert is_flat(series(seed=seed))
    assert is_flat(series(warm_up=60 * MEGABYTE, seed=seed)), "the warm-up must end with the first third"
    assert is_flat(series(leak_per_second=-50_000, seed=seed))


@pytest.mark.parametrize("seed", range(20))
def test_growing_memory_is_not_flat(seed):
    # This is a leak of 200 bytes for each of two hundred requests per second.
    assert not is_flat(series(leak_per_second=200 * 200, seed=seed))
    assert not is_flat(series(leak_per_second=400 * 200, warm_up=60 * MEGABYTE, seed=seed))
    # There is one step in the middle of the last two thirds.
    stepped = series(seed=seed)
    assert not is_flat(stepped[:133] + [value + 8 * MEGABYTE for value in stepped[133:]])


def test_the_bound_is_small_compared_to_a_servers_memory():
    assert allowed(150 * MEGABYTE) <= 6 * MEGABYTE
    assert growth(list(range(30))) == (14.5, 24.5)
    with pytest.raises(AssertionError, match="too few"):
        growth([1] * 14)


def test_a_leaking_process_is_detected_by_its_samples():
    import mmap
    import os

    before = sample(os.getpid())
    # A mapping of its own, because the allocator may have free memory from earlier tests.
    kept = mmap.mmap(-1, 40 * MEGABYTE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    kept.write(bytes([1]) * (40 * MEGABYTE))
    pairs = [os.pipe() for _ in range(7)]
    after = sample(os.getpid())
    assert after["rss"] - before["rss"] > 35 * MEGABYTE and after["anonymous"] - before["anonymous"] > 35 * MEGABYTE
    assert after["descriptors"] - before["descriptors"] == 14 and after["sockets"] == before["sockets"]
    for pair in pairs:
        for descriptor in pair:
            os.close(descriptor)
    del kept
