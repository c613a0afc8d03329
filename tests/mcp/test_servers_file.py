"""`mcp.json`: read leniently, told exactly, changed as text, never lost."""

import json
import resource
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from conductor.errors import InvalidParams, NotAvailable, UnknownServer
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.registry.entry import parse_server_entry
from conductor.mcp.registry.file import ServersFile, ServersFileContent, parse_servers_file

TIME: dict[str, Any] = {"command": "uvx", "args": ["mcp-server-time==2026.1.1"]}
BY_HAND = """// mine
{
\t"mcpServers": {
\t\t"time": { "command": "uvx", "args": ["mcp-server-time"], "note": "keep" }, // the clock
\t\t/* files */
\t\t"files": {
\t\t\t"command": "npx",
\t\t\t"env": { "TOKEN": "abc", },
\t\t},
\t},
\t"other": [1, 2.0, null]
}
"""


@pytest.fixture
def file(tmp_path: Path) -> ServersFile:
    return ServersFile(tmp_path / "mcp.json")


def names(content: ServersFileContent) -> list[str]:
    return list(content.servers)


def test_no_file_and_an_empty_one_have_no_servers(file: ServersFile) -> None:
    assert file.read_servers() == ServersFileContent({})
    file.path.write_text(" \n")
    assert file.read_servers() == ServersFileContent({})


def test_servers_come_in_the_order_of_the_file_with_comments_and_commas_allowed() -> None:
    content = parse_servers_file(BY_HAND)
    assert names(content) == ["time", "files"]
    entry = content.servers["files"].entry
    assert entry is not None
    assert (entry.command, dict(entry.env)) == ("npx", {"TOKEN": "abc"})


def test_a_secret_is_in_no_repr() -> None:
    assert "abc" not in repr(parse_servers_file(BY_HAND))


def test_what_is_added_changed_and_removed_leaves_all_else_as_it_was(file: ServersFile) -> None:
    file.path.write_text(BY_HAND)
    file.add_server("clock", TIME)
    assert names(file.read_servers()) == ["time", "files", "clock"]
    file.update_server("files", {"command": "npx", "args": ["x"], "env": {"TOKEN": None}})
    assert file.read_servers().servers["files"].raw["env"] == {"TOKEN": "abc"}
    file.remove_server("files")
    text = file.path.read_text()
    assert names(parse_servers_file(text)) == ["time", "clock"]
    for kept in (
        "// mine",
        "// the clock",
        "/* files */",
        '"note": "keep"',
        '"other": [1, 2.0, null]',
    ):
        assert kept in text
    file.remove_server("clock")
    file.remove_server("time")
    assert (names(file.read_servers()), file.read_servers().problem) == ([], None)
    file.add_server("time", TIME)
    assert names(file.read_servers()) == ["time"]


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "b", "a"), ("b", "c", "a")])
@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_servers_go_in_any_order(
    file: ServersFile, order: tuple[str, ...], indent: int | str | None
) -> None:
    servers = {name: {"command": name} for name in "abc"}
    file.path.write_text(json.dumps({"x": 1, "mcpServers": servers, "y": 2}, indent=indent))
    left = ["a", "b", "c"]
    for name in order:
        file.remove_server(name)
        left.remove(name)
        assert list(json.loads(file.path.read_text())["mcpServers"]) == left
    assert json.loads(file.path.read_text()) == {"x": 1, "mcpServers": {}, "y": 2}


def test_the_format_of_vs_code_is_taken_as_it_is(file: ServersFile) -> None:
    file.path.write_text(json.dumps({"inputs": [], "servers": {"time": TIME}}))
    file.add_server("clock", TIME)
    assert json.loads(file.path.read_text()) == {
        "inputs": [],
        "servers": {"time": TIME, "clock": TIME},
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"mcpServers": {"a": {"command": "x"}', "line 1, column 38"),
        ('{\n  "mcpServers": {,}\n}', "line 2, column 18"),
        ('{"mcpServers": []}', "line 1, column 16: `mcpServers` must be an object"),
        ("[]", "must be an object with `mcpServers`"),
        ("{" * 300, "line 1"),
        ('{"a": "\x01"}', "line 1, column 7"),
    ],
)
def test_a_broken_file_is_told_with_its_place_and_never_written_over(
    file: ServersFile, text: str, words: str
) -> None:
    file.path.write_text(text)
    problem = file.read_servers().problem
    assert problem is not None
    assert words in problem
    with pytest.raises(NotAvailable, match="Fix it first"):
        file.add_server("time", TIME)
    assert file.path.read_text() == text


def test_what_is_no_text_is_told(file: ServersFile) -> None:
    file.path.write_bytes(b'{\n"a": "\xff"}')
    assert "line 2: it is not UTF-8" in (file.read_servers().problem or "")
    file.path.write_bytes(b" " * 2_100_000)
    assert "larger than" in (file.read_servers().problem or "")
    file.path.unlink()
    file.path.mkdir()
    assert "cannot be read" in (file.read_servers().problem or "")


def test_a_server_that_cannot_be_used_says_where_and_leaves_the_others() -> None:
    text = '{"mcpServers": {\n"bad": {\n"command": "x",\n"args": ["a", 1]},\n"good": {"command": "y"}}}'
    content = parse_servers_file(text)
    assert content.servers["good"].entry is not None
    assert content.servers["bad"].problem == (
        'mcp.json, line 4, column 9: `args[1]` must be a text; write "1"'
    )


def test_names_become_such_as_a_tool_can_have_and_none_hides_another() -> None:
    found = parse_servers_file(
        '{"mcpServers": {"My Server": {"command": "x"}, "@a/b": {"command": "x"}}}'
    )
    assert names(found) == ["My-Server", "a-b"]
    assert found.servers["a-b"].key == "@a/b"
    twice = parse_servers_file(
        '{"mcpServers": {"a b": {"command": "x"}, "a-b": {"command": "evil"}}}'
    )
    assert twice.servers["a-b"].entry is None
    assert "are both called a-b" in (twice.servers["a-b"].problem or "")


def test_a_new_file_is_the_owners_alone_and_one_that_others_read_becomes_so(
    file: ServersFile,
) -> None:
    file.add_server("time", TIME)
    assert file.path.stat().st_mode & 0o777 == 0o600
    file.path.chmod(0o644)
    file.add_server("clock", TIME)
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_a_symlink_stays_and_its_target_is_changed(file: ServersFile, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    file.path.symlink_to(target)
    file.add_server("time", TIME)
    assert file.path.is_symlink()
    assert names(parse_servers_file(target.read_text())) == ["time"]


def test_a_folder_that_cannot_be_written_is_told() -> None:
    with pytest.raises(NotAvailable, match=r"/sys/mcp\.json cannot be written"):
        ServersFile(Path("/sys/mcp.json")).add_server("time", TIME)


def test_a_disk_without_room_changes_nothing(file: ServersFile) -> None:
    file.add_server("time", TIME)
    before = file.path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
    try:
        with pytest.raises(NotAvailable, match="cannot be written"):
            file.add_server("clock", TIME)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.path.read_bytes() == before
    assert [item.name for item in file.path.parent.iterdir()] == ["mcp.json"]


class SavedMeanwhile(dict[str, Any]):
    """An entry; while it is being written, an editor saves the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(TIME)
        self._path = path
        self.saved = False

    def items(self) -> Any:
        if not self.saved:
            self.saved = True
            self._path.write_text('{"mcpServers": {"by_hand": {"command": "x"}}}')
        return super().items()


def test_what_an_editor_saves_meanwhile_is_not_lost(file: ServersFile) -> None:
    file.add_server("gone", TIME)
    entry = SavedMeanwhile(file.path)
    file.add_server("clock", entry)
    assert entry.saved
    assert names(file.read_servers()) == ["by_hand", "clock"]


def test_two_changes_at_once_are_both_made(file: ServersFile) -> None:
    def add(mark: str) -> None:
        for number in range(20):
            file.add_server(f"{mark}{number}", TIME)

    threads = [threading.Thread(target=add, args=(mark,)) for mark in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(file.read_servers())) == 40


def test_what_is_not_there_is_told(file: ServersFile) -> None:
    file.add_server("time", TIME)
    with pytest.raises(UnknownServer, match="`time`"):
        file.remove_server("clock")
    with pytest.raises(UnknownServer):
        file.update_server("clock", TIME)
    with pytest.raises(InvalidParams, match="called time already"):
        file.add_server("time", TIME)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("npx x", "a server is an object"),
        ({"command": ""}, "`command` is empty"),
        ({"command": 7}, "`command` must be a text"),
        ({"type": "stdio", "url": "https://x"}, "`command` is missing"),
        ({"type": "carrier-pigeon"}, '"stdio" or "http"'),
        ({"command": "x", "args": "y"}, "`args` must be a list"),
        ({"command": "x", "env": ["A=1"]}, "`env` must be an object"),
        ({"command": "x", "env": {"A": []}}, "`env.A` must be a text"),
        ({"command": "x", "env": {"A=B": "1"}}, "an invalid name"),
        ({"command": "x\0y"}, "null character"),
        ({"command": "\ud800"}, "incomplete character"),
        ({"url": "ftp://x"}, "https:// or http://"),
        ({"url": "https://x y"}, "a space"),
        ({"command": "x", "timeout": "1"}, "`timeout` must be a number"),
        ({"command": "x", "timeout": -1}, "`timeout` must be a number"),
        ({"command": "x", "timeout": 10**400}, "`timeout` is too large; the limit is 3600 seconds"),
        (
            {"command": "x", "timeout": float("inf")},
            "`timeout` is too large; the limit is 3600 seconds",
        ),
        ({"command": "x", "env": {"A": float("inf")}}, "`env.A` must be a text"),
        ({"command": "x", "disabled": "no"}, "`disabled` must be true or false"),
        ({"command": "x", "protocolEra": "new"}, "protocolEra"),
        ({"url": "https://x", "oauth": "id"}, '`oauth` must be an object, such as { "clientId"'),
        ({"url": "https://x", "oauth": {"clientId": 7}}, "`oauth.clientId` must be a text"),
        ({"url": "https://x", "oauth": {"clientId": "a b"}}, "`oauth.clientId` contains a space"),
        ({"url": "https://x", "oauth": {"clientSecret": "s"}}, "also needs the client id"),
        ({"url": "https://x", "oauth": {"scopes": [1]}}, "`oauth.scopes` must be a list of texts"),
        (
            {"url": "https://x", "oauth": {"scopes": ['a"b']}},
            "`oauth.scopes` contains an invalid scope",
        ),
        ({"url": "https://x", "oauth": {"callbackPort": 70_000}}, "a number from 1 to 65535"),
        ({"url": "https://x", "auth": {"CLIENT_ID": []}}, "`auth.CLIENT_ID` must be a text"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(raw: Any, words: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        parse_server_entry(raw)
    assert words in str(refused.value)


def test_what_is_wrong_with_a_client_id_is_told_with_its_place() -> None:
    text = '{"mcpServers": {"x": {"url": "https://x",\n"oauth": {"clientId": 7}}}}'
    problem = parse_servers_file(text).servers["x"].problem or ""
    assert problem.startswith("mcp.json, line 2, column ")
    assert "`oauth.clientId` must be a text" in problem


def test_a_client_id_is_read_as_other_programs_write_it() -> None:
    whole = OAuthClient("id", "s", ("a", "b"), 8080)
    claude = {"clientId": "id", "clientSecret": "s", "scopes": "a b", "callbackPort": 8080}
    assert parse_server_entry({"url": "https://x", "oauth": claude}).oauth == whole
    assert (
        parse_server_entry(
            {"url": "https://x", "oauth": {"enabled": True, "clientSecret": ""}}
        ).oauth
        is None
    )
    cursor = {"CLIENT_ID": "id", "CLIENT_SECRET": "s", "scopes": ["a"]}
    entry = parse_server_entry({"url": "https://x", "auth": cursor})
    assert (entry.oauth, entry.notes) == (OAuthClient("id", "s", ("a",)), ())
    entry = parse_server_entry({"url": "https://x", "auth": "oauth"})
    assert (entry.oauth, "`auth` has no effect" in entry.notes[0]) == (None, True)
    assert "`oauth` has no effect" in parse_server_entry({"command": "x", "oauth": claude}).notes[0]


def test_a_change_that_was_not_shown_the_client_id_leaves_it(file: ServersFile) -> None:
    oauth = {"clientId": "id"}
    file.add_server("far", {"url": "https://x/mcp", "oauth": oauth})
    file.update_server("far", {"url": "https://x/mcp", "headers": {"A": "1"}})
    assert file.read_servers().servers["far"].raw == {
        "url": "https://x/mcp",
        "headers": {"A": "1"},
        "oauth": oauth,
    }
    file.update_server(
        "far", {"url": "https://elsewhere/mcp"}
    )  # nothing of it goes to another address
    assert file.read_servers().servers["far"].raw == {"url": "https://elsewhere/mcp"}


@pytest.mark.parametrize("number", ["1" + "0" * 400, "9" * 5_000, "1e999", "-1e999"])
@pytest.mark.parametrize("before", ['"timeout": ', '"note": ', '"args": [', '"env": {"A": '])
def test_a_number_that_is_too_large_is_told_with_its_place(before: str, number: str) -> None:
    content = parse_servers_file('{"mcpServers": {"x": {\n' + before + number)
    assert content.problem is not None
    place = f"mcp.json, line 2, column {len(before) + 1}"
    assert content.problem.startswith(f"{place}: this number is too large; write a smaller one")


def test_an_entry_of_any_client_is_understood() -> None:
    assert parse_server_entry({"url": "https://x/mcp"}).transport == "http"
    assert (
        parse_server_entry({"httpUrl": "https://x/mcp", "type": "streamableHttp"}).url
        == "https://x/mcp"
    )
    entry = parse_server_entry(
        {"command": "x", "env": {"A": 1, "B": True, "C": None}, "timeout": 30, "disabled": True}
    )
    assert dict(entry.env) == {"A": "1", "B": "true"}
    assert (entry.timeout_s, entry.disabled) == (30, True)
    assert parse_server_entry({"command": "x", "timeout": 60_000}).timeout_s == 60
    assert parse_server_entry({"command": "x", "excludeTools": ["a"]}).disabled_tools == ("a",)
    assert parse_server_entry({"command": "x", "enabled": False}).disabled
    notes = parse_server_entry({"command": "x", "alwaysAllow": ["a"], "envFile": ".env"}).notes
    assert "`alwaysAllow` has no effect: Conductor asks you" in notes[0]
    assert "`envFile` is not read" in notes[1]


@pytest.mark.parametrize(
    "change",
    [
        {"command": "uvy"},
        {"args": ["mcp-server-time==2026.1.2"]},
        {"args": ["mcp-server-time==2026.1.1", ""]},
        {"cwd": "/"},
        {"env": {"A": "2"}},
        {"env": {}},
    ],
)
def test_any_change_of_what_runs_is_another_digest(change: dict[str, Any]) -> None:
    whole = {**TIME, "env": {"A": "1"}}
    assert parse_server_entry({**whole, **change}).digest != parse_server_entry(whole).digest


def test_another_client_id_is_another_digest_and_its_secret_counts_by_its_name() -> None:
    def digest(**oauth: Any) -> str:
        return parse_server_entry({"url": "https://x", "oauth": oauth}).digest

    assert parse_server_entry({"url": "https://x"}).digest == digest()
    many = [
        digest(),
        digest(clientId="a"),
        digest(clientId="b"),
        digest(clientId="a", scopes=["c"]),
        digest(clientId="a", clientSecret="s"),
    ]
    assert len(set(many)) == len(many)
    assert digest(clientId="a", clientSecret="s") == digest(clientId="a", clientSecret="other")


def test_what_does_not_change_what_runs_keeps_the_digest() -> None:
    digest = parse_server_entry(TIME).digest
    assert (
        parse_server_entry({**TIME, "timeout": 9, "disabledTools": ["x"], "note": 1}).digest
        == digest
    )
    assert parse_server_entry({"command": "a", "args": ["b c"]}).digest != (
        parse_server_entry({"command": "a", "args": ["b", "c"]}).digest
    )


def test_a_home_that_is_gone_is_made_again(tmp_path: Path) -> None:
    file = ServersFile(tmp_path / "home" / "mcp.json")
    file.add_server("time", TIME)
    shutil.rmtree(file.path.parent)
    file.add_server("time", TIME)
    assert names(file.read_servers()) == ["time"]
