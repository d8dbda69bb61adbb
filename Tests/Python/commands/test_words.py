"""The words of the commands: help, old and wrong words, tables, questions, and completions."""

import contextlib
import json
import os
import pty
import re
import shlex
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from process_helpers import clean_environment, run_till, till_binary
from shop_helpers import Till

RETIRED = [
    ("ask-to-buy on kim", "customer update NAME --ask-to-buy on"), ("ca ocsp set leaf good", "ca ocsp update"),
    ("clock set 2027-01-31", "clock freeze"), ("customer clock ann trial", "customer update NAME --clock CLOCK"),
    ("customer erase ann", "customer delete"), ("endpoint set http://a", "endpoint create"),
    ("endpoint remove", "endpoint delete"), ("export-state a", "state export"), ("import-state a", "state import"),
    ("extend ann", "subscription extend"), ("fault add error", "fault create"), ("fault remove f1", "fault delete"),
    ("key revoke A", "key delete"), ("notifications list", "notification"), ("notify TEST", "notification send"),
    ("price raise a", "product raise-price"), ("product remove a", "product update ID --for-sale false"),
    ("product restore a", "product update ID --for-sale true"), ("prune", "notification delete"),
    ("secret remove", "secret delete"), ("settings set", "settings update"), ("snapshot remove a", "snapshot delete"),
    ("snapshot save a", "snapshot create"), ("token revoke a", "token delete"), ("rules", "settings"),
]


def words_of(command, path=()):
    """The words of each command and subcommand, without `till`."""
    for each in command.get("subcommands", []):
        if each["commandName"] != "help" and each.get("shouldDisplay", True):
            yield [*path, each["commandName"]]
            yield from words_of(each, (*path, each["commandName"]))


@pytest.fixture(scope="module")
def helps():
    """The help of every command at 80 columns."""
    commands = [[], *words_of(json.loads(run_till("--experimental-dump-help").stdout)["command"])]
    with ThreadPoolExecutor(4) as pool:
        texts = pool.map(lambda words: run_till(*words, "--help", COLUMNS="80", code=0).stdout, commands)
        return {" ".join(words): text for words, text in zip(commands, texts)}


def examples(text):
    block = text.split("EXAMPLES:\n")[1].split("\n\n")[0]
    return [line.strip() for line in block.splitlines()]


def test_help_wraps_at_the_width_of_the_terminal(helps):
    assert len(helps) > 100
    long = [line for text in helps.values() for line in text.splitlines() if len(line) > 80 and " " in line.strip()]
    assert long == []
    narrow = run_till("buy", "--help", COLUMNS="60").stdout
    prose = narrow.split("\n\n")[2]
    assert max(map(len, prose.splitlines())) <= 60


def test_every_example_in_a_help_text_is_valid(helps):
    lines = {line for text in helps.values() for line in examples(text)}
    commands = []
    for line in lines:
        assert re.match(r"(# |till |export |gunzip )", line), line
        for part in line.split("|"):
            if part.strip().startswith("till "):
                commands.append(shlex.split(part.split(">")[0].split("<")[0])[1:])
    assert len(commands) > 120

    def failure(words):
        outcome = run_till("check-arguments", "--", *words, TILL_DATABASE="postgres://till@db/till")
        return None if outcome.returncode == 0 else (words, outcome.stderr)

    with ThreadPoolExecutor(4) as pool:
        assert [each for each in pool.map(failure, commands) if each] == []


def test_the_help_of_every_command_has_an_example(helps):
    leaves = [words for words in helps if words and not any(other.startswith(words + " ") for other in helps)]
    assert len(leaves) > 80
    assert [words for words in leaves if not any(line.startswith(f"till {words}") for line in examples(helps[words]))] == []


def test_help_begins_with_what_is_used_most(helps):
    flags = re.findall(r"^  (--[a-z-]+)", helps["serve"], re.MULTILINE)
    assert flags[:3] == ["--demo", "--data", "--ephemeral"]
    assert re.search(r"^CUSTOMERS SUBCOMMANDS:$", helps[""], re.MULTILINE), helps[""]


@pytest.mark.parametrize("old, new", RETIRED, ids=[old for old, _ in RETIRED])
def test_a_retired_command_is_refused_with_the_new_one(old, new):
    outcome = run_till(*old.split())
    assert (outcome.returncode, outcome.stdout) == (64, "")
    assert re.search(rf"is till {re.escape(new)}\b", outcome.stderr), outcome.stderr


@pytest.mark.parametrize("wrong, suggestion", [
    ("costumer list", "till customer"), ("customer lst", "till customer list"), ("clock advnace 1mo", "till clock advance"),
    ("endpoint rm log", "till endpoint delete"), ("app get com.example", "till app show"), ("serv", "till serve"),
])
def test_a_wrong_word_is_refused_with_a_suggestion(wrong, suggestion):
    assert f"Did you mean {suggestion}?" in run_till(*wrong.split(), code=64).stderr
    assert json.loads(run_till(*wrong.split(), "--json").stderr)["code"] == "wrong_usage"


def test_a_word_unlike_any_command_lists_the_commands():
    assert "Commands: create, list, show, delete" in run_till("family", "xyzzyxyzzy", code=64).stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_name_the_commands(shell):
    script = run_till("completions", shell).stdout
    assert "raise-price" in script and "ask-to-buy" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


# On a terminal ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A server of its own, because these tests delete."""
    with Till(tmp_path_factory.mktemp("words")) as server:
        control = ("--control", server.address("control"))
        run_till("app", "create", "com.example.words", *control)
        yield control


def on_terminal(*arguments, typed="", **environment):
    """Runs a command on a terminal. Returns its exit code and its output."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [till_binary(), *arguments], stdin=child, stdout=child, stderr=child, close_fds=True,
        env={**clean_environment(), "TERM": "xterm", **environment},
    )
    os.close(child)
    os.write(parent, typed.encode())
    output = b""
    with contextlib.suppress(OSError):
        while part := os.read(parent, 4096):
            output += part
    os.close(parent)
    return process.wait(60), output.decode().replace("\r\n", "\n")


def test_deleting_asks_on_a_terminal(shop):
    run_till("customer", "create", "ann", *shop)
    code, output = on_terminal("customer", "delete", "ann", *shop, typed="n\n")
    assert code == 1 and "Delete ann with 0 transactions" in output and "Nothing was changed." in output, output
    run_till("customer", "show", "ann", *shop, code=0)
    code, output = on_terminal("customer", "delete", "ann", *shop, typed="y\n")
    assert code == 0 and "ann is deleted." in output, output
    run_till("customer", "show", "ann", *shop, code=1)


@pytest.mark.parametrize("arguments", [
    ["customer", "delete", "bob"], ["app", "delete", "com.example.words"], ["reset"], ["fault", "delete", "--all"],
    ["snapshot", "restore", "a"], ["token", "delete", "a"], ["notification", "delete"], ["clock", "delete", "a"],
])
def test_deleting_without_a_terminal_needs_yes(shop, arguments):
    outcome = run_till(*arguments, *shop)
    assert (outcome.returncode, outcome.stdout) == (64, "") and "Add --yes" in outcome.stderr
    refused = json.loads(run_till(*arguments, *shop, "--json").stderr)
    assert refused["code"] == "wrong_usage" and "--yes" in refused["message"]


def test_headings_are_bold_only_on_a_terminal(shop):
    plain = run_till("app", "list", *shop).stdout
    assert "\x1b" not in plain
    heading, row = plain.splitlines()
    assert heading.index("APPLE ID") == row.index("1", len("com.example.words"))
    assert on_terminal("app", "list", *shop, NO_COLOR="1") == (0, plain)
    code, output = on_terminal("app", "list", *shop)
    assert code == 0 and output == f"\x1b[1m{heading}\x1b[0m\n{row}\n"


# The new commands ------------------------------------------------------------------------------------------------------


def test_a_clock_is_deleted_when_no_customer_uses_it(shop):
    run_till("clock", "create", "trial", *shop)
    run_till("customer", "create", "cleo", *shop)
    run_till("customer", "update", "cleo", "--clock", "trial", *shop, code=0)
    used = run_till("clock", "delete", "trial", "--yes", "--json", *shop, code=1)
    assert json.loads(used.stderr)["code"] == "clock_in_use"
    run_till("customer", "update", "cleo", "--no-clock", *shop, code=0)
    deleted = run_till("clock", "delete", "trial", "--yes", "--json", *shop)
    assert json.loads(deleted.stdout) == {"deleted": "trial"}
    assert json.loads(run_till("clock", "list", "--json", *shop).stdout) == []
    assert "no clock trial" in run_till("customer", "update", "cleo", "--clock", "trial", *shop, code=1).stderr


def test_an_endpoint_is_created_shown_updated_and_deleted(shop):
    run_till("endpoint", "create", "http://127.0.0.1:9/log", "--name", "log", *shop)
    updated = json.loads(run_till("endpoint", "update", "log", "--types", "REFUND", "--json", *shop).stdout)
    assert (updated["url"], updated["types"]) == ("http://127.0.0.1:9/log", ["REFUND"])
    assert json.loads(run_till("endpoint", "show", "log", "--json", *shop).stdout) == updated
    everything = json.loads(run_till("endpoint", "update", "log", "--types", "all", "--json", *shop).stdout)
    assert everything["types"] == []
    assert json.loads(run_till("endpoint", "delete", "log", "--yes", "--json", *shop).stdout) == {"deleted": "log"}
    assert "till endpoint create" in run_till("endpoint", "show", "log", *shop, code=1).stderr


def test_families_are_listed_and_deleted(shop):
    run_till("family", "create", "dora", "emil", *shop)
    run_till("family", "create", "fay", "gus", *shop)
    families = json.loads(run_till("family", "list", "--json", *shop).stdout)
    assert [family["members"] for family in families] == [["dora", "emil"], ["fay", "gus"]]
    run_till("family", "delete", "emil", "--yes", *shop, code=0)
    assert [f["name"] for f in json.loads(run_till("family", "list", "--json", *shop).stdout)] == ["fay"]


def test_a_family_of_two_ends_when_one_leaves(shop):
    run_till("family", "create", "hal", "ida", "jim", *shop)
    assert run_till("family", "leave", "jim", *shop).stdout.splitlines()[0] == "jim left the family."
    assert run_till("family", "leave", "ida", *shop).stdout.splitlines()[0] == "ida left the family. The family ended."


def test_the_lists_of_a_customer_take_an_argument_or_an_option(shop):
    run_till("customer", "create", "kay", *shop)
    for noun in "subscription", "transaction", "purchase":
        both = [run_till(noun, "list", *words, *shop) for words in (["kay"], ["--customer", "kay"])]
        assert both[0].stdout == both[1].stdout != "" and both[0].returncode == 0
        for words in [], ["kay", "--customer", "kay"]:
            run_till(noun, "list", *words, *shop, code=64)


def test_wrong_usage_shows_the_usage_of_the_command_only(shop):
    unasked = run_till("customer", "delete", "kay", *shop, code=64)
    assert "--yes" in unasked.stderr and "till <subcommand>" not in unasked.stderr
    unknown = run_till("transaction", "list", "--size", "3", *shop, COLUMNS="80", code=64)
    assert "Usage: till transaction list" in unknown.stderr
    assert max(map(len, unknown.stderr.splitlines())) <= 80


def test_a_server_that_does_not_answer_may_have_acted():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with ThreadPoolExecutor(1) as pool:
            outcome = pool.submit(run_till, "app", "create", "com.example.cut", "--control", address)
            connection, _ = silent.accept()
            connection.recv(65_536)
            connection.close()
        assert outcome.result().returncode == 2 and "It may have done what was asked" in outcome.result().stderr


def test_a_new_token_is_alone_on_standard_output(shop):
    made = run_till("token", "create", "alone", *shop)
    assert re.fullmatch(r"till_\S+\n", made.stdout) and "TILL_CONTROL_TOKEN" in made.stderr


def test_an_app_is_shown_and_deleted(shop):
    run_till("app", "create", "com.example.gone", *shop)
    assert json.loads(run_till("app", "show", "com.example.gone", "--json", *shop).stdout)["name"]
    assert run_till("app", "delete", "com.example.gone", "--yes", *shop).stdout == "Deleted com.example.gone.\n"
    run_till("app", "show", "com.example.gone", *shop, code=1)
    run_till("app", "delete", "com.example.gone", "--yes", *shop, code=1)


def test_open_prints_the_address_of_the_console(shop):
    assert run_till("open", "--print", *shop).stdout == f"{shop[1]}/console/\n"
    run_till("open", "--print", "--control", "http://127.0.0.1:9", code=2)
