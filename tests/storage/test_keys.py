"""Keys in the encrypted file: unreadable without the passphrase; damage is reported as such."""

import hashlib
import json
import logging
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.support.key_files import QUICK_SCRYPT_N

from conductor.errors import ConductorError, InvalidParams, NotAvailable
from conductor.storage.keychain import Keychain, KeychainCallError, KeychainCondition
from conductor.storage.keys import KEYCHAIN_RECHECK_INTERVAL_S, Keys
from conductor.storage.keys_file import MAX_KEY_FILE_BYTES, KeysFile

KEY = "sk-ant-0123456789abcdef"
PHRASE = "correct horse battery"


class NoKeychain(Keychain):
    """A keychain that is absent."""

    def check_condition(self, *, ask: bool = False) -> KeychainCondition:
        return "absent"


def keys_in(home: Path, **environment: str) -> Keys:
    file = KeysFile(home / "keys.enc", scrypt_n=QUICK_SCRYPT_N)
    return Keys(home, environment=environment, keychain=NoKeychain(), file=file)


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    keys = keys_in(tmp_path)
    keys.create_file(PHRASE)
    keys.store_key("anthropic", KEY)
    return keys


def sealed(home: Path) -> Path:
    return home / "keys.enc"


def test_a_key_is_readable_after_a_restart_only_with_the_passphrase(keys: Keys, tmp_path: Path):
    assert keys.get_key("anthropic") == KEY
    again = keys_in(tmp_path)
    state = again.read_state()
    assert (state.place, state.locked) == ("file", True)
    assert "passphrase" in state.words
    assert again.get_key("anthropic") is None
    with pytest.raises(NotAvailable, match="passphrase"):
        again.store_key("openai", KEY)
    assert not again.unlock_file(PHRASE).locked
    assert again.get_key("anthropic") == KEY


def test_the_file_is_readable_by_its_owner_only_and_reveals_no_key_or_name(
    keys: Keys, tmp_path: Path
):
    assert stat.S_IMODE(sealed(tmp_path).stat().st_mode) == 0o600
    text = sealed(tmp_path).read_text()
    assert KEY not in text
    assert "anthropic" not in text
    assert list(tmp_path.iterdir()) == [sealed(tmp_path)]


def test_a_wrong_passphrase_opens_nothing_and_says_so(keys: Keys, tmp_path: Path):
    again = keys_in(tmp_path)
    with pytest.raises(InvalidParams, match="wrong passphrase"):
        again.unlock_file("something else")
    assert again.read_state().locked
    assert again.get_key("anthropic") is None


@pytest.mark.parametrize("damage", ["cut", "flipped", "garbage", "empty", "cost"])
def test_a_damaged_file_is_distinguished_from_a_wrong_passphrase(
    keys: Keys, tmp_path: Path, damage: str
):
    file = sealed(tmp_path)
    fields = json.loads(file.read_text())
    match damage:
        case "cut":
            file.write_text(file.read_text()[:-20])
        case "flipped":
            fields["data"] = fields["data"][:-8] + "AAAAAAA="
            file.write_text(json.dumps(fields))
        case "cost":
            file.write_text(json.dumps(fields | {"n": 2**40}))
        case word:
            file.write_bytes(b"" if word == "empty" else b"\x00\xff")
    again = keys_in(tmp_path)
    with pytest.raises(NotAvailable, match="damaged"):
        again.unlock_file(PHRASE)
    assert "damaged" in again.read_state().words
    with pytest.raises(NotAvailable, match="damaged"):
        keys.store_key("openai", KEY)


@pytest.mark.parametrize(
    "odd",
    [
        {"nonce": "AA=="},
        {"nonce": ""},
        {"salt": "%%%"},
        {"data": "x"},
        {"data": "AAAA"},
        {"n": 20_000},
    ],
)
def test_a_file_with_a_valid_digest_that_cannot_be_opened_is_damaged(
    keys: Keys, tmp_path: Path, odd: dict[str, Any]
):
    fields = json.loads(sealed(tmp_path).read_text()) | odd
    text = ":".join(str(fields[name]) for name in ("version", "n", "salt", "nonce", "data"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    sealed(tmp_path).write_text(json.dumps(fields | {"digest": digest}))
    with pytest.raises(NotAvailable, match="damaged"):
        keys_in(tmp_path).unlock_file(PHRASE)
    assert keys.get_key("openai") is None


def test_a_pipe_in_place_of_the_file_is_refused_without_blocking(tmp_path: Path):
    os.mkfifo(sealed(tmp_path))
    with pytest.raises(NotAvailable, match="not a regular file"):
        keys_in(tmp_path).unlock_file(PHRASE)
    assert keys_in(tmp_path).read_state().locked


def test_a_file_readable_by_others_is_restricted_to_its_owner(keys: Keys, tmp_path: Path):
    sealed(tmp_path).chmod(0o666)
    assert keys_in(tmp_path, CONDUCTOR_KEYS_PASSPHRASE=PHRASE).get_key("anthropic") == KEY
    assert stat.S_IMODE(sealed(tmp_path).stat().st_mode) == 0o600


def test_a_key_that_would_make_the_file_too_large_is_refused_and_the_others_are_kept(
    tmp_path: Path,
):
    file = KeysFile(tmp_path / "keys.enc", scrypt_n=QUICK_SCRYPT_N)
    file.create_file(PHRASE)
    file.store_key("mine", "kept")
    with pytest.raises(NotAvailable, match="too large; delete keys, or sign out"):
        file.store_key("server", "x" * MAX_KEY_FILE_BYTES)
    assert file.get_key("mine") == "kept"


def test_starting_over_renames_the_old_file(keys: Keys, tmp_path: Path):
    old = sealed(tmp_path).read_bytes()
    again = keys_in(tmp_path)
    with pytest.raises(InvalidParams, match="unlock it, or start over"):
        again.create_file("another passphrase")
    state = again.create_file("another passphrase", replace=True)
    assert (state.place, state.locked) == ("file", False)
    assert again.get_key("anthropic") is None
    (aside,) = tmp_path.glob("keys.enc.old-*")
    assert aside.read_bytes() == old
    with pytest.raises(NotAvailable, match="was replaced"):
        keys.store_key("openai", KEY)


def test_a_short_passphrase_is_refused(tmp_path: Path):
    with pytest.raises(InvalidParams, match="at least 8"):
        keys_in(tmp_path).create_file("short")
    assert not sealed(tmp_path).exists()


def test_the_passphrase_of_the_environment_creates_and_opens_the_file(tmp_path: Path):
    keys = keys_in(tmp_path, CONDUCTOR_KEYS_PASSPHRASE=PHRASE)
    assert (keys.read_state().place, keys.read_state().locked) == ("file", False)
    keys.store_key("anthropic", KEY)
    again = keys_in(tmp_path, CONDUCTOR_KEYS_PASSPHRASE=PHRASE)
    assert again.get_key("anthropic") == KEY
    wrong = keys_in(tmp_path, CONDUCTOR_KEYS_PASSPHRASE="another one")
    assert wrong.get_key("anthropic") is None
    assert "CONDUCTOR_KEYS_PASSPHRASE is not" in wrong.read_state().words


def test_a_key_is_deleted(keys: Keys, tmp_path: Path):
    keys.store_key("openai", "another-key")
    keys.delete_key("anthropic")
    keys.delete_key("anthropic")
    again = keys_in(tmp_path)
    again.unlock_file(PHRASE)
    assert again.get_key("anthropic") is None
    assert again.get_key("openai") == "another-key"


@pytest.mark.parametrize("text", ["", "  ", f"two {KEY}", f"two\n{KEY}", KEY * 100])
def test_an_invalid_key_is_refused_without_repeating_it(keys: Keys, text: str):
    with pytest.raises(InvalidParams, match="not a key") as raised:
        keys.store_key("openai", text)
    assert KEY not in str(raised.value)


def test_no_key_is_in_a_repr_an_error_or_a_log(
    keys: Keys, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    told = [repr(keys), str(vars(keys)["_file"]), keys.read_state().model_dump_json()]
    sealed(tmp_path).unlink()
    for call in (lambda: keys.store_key("openai", KEY), lambda: keys.delete_key("anthropic")):
        try:
            call()
        except ConductorError as error:
            told += [str(error), repr(error), repr(error.__cause__), repr(error.__context__)]
    assert KEY not in " ".join([*told, caplog.text])


class SlowToOpen(Keychain):
    """A keychain that cannot be used until the user has logged in."""

    def __init__(self, now: KeychainCondition) -> None:
        super().__init__()
        self.now: KeychainCondition = now
        self.questions = 0

    def check_condition(self, *, ask: bool = False) -> KeychainCondition:
        self.questions += self.now != "open"
        return self.now

    def is_still_locked(self) -> bool:
        return self.now == "locked"

    def get_key(self, name: str) -> str | None:
        if self.now != "open":
            raise KeychainCallError(self.now)
        return KEY if name == "anthropic" else None


@pytest.mark.parametrize("first", ["locked", "broken", "absent"])
def test_a_key_is_found_once_the_keychain_can_be_used(tmp_path: Path, first: KeychainCondition):
    keychain, time_s = SlowToOpen(first), 100.0
    keys = Keys(tmp_path, environment={}, keychain=keychain, clock=lambda: time_s)
    assert keys.get_key("anthropic") is None
    keychain.now = "open"
    time_s += KEYCHAIN_RECHECK_INTERVAL_S
    assert keys.get_key("anthropic") == KEY
    assert keys.storage_place == "keychain"


def test_a_key_is_found_again_after_the_keychain_was_locked(tmp_path: Path):
    keychain, time_s = SlowToOpen("open"), 100.0
    keys = Keys(tmp_path, environment={}, keychain=keychain, clock=lambda: time_s)
    assert keys.get_key("openai") is None
    keychain.now = "locked"
    assert keys.get_key("anthropic") is None
    keychain.now = "open"
    time_s += KEYCHAIN_RECHECK_INTERVAL_S
    assert keys.get_key("anthropic") == KEY


def test_a_user_who_did_not_unlock_the_keychain_is_not_prompted_repeatedly(tmp_path: Path):
    keychain, time_s = SlowToOpen("locked"), 100.0
    keys = Keys(tmp_path, environment={}, keychain=keychain, clock=lambda: time_s)
    for _ in range(20):
        assert keys.get_key("anthropic") is None
        time_s += KEYCHAIN_RECHECK_INTERVAL_S
    assert keychain.questions == 1


def test_a_missing_keychain_is_not_probed_for_every_key(tmp_path: Path):
    keychain = SlowToOpen("absent")
    keys = Keys(tmp_path, environment={}, keychain=keychain, clock=lambda: 100.0)
    for name in ("anthropic", "openai", "anthropic"):
        assert keys.get_key(name) is None
    assert keychain.questions == 1
