"""Checks of the whole run: every documented error code was caused, and every control operation was called here or in
the typed tests."""

import re

import pytest

import error_codes
from process_helpers import ROOT
from shop_helpers import SERVER_ROUTES

# These tests send typed requests, whose types have the names of the operations.
TYPED_TESTS = ROOT / "Tests" / "TillServerTests" / "Control"


@pytest.mark.last
def test_every_documented_error_was_provoked_or_is_listed_with_its_reason(whole_run):
    provoked, listed = whole_run[0], set(error_codes.LISTED)
    documented = error_codes.NAMES | error_codes.CHOSEN
    missing = sorted(set(documented) - provoked - listed)
    names = ", ".join(f"{code} {documented[code]}" for code in missing)
    assert not missing, f"neither provoked nor listed: {names}"
    assert not provoked & listed, f"provoked although listed: {sorted(provoked & listed)}"
    assert provoked | listed == set(documented), "an undocumented code was returned"
    for code, (reason, issue) in error_codes.LISTED.items():
        assert reason and issue, code


@pytest.mark.last
def test_every_control_operation_was_called_and_answered_as_documented(control, whole_run):
    called = whole_run[1]
    typed = "".join(file.read_text() for file in sorted(TYPED_TESTS.rglob("*.swift")))
    missing = sorted(
        operation for operation in control.operations.keys() - SERVER_ROUTES
        if not any(status.startswith("2") for status in called.get(operation, ()))
        and not re.search(rf"\b{operation[0].upper()}{operation[1:]}\(", typed)
    )
    assert not missing, f"neither called successfully in this run nor sent by a typed test: {missing}"
