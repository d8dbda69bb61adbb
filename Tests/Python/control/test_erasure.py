"""The command that erases a customer. What it erases is tested in
Tests/TillServerTests/Control/Routes/FamilyCopyControlTests.swift and ErasureControlTests.swift."""

from process_helpers import run_till


def test_the_command_prints_counts_erases_and_mentions_snapshots(serve):
    till = serve("--demo")
    here = ["--data", till.data]
    run_till("snapshot", "create", "before", *here, code=0)
    dry = run_till("customer", "delete", "ann", "--dry-run", *here, code=0)
    assert "Nothing was changed" in dry.stdout and "before" in dry.stdout
    done = run_till("customer", "delete", "ann", "--yes", *here, code=0)
    assert "ann is deleted" in done.stdout and "--remove-snapshots" in done.stdout
    run_till("customer", "show", "ann", *here, code=1)
    last = run_till("customer", "delete", "ann", "--yes", "--remove-snapshots", *here, code=0)
    assert "removedSnapshots" in last.stdout
    assert "before" not in run_till("snapshot", "list", *here).stdout
    assert "ann" in run_till("customer", "delete", "ann", "--yes", *here, code=1).stderr
    run_till("doctor", *here, code=0)
