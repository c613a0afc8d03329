"""A web of the test's own: a raw server on this computer, names that lead where a test says, and a trap."""

import asyncio
import datetime as dt
import ipaddress
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from conductor.capabilities.web_address import Address, explain_non_public_address
from conductor.capabilities.web_get import resolve_host

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
ALLOWED, TRAP = "127.0.0.1", "127.0.0.2"


def only_the_test_server(address: Address) -> str | None:
    """Judge as the product does, but for the one address that the test's server has."""
    return None if str(address) == ALLOWED else explain_non_public_address(address)


class Names:
    """Where names lead: each look-up takes the next answer, the last one stays. Literals are looked up for real."""

    def __init__(self, **names: Sequence[str]) -> None:
        self._names = {name.replace("_", "."): list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        self.asked.append(host)
        answers = self._names.get(host)
        if answers is None:
            return await resolve_host(host, port)
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ipaddress.ip_address(one) for one in answer.split()]


def http(body: bytes | str = b"", *headers: str, status: str = "200 OK") -> bytes:
    """Write an answer."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", *headers]
    if not any(line.lower().startswith("content-type") for line in headers):
        lines.append("Content-Type: text/html; charset=utf-8")
    if not any(line.lower().startswith("content-length") for line in headers):
        lines.append(f"Content-Length: {len(content)}")
    return "\r\n".join([*lines, "", ""]).encode() + content


def redirect(location: str, status: str = "302 Found") -> bytes:
    return http(b"", f"Location: {location}", status=status)


class Site:
    """Answers each path with bytes, or lets a function write what it likes for as long as it likes."""

    def __init__(
        self,
        answers: Mapping[str, Answer] | None = None,
        *,
        host: str = ALLOWED,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.answers: dict[str, Answer] = dict(answers or {})
        self.requests: list[str] = []
        self.connections = 0
        self._host, self._port, self._tls = host, port, tls
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def port(self) -> int:
        assert self._server is not None
        return self._server.sockets[0].getsockname()[1]

    def url(self, path: str = "/", host: str = "") -> str:
        return f"{'https' if self._tls else 'http'}://{host or self._host}:{self.port}{path}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._serve, self._host, self._port, ssl=self._tls
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        with suppress(OSError, EOFError, asyncio.IncompleteReadError):
            asked = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.requests.append(asked)
            answer = self.answers.get(asked.split(" ")[1], http("nothing", status="404 Not Found"))
            if callable(answer):
                await answer(writer)
            else:
                writer.write(answer)
                await writer.drain()
        writer.close()


def certified(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return what a server of this name shows, and what a client must trust for it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    pem.write_bytes(secret + public)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    return server, ssl.create_default_context(cadata=public.decode())
