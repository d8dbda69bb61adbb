"""The judge of the soak tells what grows from what does not."""

import random

import pytest

from steadiness import MEGABYTE, allowed, growth, is_flat, sample


def series(seconds=600, every=3, start=120 * MEGABYTE, leak_per_second=0.0, warm_up=0.0, noise=2 * MEGABYTE, seed=1):
    """Samples of a server's memory: it warms up in the first third, and leaks all the time."""
    chance = random.Random(seed)
    return [
        start + warm_up * min(1.0, at / (seconds / 3)) + leak_per_second * at + chance.uniform(-noise, noise)
        for at in range(0, seconds, every)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_what_does_not_grow_is_flat(seed):
    assert is_flat(series(seed=seed))
    assert is_flat(series(warm_up=60 * MEGABYTE, seed=seed)), "what warms up has done so when the first third is over"
    assert is_flat(series(leak_per_second=-50_000, seed=seed))


@pytest.mark.parametrize("seed", range(20))
def test_what_grows_is_not_flat(seed):
    # Of two hundred requests a second each leaves 200 bytes.
    assert not is_flat(series(leak_per_second=200 * 200, seed=seed))
    assert not is_flat(series(leak_per_second=400 * 200, warm_up=60 * MEGABYTE, seed=seed))
    # A step in the middle of the last two thirds.
    stepped = series(seed=seed)
    assert not is_flat(stepped[:133] + [value + 8 * MEGABYTE for value in stepped[133:]])


def test_the_bound_is_small_beside_what_a_server_holds():
    assert allowed(150 * MEGABYTE) <= 6 * MEGABYTE
    assert growth(list(range(30))) == (14.5, 24.5)
    with pytest.raises(AssertionError, match="too few"):
        growth([1] * 14)


def test_a_process_that_leaks_is_seen_in_its_samples():
    import os

    before = sample(os.getpid())
    kept = bytearray(os.urandom(1)) * (40 * MEGABYTE)
    pairs = [os.pipe() for _ in range(7)]
    after = sample(os.getpid())
    assert after["rss"] - before["rss"] > 35 * MEGABYTE and after["anonymous"] - before["anonymous"] > 35 * MEGABYTE
    assert after["descriptors"] - before["descriptors"] == 14 and after["sockets"] == before["sockets"]
    for pair in pairs:
        for descriptor in pair:
            os.close(descriptor)
    del kept
