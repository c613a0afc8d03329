"""Addresses that a server may name for a sign-in, to which Conductor then sends requests."""

import pytest

from conductor.errors import NotAvailable
from conductor.mcp.client.token_storage import check_sign_in_address

SERVER = "https://mcp.example.com/mcp"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "app.localhost",
        "router.local",
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00::1]",
        "localhost.",
        "LOCALHOST..",
        "app.localhost.",
        "127.0.0.1.",
        "127.1.",
        "127\u30020\u30020\u30021",
        "127%2e0.0.1",
        "router",
        "homeassistant:8123",
        "nas.lan",
        "nas.lan.",
        "nas.home",
        "nas.home.arpa",
        "nas.intranet",
        "nas.localdomain",
        "fritz.box",
        "nas.fritz.box",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::192.168.1.1]",
        "[2002:7f00:1::]",
        "[::127.0.0.1]",
        "[64:ff9b:1::7f00:1]",
        "[fec0::1]",
    ],
)
def test_a_server_on_the_internet_cannot_name_an_address_in_the_local_network(host: str) -> None:
    with pytest.raises(NotAvailable, match="your own network"):
        check_sign_in_address(f"https://{host}/token", SERVER)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://a.example/x", "javascript:1"])
def test_an_address_that_is_not_http_is_refused(address: str) -> None:
    with pytest.raises(NotAvailable, match="without encryption"):
        check_sign_in_address(address, SERVER)


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("https://login.example.com/token", SERVER),
        ("https://login.example.com./token", SERVER),
        ("https://93.184.215.14/token", SERVER),
        ("https://1572395022/token", SERVER),
        ("https://[2606:4700:4700::1111]/token", SERVER),
        ("https://[::ffff:93.184.215.14]/token", SERVER),
        ("https://[64:ff9b::5db8:d70e]/token", SERVER),
        ("https://login.shop.box/token", SERVER),
        ("https://192.168.1.2/token", "https://192.168.1.1/mcp"),
        ("http://127.0.0.1:9000/token", "http://localhost:8000/mcp"),
        ("https://192.168.1.5/auth", "https://nas.lan/mcp"),
        ("https://192.168.1.5/auth", "https://nas.lan./mcp"),
        ("https://192.168.1.5/auth", "https://homeassistant:8123/mcp"),
        ("https://192.168.1.5/auth", "https://fritz.box/mcp"),
        ("https://192.168.1.5/auth", "https://server.intranet/mcp"),
        ("https://router/auth", "https://192.168.1.5/mcp"),
    ],
)
def test_a_sign_in_may_lead_to_the_internet_and_stay_in_the_users_network(
    address: str, server: str
) -> None:
    assert check_sign_in_address(address, server)


@pytest.mark.parametrize("server", ["https://shop.box/mcp", "https://lan.example.com/mcp"])
def test_a_server_on_the_internet_is_no_home_server_by_a_part_of_its_name(server: str) -> None:
    with pytest.raises(NotAvailable, match="your own network"):
        check_sign_in_address("https://192.168.1.5/auth", server)
