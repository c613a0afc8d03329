"""What an agent might try to get around the user's approval: each is refused, and in the audit log."""

import json
import socket
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.tools.terminal import at_terminal

from conductor.cli.client import SocketClient
from conductor.errors import ConductorError

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
CONFIG = """[[modes]]
name = 'Default'
[[modes.mappings]]
trigger = { type = 'Note', note = 36 }
action = { type = 'Keystroke', keys = ['a'] }
"""
SYSEX = ["F0", "7E", "7F", "06", "01", "F7"]
PERL = (
    "use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]);"
    'print $s "$ARGV[1]\\n"; print scalar <$s>;'
)


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


def refused(conductor: RunningConductor, method: str, code: int, /, **params: Any) -> str:
    """Call, expect this error, find it in the audit log, and give its text."""
    answer = raw(conductor, {"jsonrpc": "2.0", "method": method, "params": params, "id": 1})
    assert answer["error"]["code"] == code, answer
    audited(conductor, method, answer["error"]["data"]["kind"])
    return answer["error"]["message"]


def raw(conductor: RunningConductor, request: dict[str, Any]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(conductor.home / "mcp.sock"))
        connection.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(connection.makefile("rb").readline())


def audited(conductor: RunningConductor, tool: str, outcome: str) -> None:
    def rows() -> list[tuple[str, str]]:
        found = json.loads(conductor.cli("audit", "--json", "--limit", "30").stdout)
        return [(row["tool"], row["outcome"]) for row in found]

    wait_for(rows, lambda seen: (tool[:80], outcome) in seen, 10)


def propose(conductor: RunningConductor, name: str) -> str:
    return conductor.call("conductor_create_mode", name=name)["plan_id"]


def approve(conductor: RunningConductor, plan_id: str, *more: str) -> str:
    return at_terminal(conductor, "plans", "approve", plan_id, "--yes", *more).stdout


def modes(conductor: RunningConductor) -> list[str]:
    return [mode["name"] for mode in conductor.call("conductor_list_modes")["modes"]]


def test_a_plan_that_nobody_approved_is_not_applied(conductor: RunningConductor):
    plan_id = propose(conductor, "Unapproved")
    assert "conductor plans approve" in refused(
        conductor, "conductor_apply_plan", -32005, plan_id=plan_id
    )
    assert "Unapproved" not in modes(conductor)


def test_an_approval_that_the_client_asserts_is_none(conductor: RunningConductor):
    plan_id = propose(conductor, "Asserted")
    refused(conductor, "conductor_apply_plan", -32602, plan_id=plan_id, approved=True)
    refused(conductor, "terminal.approve", -32007, plan_id=plan_id)
    assert conductor.call("conductor_get_plan", plan_id=plan_id)["status"] == "pending"


def test_the_command_without_a_terminal_cannot_approve(conductor: RunningConductor):
    plan_id = propose(conductor, "Piped")
    done = conductor.cli("plans", "approve", plan_id, "--yes")
    assert (done.returncode, "at a terminal" in done.stderr) == (1, True)
    assert conductor.call("conductor_get_plan", plan_id=plan_id)["status"] == "pending"


@pytest.mark.parametrize(
    "plan_id", ["550e8400-e29b-41d4-a716-446655440000", "../../config.toml", "", "%00"]
)
def test_a_forged_plan_id_is_unknown(conductor: RunningConductor, plan_id: str):
    refused(conductor, "conductor_apply_plan", -32602, plan_id=plan_id)


def test_a_plan_of_another_client_is_not_applied_for_this_one(conductor: RunningConductor):
    plan_id = propose(conductor, "Foreign")
    approve(conductor, plan_id, "--no-apply")
    request = {"jsonrpc": "2.0", "method": "conductor_apply_plan", "id": 1}
    line = json.dumps({**request, "params": {"plan_id": plan_id}})
    path = str(conductor.home / "mcp.sock")
    said = subprocess.run(["perl", "-e", PERL, path, line], capture_output=True, text=True)
    assert json.loads(said.stdout)["error"]["code"] == -32007
    audited(conductor, "conductor_apply_plan", "not_allowed")
    assert "Foreign" not in modes(conductor)


def test_a_file_that_changes_between_plan_and_apply_makes_the_plan_stale(
    conductor: RunningConductor,
):
    plan_id = propose(conductor, "Late")
    approve(conductor, plan_id, "--no-apply")
    conductor.config_path.write_text(CONFIG + "# edited meanwhile\n")
    refused(conductor, "conductor_apply_plan", -32004, plan_id=plan_id)
    refused(conductor, "conductor_apply_plan", -32004, plan_id=plan_id)
    assert conductor.config_path.read_text() == CONFIG + "# edited meanwhile\n"
    conductor.use(CONFIG)


def test_a_rejected_plan_stays_rejected(conductor: RunningConductor):
    plan_id = propose(conductor, "Rejected")
    at_terminal(conductor, "plans", "reject", plan_id)
    refused(conductor, "conductor_apply_plan", -32005, plan_id=plan_id)
    assert "rejected" in approve(conductor, plan_id)
    assert "Rejected" not in modes(conductor)


def test_the_approval_of_one_plan_is_not_that_of_another(conductor: RunningConductor):
    one, other = propose(conductor, "One"), propose(conductor, "Other")
    approve(conductor, one, "--no-apply")
    refused(conductor, "conductor_apply_plan", -32005, plan_id=other)
    assert "Other" not in modes(conductor)


def test_a_privileged_plan_waits_for_the_user_like_any_other(conductor: RunningConductor):
    plan = conductor.call("conductor_reset_config")
    assert plan["privileged"]
    refused(conductor, "conductor_apply_plan", -32005, plan_id=plan["plan_id"])
    loosened = conductor.call(
        "conductor_update_settings", settings={"engine": {"allow_shell": True}}
    )
    assert loosened["privileged"]


def test_the_command_without_a_terminal_uses_no_approved_plan(conductor: RunningConductor):
    plan_id = propose(conductor, "Without")
    approve(conductor, plan_id, "--no-apply")
    call = ("tools", "call", "conductor_apply_plan", json.dumps({"plan_id": plan_id}))
    with subprocess.Popen(
        [sys.executable, "-m", "conductor", *call],
        env=conductor.environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as alone:
        assert b"only for you at a terminal" in alone.communicate(timeout=60)[1]
    assert "Without" not in modes(conductor)
    at_terminal(conductor, *call)
    assert "Without" in modes(conductor)


def test_a_plan_whose_examples_fail_cannot_be_approved(conductor: RunningConductor):
    example = {"name": "pastes", "gesture": "tap 36", "expect": [{"type": "Text"}]}
    plan = conductor.call("conductor_create_mode", name="Wrong", examples=[example])
    assert not plan["examples"][0]["passed"]
    assert "examples" in approve(conductor, plan["plan_id"])
    refused(conductor, "conductor_apply_plan", -32005, plan_id=plan["plan_id"])


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "a\u200bb",
        "a\u202eb",
        "D\u0435fault",
        "\uff24efault",
        "a\0b",
    ],
)
def test_names_that_look_like_paths_or_like_other_names_are_refused(
    conductor: RunningConductor, name: str
):
    refused(conductor, "conductor_create_mode", -32602, name=name)


def test_a_tool_name_with_a_foreign_letter_is_no_tool(conductor: RunningConductor):
    refused(conductor, "conductor_g\u0435t_status", -32601)


def test_deep_and_large_arguments_are_refused_before_they_are_looked_into(
    conductor: RunningConductor,
):
    deep: Any = {"type": "Keystroke", "keys": ["a"]}
    for _ in range(60):
        deep = {"type": "Sequence", "actions": [deep]}
    trigger = {"type": "Note", "note": 1}
    refused(conductor, "conductor_create_mapping", -32602, trigger=trigger, action=deep)
    long = {"type": "Text", "text": "x" * 300_000}
    refused(conductor, "conductor_create_mapping", -32602, trigger=trigger, action=long)


def test_two_clients_racing_for_one_plan_make_one_change(conductor: RunningConductor):
    plan_id = propose(conductor, "Raced")
    approve(conductor, plan_id, "--no-apply")

    def ask(_: int) -> str:
        client = SocketClient(conductor.home / "mcp.sock")
        try:
            return client.call_method("conductor_apply_plan", plan_id=plan_id)["status"]
        finally:
            client.close()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {"applied"}
    versions = json.loads(conductor.cli("history", "--json").stdout)
    assert sum("Raced" in version["reason"] for version in versions) == 1
    assert modes(conductor).count("Raced") == 1


def test_a_sysex_token_is_good_for_its_message_only_and_once_approved(conductor: RunningConductor):
    first = conductor.call("conductor_send_sysex", port="Synth", data=SYSEX)
    token = first["token"]
    send = "conductor_send_sysex"
    refused(conductor, send, -32005, port="Synth", data=SYSEX, token=token)
    refused(conductor, send, -32007, port="Other", data=SYSEX, token=token)
    refused(conductor, send, -32007, port="Synth", data=["F0", "01", "F7"], token=token)
    refused(conductor, send, -32007, port="Synth", data=SYSEX, token="forged")
    approve(conductor, first["plan_id"])
    with pytest.raises(ConductorError, match="no MIDI output named `Synth`"):
        conductor.call(send, port="Synth", data=SYSEX, token=token)
    refused(conductor, send, -32007, port="Synth", data=SYSEX, token=token)


def test_what_looks_like_firmware_is_never_sent(conductor: RunningConductor):
    data = ["F0", "00", "20", "29", "00", "71", "00", "69", "F7"]
    refused(conductor, "conductor_send_sysex", -32007, port="Launchpad", data=data)


def test_secrets_do_not_reach_the_audit_log(conductor: RunningConductor):
    secret = "sk-ant-" + "a1B2" * 10
    refused(conductor, "conductor_switch_mode", -32001, mode=secret)
    log = conductor.cli("audit", "--json").stdout
    assert "[hidden]" in log
    assert secret not in log


def test_an_expired_plan_is_not_applied():
    environment = {**WITHOUT_PARTS, "CONDUCTOR_PLAN_TTL_SECONDS": "0.4"}
    with running_conductor(CONFIG, environment=environment) as conductor:
        plan_id = propose(conductor, "Expired")
        wait_for(
            lambda: conductor.call("conductor_get_plan", plan_id=plan_id)["status"],
            lambda status: status == "expired",
        )
        refused(conductor, "conductor_apply_plan", -32003, plan_id=plan_id)
