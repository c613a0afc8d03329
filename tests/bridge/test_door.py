"""Who is let in, and what is refused without harm to the connection."""

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.cli.at_the_keys import at_the_keys
from tests.support.page import CommandFailed, Page, dial
from tests.support.running import RunningConductor
from websockets.exceptions import ConnectionClosed, InvalidStatus

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "\u202egnp.exe\u2066",
    "'\"`${x}</script>",
    "\u0000".join(["a", "b"]),
    "x" * 10_000,
)


def refused(page: Page, token: str, **options: Any) -> int:
    with pytest.raises(InvalidStatus) as error, dial(page.origin, token, **options):
        pass
    return error.value.response.status_code


def told_to_go(page: Page, token: str) -> int:
    """Return the code by which the own page learns that its token does not count; nothing comes before it."""
    with dial(page.origin, token) as line, pytest.raises(ConnectionClosed) as closed:
        line.recv(timeout=10)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


@pytest.mark.parametrize("token", ["wrong", "x" * 5_000, "."])
def test_a_wrong_token_is_refused(page: Page, token: str) -> None:
    assert told_to_go(page, token) == 4403


def test_the_token_of_an_address_opens_one_page_only(
    page: Page, conductor: RunningConductor
) -> None:
    used = conductor.address().split("#t=")[1]
    assert told_to_go(page, used) == 4403


def test_a_second_start_for_a_browser_gives_a_new_address_of_the_running_conductor(
    page: Page, conductor: RunningConductor
) -> None:
    with at_the_keys(conductor.environment, "run", "--browser") as keys:
        assert keys.ends() == 0
    assert "already running" in keys.shown
    origin, token = keys.shown.split("Open ", 1)[1].split()[0].split("/#t=")
    assert origin == page.origin
    with Page(origin, token) as second:
        assert second.call("app.hello")["version"]
    assert told_to_go(page, token) == 4403


def test_a_page_comes_back_with_the_session_it_was_given(page: Page) -> None:
    with Page(page.origin, page.session) as again:
        assert again.call("app.hello")["version"]
        assert again.session == page.session


def test_nothing_is_compressed_for_a_page_on_the_same_computer(page: Page) -> None:
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with dial(page.origin, page.session, headers=offer) as line:
        assert line.response is not None
        assert "Sec-WebSocket-Extensions" not in line.response.headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_origin_is_refused(page: Page, origin: str) -> None:
    assert refused(page, page.session, claimed_origin=origin) == 403


@pytest.mark.parametrize("path", ["/", "/index.html", "/ws"])
@pytest.mark.parametrize("name", ["evil.example", "localhost", "localhost:1", "127.0.0.1"])
def test_another_host_name_is_refused(page: Page, path: str, name: str) -> None:
    request = Request(page.origin + path, headers={"Host": name})
    with pytest.raises(HTTPError) as error:
        urlopen(request, timeout=10)
    assert error.value.code == 403
    error.value.close()


def test_the_page_opens_by_either_name_of_this_computer(page: Page) -> None:
    port = page.origin.rpartition(":")[2]
    for name in (f"127.0.0.1:{port}", f"localhost:{port}"):
        with urlopen(Request(page.origin, headers={"Host": name}), timeout=10) as answer:
            assert answer.status == 200
    with Page(f"http://localhost:{port}", page.session) as other:
        assert other.call("app.hello")["version"]
    assert refused(page, page.session, claimed_origin=f"http://localhost:{port}") == 403


def test_every_answer_carries_the_headers_that_keep_the_page_to_itself(page: Page) -> None:
    with pytest.raises(HTTPError) as error:
        urlopen(page.origin + "/no/such/file", timeout=10)
    headers = error.value.headers
    error.value.close()
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_only_files_with_a_hash_in_their_name_are_kept_by_browsers(page: Page) -> None:
    """After an update, a kept index.html would ask for scripts that are no longer there."""
    with urlopen(page.origin, timeout=10) as answer:
        index = answer.read().decode()
        assert answer.headers["cache-control"] == "no-cache"
    script = index.split('src="./', 1)[1].split('"')[0]
    with urlopen(f"{page.origin}/{script}", timeout=10) as answer:
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py"])
def test_nothing_beside_the_page_is_served(page: Page, path: str) -> None:
    try:
        with urlopen(page.origin + path, timeout=10) as answer:
            body = answer.read()
    except HTTPError as error:
        with error:
            body = error.read()
    assert b"import" not in body


@pytest.mark.parametrize(
    "method", ["", "app", "__class__", "app.hello.__call__", "x" * 10_000, 5, None]
)
def test_an_unknown_command_is_refused_in_a_short_sentence(page: Page, method: Any) -> None:
    with pytest.raises(CommandFailed) as error:
        page.call(method)
    assert error.value.code == "unknown_command"
    assert len(error.value.message) < 1_000


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("modes.switch", {"mode": 5}),
        ("modes.switch", {}),
        ("modes.switch", {"mode": "Two", "extra": 1}),
        ("engine.pause", {"paused": "perhaps"}),
        ("config.commit", {"changes": [{"change_type": "Nothing"}], "base_hash": "", "reason": ""}),
        ("config.commit", {"changes": [], "base_hash": "", "reason": ""}),
        ("virtual.play", {"do": "__init__", "control": "pad1"}),
        ("history.list", {"limit": 10_000}),
    ],
)
def test_wrong_parameters_are_refused_by_field(
    page: Page, method: str, params: dict[str, Any]
) -> None:
    with pytest.raises(CommandFailed) as error:
        page.call(method, **params)
    assert error.value.code == "params_invalid"
    assert error.value.data["fields"]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "5", "null", '"x"', "[" * 50_000, '{"id":1,"method":"app.hello","params":[]}'],
)
def test_what_is_no_call_is_answered_with_an_error(page: Page, text: str) -> None:
    page.socket.send(text)
    while "ok" not in (answer := json.loads(page.socket.recv(20))):
        pass
    assert answer["error"]["code"] == "params_invalid"
    assert page.call("app.hello")


def test_a_message_over_the_limit_ends_that_connection_only(page: Page) -> None:
    with Page(page.origin, page.session) as other, pytest.raises(ConnectionClosed):
        other.call("window.set_prefs", patch={"view": "x" * 9_000_000})
    assert page.call("app.hello")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_come_back_as_they_were_given(page: Page, text: str) -> None:
    page.call("window.set_prefs", patch={"view": text})
    assert page.call("window.prefs")["prefs"]["view"] == text
    described = page.call("config.describe", action={"type": "Text", "text": text})
    assert isinstance(described["action"], str)


def test_a_hostile_description_is_kept_and_shown_as_text(page: Page) -> None:
    mapping = {
        "description": HOSTILE[0],
        "trigger": {"type": "Note", "note": 50},
        "action": {"type": "Text", "text": HOSTILE[2]},
    }
    change = {"change_type": "CreateMapping", "mode": "Default", "mapping": mapping}
    start = page.call("config.get")["hash"]
    page.call("config.commit", changes=[change], base_hash=start, reason=HOSTILE[1])
    row = page.call("config.get")["config"]["modes"][0]["mappings"][1]
    assert (row["description"], row["action"]["text"]) == (HOSTILE[0], HOSTILE[2])
    assert page.call("history.list", limit=1)["versions"][0]["reason"] == HOSTILE[1]


def test_a_page_that_does_not_read_costs_the_others_nothing(page: Page) -> None:
    with Page(page.origin, page.session) as lazy:
        lazy.socket.close_timeout = 0.1
        lazy.call("monitor.watch", on=True)
        for number in range(300):
            lazy.socket.send(json.dumps({"id": number, "method": "config.get", "params": {}}))
        for _ in range(50):
            page.call("virtual.play", do="turn", control="knob1", value=5)
        assert page.call("app.status")["engine"]["running"]
