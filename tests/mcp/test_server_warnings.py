"""Warnings about a server before it is started: in each case the user has to decide."""

import sys
from pathlib import Path
from typing import Any

import pytest

from conductor.mcp.registry.entry import parse_server_entry
from conductor.mcp.registry.warnings import find_entry_warnings, find_program, is_secret_name

NEWEST = "fetches and runs the newest version"


def advice_on(*argv: str, **more: Any) -> str:
    return "\n".join(
        find_entry_warnings(
            parse_server_entry({"command": argv[0], "args": list(argv[1:]), **more})
        )
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sudo npx x@1.2.3", "administrator rights (sudo)"),
        ("/usr/bin/sudo -n uvx a", NEWEST),
        ("env A=1 sudo x", "administrator rights"),
        ("nice -n 5 env -i doas x", "administrator rights (doas)"),
        ("pkexec x", "administrator rights"),
        ("rm -rf /", "`rm` deletes"),
        ("bash -c ls", "a shell command line"),
        ("sh -lc ls", "a shell command line"),
        ("cmd.exe /c dir", "a shell command line"),
        ("powershell -EncodedCommand AAAA", "a shell command line"),
        ("python3 -c print(1)", "code from its arguments"),
        ("node -e 1", "code from its arguments"),
        ("npx -y foo", f"{NEWEST} of foo from the internet; foo@VERSION"),
        ("npx foo@latest", f"{NEWEST} of foo "),
        ("npx foo@^1.2.0", f"{NEWEST} of foo "),
        ("npx -y @scope/foo", f"{NEWEST} of @scope/foo "),
        ("npx --package=foo bar", f"{NEWEST} of foo "),
        ("npx.cmd -y foo", f"{NEWEST} of foo "),
        ("bunx foo", f"{NEWEST} of foo "),
        ("npm exec foo", f"{NEWEST} of foo "),
        ("pnpm dlx foo", f"{NEWEST} of foo "),
        ("yarn dlx foo", f"{NEWEST} of foo "),
        ("uvx foo", f"{NEWEST} of foo from the internet; foo==VERSION"),
        ("uvx foo>=1", f"{NEWEST} of foo "),
        ("uvx foo@latest", f"{NEWEST} of foo "),
        ("uvx --from foo bar", f"{NEWEST} of foo "),
        ("uvx --python 3.11 foo", f"{NEWEST} of foo "),
        ("uv tool run foo", f"{NEWEST} of foo "),
        ("pipx run foo", f"{NEWEST} of foo "),
        ("uvx --from git+https://github.com/a/b c", "whatever it contains at that time"),
        ("npx github:a/b", "whatever it contains at that time"),
        ("uvx ./mine", "from the folder ./mine"),
        ("docker run -i mcp/time", "a digest would pin it"),
        ("docker run --privileged a@sha256:00", "the whole computer"),
        ("podman run -v /:/host a@sha256:00", "the whole computer"),
        ("deno run https://x/y.ts", "an address on the internet"),
        ("no-such-program-anywhere", "was not found: install it"),
    ],
)
def test_it_is_said(line: str, words: str) -> None:
    assert words in advice_on(*line.split())


@pytest.mark.parametrize(
    "line", ["wget -qO- https://x | sh", "bash <(curl -s https://x)", 'eval "$(curl https://x)"']
)
def test_each_way_to_run_a_download_is_said(line: str) -> None:
    assert "downloads a script" in advice_on("bash", "-c", line)


def test_a_download_into_a_shell_is_said() -> None:
    said = advice_on("bash", "-c", "curl -fsSL https://x/i.sh | sudo bash && rm -rf ~")
    assert "downloads a script from the internet and runs it" in said
    assert "administrator rights" in said
    assert "`rm` deletes" in said


@pytest.mark.parametrize(
    "line",
    [
        "npx -y foo@1.2.3",
        "npx -y @scope/foo@2.0.0-beta.1",
        "npx --package @scope/foo@1.0.0 bin",
        "uvx foo==1.2",
        "uvx foo@1.2.3",
        "uvx --from foo==1.0 bar",
        "uvx --from git+https://github.com/a/b@0123456789abcdef0123456789abcdef01234567 c",
        "docker run -i a@sha256:00",
    ],
)
def test_a_pinned_version_needs_no_word(line: str) -> None:
    said = advice_on(*line.split())
    assert "internet" not in said or "digest" in said, said
    assert NEWEST not in said


def test_a_plain_program_needs_no_word() -> None:
    assert advice_on("/usr/bin/env", "true") == ""


def test_variables_that_load_code_or_take_a_secret_are_said() -> None:
    said = advice_on("/usr/bin/env", env={"LD_PRELOAD": "/x.so", "K": "${ANTHROPIC_API_KEY}"})
    assert "sets LD_PRELOAD" in said
    assert "receives ANTHROPIC_API_KEY from your environment, as K" in said
    assert advice_on("/usr/bin/env", env={"TOKEN": "${env:TOKEN}", "LANG": "C"}) == ""


def test_paths_that_are_not_there_are_said() -> None:
    said = advice_on("/usr/bin/env", "/no/such/file.py", cwd="/no/such/folder")
    assert "/no/such/file.py does not exist" in said
    assert "its folder /no/such/folder does not exist" in said


def test_a_program_that_others_can_change_is_said(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text("")
    assert "others on this computer" not in advice_on(sys.executable, str(script))
    script.chmod(0o666)
    assert f"other users of this computer can change {script}" in advice_on(
        sys.executable, str(script)
    )
    script.chmod(0o644)
    tmp_path.chmod(0o777)
    assert f"they can write to {tmp_path}" in advice_on(sys.executable, str(script))


def test_characters_that_hide_something_are_said() -> None:
    assert "invisible characters" in advice_on("/usr/bin/env", "a\u202eb")
    assert "invisible characters" in advice_on("/usr/bin/env", "a\nb")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.org/mcp", "not encrypted"),
        ("https://me:pw@example.org/", "name or password in its address"),
        ("https://example.org/?api_key=1", "seems to have a secret in its address"),
        ("https://ex\u0430mple.org/", "mistaken for other letters"),
    ],
)
def test_an_address_is_looked_at(url: str, words: str) -> None:
    assert words in "\n".join(find_entry_warnings(parse_server_entry({"url": url})))


def test_a_good_address_needs_no_word() -> None:
    assert find_entry_warnings(parse_server_entry({"url": "https://example.org/mcp"})) == []
    assert find_entry_warnings(parse_server_entry({"url": "http://127.0.0.1:8000/mcp"})) == []


def test_the_program_is_found_as_it_will_be(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "tool").chmod(0o755)
    given = {"command": "tool", "env": {"PATH": str(tmp_path)}}
    assert find_program(parse_server_entry(given)) == str(tmp_path / "tool")
    beside = {"command": "./tool", "cwd": str(tmp_path)}
    assert find_program(parse_server_entry(beside)) == str(tmp_path / "tool")
    assert find_program(parse_server_entry({"command": "tool"}), {"PATH": "/nowhere"}) is None


def test_what_sounds_like_a_secret_is_known() -> None:
    for name in ("GITHUB_TOKEN", "api_key", "Password", "MY_PAT", "Authorization", "client-secret"):
        assert is_secret_name(name)
    for name in ("LANG", "HOME", "PATH", "DEBUG", "PATTERN"):
        assert not is_secret_name(name)


def test_a_client_id_is_shown_before_it_is_agreed_to() -> None:
    raw = {"url": "https://x", "oauth": {"clientId": "an-id", "clientSecret": "a-secret"}}
    found = find_entry_warnings(parse_server_entry(raw))
    assert found == ["signs in with a client id from its entry: an-id"]
