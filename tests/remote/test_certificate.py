"""The certificate: the user's own files, or one that Conductor makes; each problem says what to do."""

import hashlib
import socket
import ssl
import stat
from datetime import timedelta
from pathlib import Path

import anyio
import httpx2
import pytest
from tests.base.test_http_server import answered, dial, serving
from tests.remote.rig import RemoteRig, open_remote

from conductor.cli.remote import format_status
from conductor.errors import NotAvailable
from conductor.mcp.remote import certificate as certificate_module
from conductor.mcp.remote.certificate import load_certificate


def test_the_self_made_certificate_stays_the_same_until_the_host_changes(tmp_path: Path):
    first = load_certificate("studio.local", tmp_path, "", "")
    assert first.is_self_made
    assert load_certificate("studio.local", tmp_path, "", "").fingerprint == first.fingerprint
    assert load_certificate("10.0.0.5", tmp_path, "", "").fingerprint != first.fingerprint


def test_the_self_made_certificate_is_made_again_before_it_expires(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first = load_certificate("studio.local", tmp_path, "", "")
    monkeypatch.setattr(certificate_module, "RENEW_BEFORE", certificate_module.VALIDITY)
    assert load_certificate("studio.local", tmp_path, "", "").fingerprint != first.fingerprint


def test_only_the_owner_can_read_the_key(tmp_path: Path):
    load_certificate("studio.local", tmp_path, "", "")
    key = tmp_path / certificate_module.KEY_FILE_NAME
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_the_fingerprint_is_the_digest_of_the_certificate_that_is_served(tmp_path: Path):
    made = load_certificate("localhost", tmp_path, "", "")
    context = ssl.create_default_context(cafile=str(made.path))
    context.verify_flags |= ssl.VERIFY_X509_STRICT  # the default since Python 3.13
    with (
        serving(tls=made.context) as port,
        context.wrap_socket(dial(port), server_hostname="localhost") as client,
    ):
        assert answered(client)
        served = client.getpeercert(binary_form=True) or b""
    assert hashlib.sha256(served).hexdigest() == made.fingerprint.replace(":", "").lower()


def write_own_files(folder: Path) -> None:
    load_certificate("localhost", folder, "", "")
    (folder / certificate_module.CERTIFICATE_FILE_NAME).rename(folder / "own.pem")
    (folder / certificate_module.KEY_FILE_NAME).rename(folder / "key.pem")


def test_the_users_own_files_are_served(tmp_path: Path):
    write_own_files(tmp_path)
    own = load_certificate("localhost", tmp_path, "own.pem", "key.pem")
    assert not own.is_self_made
    context = ssl.create_default_context(cafile=str(tmp_path / "own.pem"))
    with (
        serving(tls=own.context) as port,
        context.wrap_socket(dial(port), server_hostname="localhost") as client,
    ):
        assert answered(client)


@pytest.mark.parametrize(
    ("certificate", "key", "says"),
    [
        ("a.pem", "", "set llm.mcp.remote_certificate_key too"),
        ("", "a.pem", "set llm.mcp.remote_certificate too"),
        ("missing.pem", "missing-key.pem", "there is no file .*missing.pem: correct"),
        ("text.pem", "text.pem", "both must be PEM files"),
        ("remote-certificate.pem", "other-key.pem", "of this certificate"),
    ],
)
def test_files_that_cannot_be_used_say_what_to_do(
    tmp_path: Path, certificate: str, key: str, says: str
):
    (tmp_path / "text.pem").write_text("no certificate")
    load_certificate("other", tmp_path, "", "")
    (tmp_path / certificate_module.KEY_FILE_NAME).rename(tmp_path / "other-key.pem")
    load_certificate(socket.gethostname(), tmp_path, "", "")
    with pytest.raises(NotAvailable, match=says):
        load_certificate("localhost", tmp_path, certificate, key)


def test_an_expired_certificate_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as short:
        short.setattr(certificate_module, "VALIDITY", timedelta(minutes=30))
        with pytest.raises(NotAvailable):
            write_own_files(tmp_path)
    (tmp_path / certificate_module.CERTIFICATE_FILE_NAME).rename(tmp_path / "own.pem")
    (tmp_path / certificate_module.KEY_FILE_NAME).rename(tmp_path / "key.pem")
    with pytest.raises(NotAvailable, match=r"own.pem expired on .*: renew it"):
        load_certificate("localhost", tmp_path, "own.pem", "key.pem")


def write_certificate(folder: Path) -> None:
    """Write a new certificate and its key as `own.pem` and `key.pem`."""
    made = folder / "made"
    made.mkdir(exist_ok=True)
    for path in made.iterdir():
        path.unlink()
    load_certificate("localhost", made, "", "")
    (made / certificate_module.CERTIFICATE_FILE_NAME).rename(folder / "own.pem")
    (made / certificate_module.KEY_FILE_NAME).rename(folder / "key.pem")


def read_fingerprint(rig: RemoteRig) -> str:
    """Return the fingerprint of the certificate that a new connection gets."""
    served = ssl.get_server_certificate(("127.0.0.1", rig.port), timeout=20)
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(served)).hexdigest()
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2)).upper()


def test_a_renewed_certificate_is_served_without_a_restart(tmp_path: Path):
    async def run() -> None:
        write_certificate(tmp_path)
        files = {"remote_certificate": "own.pem", "remote_certificate_key": "key.pem"}
        async with open_remote(tmp_path, **files) as rig:
            trust = ssl.create_default_context(cafile=str(tmp_path / "own.pem"))
            async with httpx2.AsyncClient(verify=trust, base_url=rig.issuer) as open_client:
                metadata = "/.well-known/oauth-authorization-server"
                assert (await open_client.get(metadata)).status_code == 200
                first = await anyio.to_thread.run_sync(read_fingerprint, rig)
                write_certificate(tmp_path)
                await rig.access.reload_files()
                renewed = await anyio.to_thread.run_sync(read_fingerprint, rig)
                assert renewed != first
                assert rig.access.get_status().fingerprint == renewed
                assert rig.statuses[-1].fingerprint == renewed
                # the open connection, which trusts only the first certificate, stays
                assert (await open_client.get(metadata)).status_code == 200

    anyio.run(run)


def test_a_renewed_certificate_that_is_broken_is_reported_and_the_previous_one_is_served(
    tmp_path: Path,
):
    async def run() -> None:
        write_certificate(tmp_path)
        files = {"remote_certificate": "own.pem", "remote_certificate_key": "key.pem"}
        async with open_remote(tmp_path, **files) as rig:
            first = await anyio.to_thread.run_sync(read_fingerprint, rig)
            (tmp_path / "own.pem").write_text("no certificate")
            await rig.access.reload_files()
            status = rig.access.get_status()
            assert status.address == rig.resource
            assert "both must be PEM files" in (status.problem or "")
            assert "stays in use" in (status.problem or "")
            assert rig.problems[-1] == status.problem
            shown = format_status(status.model_dump(mode="json"))
            assert shown[0].startswith("problem      the certificate for agents")
            assert shown[1] == f"address      {rig.resource}"
            assert await anyio.to_thread.run_sync(read_fingerprint, rig) == first
            write_certificate(tmp_path)
            await rig.access.reload_files()
            assert rig.access.get_status().problem is None
            assert rig.problems[-1] is None
            assert await anyio.to_thread.run_sync(read_fingerprint, rig) != first

    anyio.run(run)
