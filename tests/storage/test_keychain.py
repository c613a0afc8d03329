"""The system keychain: a real gnome-keyring that is open, locked, hanging or absent."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.keychain import RealKeychain, real_keychain

from conductor.errors import NotAvailable
from conductor.storage.keychain import Keychain
from conductor.storage.keys import KEYCHAIN_RECHECK_INTERVAL_S, Keys

KEY = "sk-ant-0123456789abcdef"
NO_BUS = "unix:path=/nonexistent"


@pytest.fixture
def keychain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealKeychain]:
    with real_keychain(tmp_path) as keychain:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", keychain.address)
        yield keychain
    for thread in threading.enumerate():
        if thread.name == "keychain":
            thread.join(10)
    gc.collect()


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path / "home", environment={}, keychain=Keychain(timeout_s=2))


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_key_is_stored_in_the_keychain_and_in_no_file(
    keychain: RealKeychain, keys: Keys, tmp_path: Path
):
    state = keys.read_state()
    assert (state.place, state.locked, state.keychain) == ("keychain", False, "open")
    keys.store_key("anthropic", f" {KEY}\n")
    again = Keys(tmp_path / "home", environment={})
    assert again.get_key("anthropic") == KEY
    assert again.get_key("openai") is None
    assert not (tmp_path / "home").exists()
    assert KEY.encode() not in b"".join(path.read_bytes() for path in files_of(tmp_path))


def test_a_key_is_replaced_and_deleted(keychain: RealKeychain, keys: Keys):
    keys.store_key("anthropic", "first-key")
    keys.store_key("anthropic", KEY)
    assert keys.get_key("anthropic") == KEY
    keys.delete_key("anthropic")
    keys.delete_key("anthropic")
    keys.read_state()
    assert keys.get_key("anthropic") is None


def test_a_locked_keychain_is_reported_and_no_key_is_stored_elsewhere(
    keychain: RealKeychain, keys: Keys, tmp_path: Path
):
    keys.store_key("anthropic", KEY)
    keychain.lock()
    state = keys.read_state()
    assert (state.place, state.locked, state.keychain) == ("keychain", True, "locked")
    assert "Unlock it" in state.words
    assert keys.get_key("anthropic") is None
    with pytest.raises(NotAvailable, match="locked") as raised:
        keys.store_key("anthropic", KEY)
    assert KEY not in str(raised.value)
    assert not (tmp_path / "home").exists()


def test_a_file_can_be_used_while_the_keychain_stays_locked(keychain: RealKeychain, keys: Keys):
    keychain.lock()
    state = keys.create_file("a long passphrase")
    assert (state.place, state.locked) == ("file", False)
    keys.store_key("anthropic", KEY)
    keys.read_state()
    assert keys.get_key("anthropic") == KEY


def test_a_hanging_keychain_blocks_only_briefly(keychain: RealKeychain, tmp_path: Path):
    keys = Keys(tmp_path / "home", environment={}, keychain=Keychain(timeout_s=0.3))
    with keychain.hanging():
        assert keys.read_state().keychain == "locked"
        assert keys.get_key("anthropic") is None


def test_keys_are_found_again_after_the_keychain_hung(
    keychain: RealKeychain, keys: Keys, tmp_path: Path
):
    keys.store_key("anthropic", KEY)
    time_s = 100.0
    later = Keys(
        tmp_path / "home",
        environment={},
        keychain=Keychain(timeout_s=0.3),
        clock=lambda: time_s,
    )
    with keychain.hanging():
        assert later.get_key("anthropic") is None
    for thread in threading.enumerate():
        if thread.name == "keychain":
            thread.join(10)
    time_s += KEYCHAIN_RECHECK_INTERVAL_S
    assert later.get_key("anthropic") == KEY


def test_a_locked_keychain_is_checked_without_a_prompt(keychain: RealKeychain):
    real = Keychain(timeout_s=2)
    assert not real.is_still_locked()
    keychain.lock()
    assert real.is_still_locked()


def test_without_a_keychain_only_the_environment_is_used(
    keys: Keys, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", NO_BUS)
    state = keys.read_state()
    assert (state.place, state.locked) == ("environment", False)
    assert "Choose a passphrase" in state.words
    with pytest.raises(NotAvailable, match="environment variable") as raised:
        keys.store_key("anthropic", KEY)
    assert KEY not in str(raised.value)
    assert not (tmp_path / "home").exists()


def test_a_configured_backend_that_is_not_a_real_keychain_is_not_used(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", NO_BUS)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    assert keys.read_state().place == "environment"
