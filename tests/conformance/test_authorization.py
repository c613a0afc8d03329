"""The official suite's scenarios for authorization servers, over TLS, with a user who allows the suite."""

import os
import re
import subprocess
from pathlib import Path

import anyio
import httpx2
from tests.conformance.served import NODE, SUITE
from tests.remote.rig import RawClient, free_port, open_raw_client, visit

WITHIN_S = 60
ADDRESS = re.compile(r"https://localhost:\d+(/authorize\S+)")


def test_the_suite_finds_nothing_wrong_with_the_authorization_server(tmp_path: Path):
    port = free_port()
    said: list[str] = []

    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            await client.register(redirect_uris=[f"http://127.0.0.1:{port}/callback"])
            arguments = ["--url", rig.issuer, "--client-id", client.client_id]
            arguments += ["--resource", rig.resource, "--port", str(port)]
            trust = str(tmp_path / "remote-certificate.pem")
            with anyio.fail_after(WITHIN_S):
                async with await anyio.open_process(
                    [NODE if NODE.exists() else "node", SUITE, "authorization", *arguments],
                    stdin=subprocess.DEVNULL,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, "NODE_EXTRA_CA_CERTS": trust},
                    cwd=tmp_path,
                ) as suite:
                    assert suite.stdout is not None
                    async for piece in suite.stdout:
                        said.append(piece.decode())
                        if asks := ADDRESS.search(said[-1]):
                            await answer(client, asks[1], port)
            assert suite.returncode == 0, "".join(said)

    anyio.run(run)
    assert "authorization-server-metadata-endpoint: 2 passed, 0 failed" in "".join(said)
    assert "authorization-code-grant: 1 passed, 0 failed" in "".join(said)


async def answer(client: RawClient, address: str, port: int) -> None:
    """Allow the suite as the user, and send its browser back to it."""
    async with httpx2.AsyncClient() as browser:
        answered = await visit(client.rig, address)
        await browser.get(f"http://127.0.0.1:{port}/callback", params=answered)
