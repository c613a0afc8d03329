"""`conductor mcp install`: one entry is written into a client's own file, and nothing else changes."""

import json
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.running import conductor, conductor_environment, short_home

from conductor.errors import NotAvailable
from conductor.mcp.registry.install import (
    DEFAULT_ENTRY_FIELDS_BY_CLIENT,
    SERVER_TABLE_BY_CLIENT,
    ClientName,
    build_conductor_entry,
    find_client_settings_file,
    plan_installation,
    plan_removal,
)
from conductor.mcp.registry.json_text import JsonText, set_json_member
from conductor.mcp.registry.toml_text import remove_toml_table, set_toml_table

PATH = ("mcpServers", "conductor")
OURS = {"type": "stdio", "command": "/usr/bin/conductor", "args": ["mcp"]}


def read(client: ClientName, text: str) -> Any:
    return tomllib.loads(text) if client == "codex" else json.loads(text)


@pytest.mark.parametrize("client", get_args(ClientName))
def test_a_client_without_a_file_gets_one_with_our_entry_only(client: ClientName, tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    planned = plan_installation(client, environment)
    assert planned.write_file() is None
    written = read(client, planned.path.read_text())
    whole = {
        **DEFAULT_ENTRY_FIELDS_BY_CLIENT.get(client, {}),
        **build_conductor_entry(client, environment),
    }
    assert written == {SERVER_TABLE_BY_CLIENT.get(client, "mcpServers"): {"conductor": whole}}
    assert planned.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("client", get_args(ClientName))
def test_installing_twice_changes_nothing_the_second_time(client: ClientName, tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    plan_installation(client, environment).write_file()
    assert not plan_installation(client, environment).has_changes


def test_existing_content_stays_byte_for_byte_and_is_backed_up(tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    before = (
        '{\n    // mine\n    "theme" :  "dark",\n'
        '    "mcpServers": {\n        "a": {"url": "http://x//y"}, // b\n    },\n}\n'
    )
    path = find_client_settings_file("cursor", environment)
    path.parent.mkdir()
    path.write_text(before)
    path.chmod(0o640)
    planned = plan_installation("cursor", environment)
    backup = planned.write_file()
    assert backup is not None
    assert backup.read_text() == before
    assert path.stat().st_mode & 0o777 == 0o640
    lines = path.read_text().splitlines()
    assert [line for line in before.splitlines() if line not in lines] == []
    assert JsonText(path.read_text()).value["mcpServers"]["conductor"] == build_conductor_entry(
        "cursor", environment
    )


def test_additions_of_the_user_to_our_entry_stay(tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    path = find_client_settings_file("claude-code", environment)
    path.write_text('{"mcpServers": {"conductor": {"command": "old", "timeout": 5000}}, "x": 1}')
    plan_installation("claude-code", environment).write_file()
    written = json.loads(path.read_text())
    assert written["x"] == 1
    assert written["mcpServers"]["conductor"] == {
        "timeout": 5000,
        **build_conductor_entry("claude-code", environment),
    }


@pytest.mark.parametrize(
    "broken",
    ['{"a": }', '{"a": 1', "[1, 2]", '{"mcpServers": 3}', '{"a": "x}', "{} {}", "nonsense"],
)
def test_a_broken_json_file_is_refused_and_stays(broken: str, tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    path = find_client_settings_file("claude-code", environment)
    path.write_text(broken)
    with pytest.raises(NotAvailable, match="was not changed") as refused:
        plan_installation("claude-code", environment)
    assert str(path) in str(refused.value)
    assert path.read_text() == broken


PLACES: list[tuple[ClientName, dict[str, str], str]] = [
    ("gemini", {}, "home/.gemini/settings.json"),
    ("gemini", {"GEMINI_CLI_HOME": "other"}, "other/.gemini/settings.json"),
    ("windsurf", {}, "home/.codeium/windsurf/mcp_config.json"),
    ("copilot", {}, "home/.copilot/mcp-config.json"),
    ("copilot", {"COPILOT_HOME": "other"}, "other/mcp-config.json"),
]


@pytest.mark.parametrize(("client", "variables", "path"), PLACES)
def test_the_file_is_where_the_client_looks(
    client: ClientName, variables: dict[str, str], path: str, tmp_path: Path
):
    given = {name: str(tmp_path / value) for name, value in variables.items()}
    found = find_client_settings_file(client, {"HOME": str(tmp_path / "home"), **given})
    assert found == tmp_path / path


@pytest.mark.parametrize("client", ["codex", "gemini", "windsurf"])
def test_no_server_type_is_written_for_a_client_that_does_not_know_it(client: ClientName):
    assert set(build_conductor_entry(client, {})) == {"command", "args"}


def test_copilot_may_use_all_tools_unless_the_user_has_chosen_some(tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    path = find_client_settings_file("copilot", environment)
    plan_installation("copilot", environment).write_file()
    first = json.loads(path.read_text())["mcpServers"]["conductor"]
    assert (first["type"], first["tools"]) == ("stdio", ["*"])
    path.write_text('{"mcpServers": {"conductor": {"command": "old", "tools": ["one"]}}}')
    plan_installation("copilot", environment).write_file()
    again = json.loads(path.read_text())["mcpServers"]["conductor"]
    assert again["tools"] == ["one"]
    assert again["command"] == first["command"]


OTHER = {
    "codex": '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "o"\n',
    "vscode": '{\n  // mine\n  "servers": {\n    "other": {"command": "o"}\n  }\n}\n',
}
JSON_OTHER = (
    '{\n  "theme":  "dark", // mine\n  "mcpServers": {\n    "other": {"command": "o"}\n  }\n}\n'
)


@pytest.mark.parametrize("client", get_args(ClientName))
def test_removing_restores_the_file(client: ClientName, tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    before = OTHER.get(client, JSON_OTHER)
    path = find_client_settings_file(client, environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before)
    plan_installation(client, environment).write_file()
    installed = path.read_text()
    planned = plan_removal(client, environment)
    assert path.read_text() == installed
    backup = planned.write_file()
    assert backup is not None
    assert backup.read_text() == installed
    assert path.read_text().rstrip("\n") == before.rstrip("\n")
    assert not plan_removal(client, environment).has_changes


@pytest.mark.parametrize("client", get_args(ClientName))
def test_removing_from_a_client_without_a_file_creates_no_file(client: ClientName, tmp_path: Path):
    assert not plan_removal(client, {"HOME": str(tmp_path)}).has_changes


def test_removing_from_codex_takes_the_tables_inside_and_leaves_comments_of_others(tmp_path: Path):
    environment = {"HOME": str(tmp_path)}
    path = find_client_settings_file("codex", environment)
    path.parent.mkdir()
    path.write_text(
        '[mcp_servers.conductor]\ncommand = "c"\n\n[mcp_servers.conductor.env]\nA = "1"\n\n'
        '# other\n[mcp_servers.other]\ncommand = "o"\n'
    )
    plan_removal("codex", environment).write_file()
    assert path.read_text() == '# other\n[mcp_servers.other]\ncommand = "o"\n'


def test_lines_keep_their_windows_ends():
    text = '{\r\n  "a": 1\r\n}\r\n'
    with short_home() as home:
        path = find_client_settings_file("claude-code", {"HOME": str(home)})
        path.write_bytes(text.encode())
        plan_installation("claude-code", {"HOME": str(home)}).write_file()
        after = path.read_bytes()
    assert after.count(b"\n") == after.count(b"\r\n")
    assert json.loads(after)["a"] == 1


def test_codex_keeps_its_other_tables_comments_and_our_settings(tmp_path: Path):
    environment = {"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path)}
    before = (
        '# mine\nmodel = "x"\n\n[mcp_servers.conductor]\ncommand = "old"\nstartup_timeout_sec = 20\n\n'
        '[mcp_servers.conductor.env]\nA = "1"\n\n# other\n[mcp_servers.other]\ncommand = "o"\n'
    )
    path = find_client_settings_file("codex", environment)
    path.write_text(before)
    plan_installation("codex", environment).write_file()
    text = path.read_text()
    assert "# mine" in text
    assert "# other\n[mcp_servers.other]" in text
    table = tomllib.loads(text)["mcp_servers"]
    assert table["other"] == {"command": "o"}
    assert table["conductor"] == {
        "startup_timeout_sec": 20,
        "env": {"A": "1"},
        **build_conductor_entry("codex", environment),
    }


@pytest.mark.parametrize("text", ["a = ", 'mcp_servers = { conductor = { command = "x" } }\n'])
def test_a_codex_file_that_cannot_be_changed_safely_is_refused(text: str):
    with pytest.raises(ValueError, match=r"."):
        set_toml_table(text, ("mcp_servers", "conductor"), {"command": "x"})
    with pytest.raises(ValueError, match=r"."):
        remove_toml_table(text, ("mcp_servers", "conductor"))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    others=st.dictionaries(st.text(), json_values, max_size=4),
    servers=st.none() | st.dictionaries(st.text(), json_values, max_size=3),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    plain_ascii=st.booleans(),
)
def test_any_file_keeps_all_else_that_it_says(
    others: dict[str, Any], servers: dict[str, Any] | None, indent: Any, plain_ascii: bool
):
    whole = {**others, **({} if servers is None else {PATH[0]: servers})}
    if not isinstance(whole.get(PATH[0], {}), dict):
        return
    text = json.dumps(whole, indent=indent, ensure_ascii=plain_ascii)
    after = json.loads(set_json_member(text, PATH, OURS))
    assert after == {**whole, PATH[0]: {**whole.get(PATH[0], {}), PATH[1]: OURS}}


def test_the_command_shows_what_it_would_write_and_then_writes_it():
    with short_home() as home:
        environment = conductor_environment(home / ".conductor", {"HOME": str(home)})
        arguments = ("mcp", "install", "--client", "vscode")
        shown = conductor(*arguments, "--dry-run", environment=environment)
        path = find_client_settings_file("vscode", environment)
        assert '"conductor": {' in shown.stdout
        assert not path.exists()
        done = conductor(*arguments, environment=environment)
        assert done.returncode == 0, done.stderr
        written = json.loads(path.read_text())["servers"]["conductor"]
        assert written["args"][-1] == "mcp"
        assert written["env"] == {"CONDUCTOR_HOME": str(home / ".conductor")}
        again = conductor(*arguments, environment=environment)
        assert "nothing to do" in again.stdout
        removal = ("mcp", "remove", "--client", "vscode")
        shown = conductor(*removal, "--dry-run", environment=environment)
        assert '-    "conductor": {' in shown.stdout
        assert "conductor" in json.loads(path.read_text())["servers"]
        assert "Removed" in conductor(*removal, environment=environment).stdout
        assert json.loads(path.read_text()) == {"servers": {}}
        assert "nothing to do" in conductor(*removal, environment=environment).stdout
