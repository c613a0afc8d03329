"""What a Conductor without MCP servers does not pay for."""

import subprocess
import sys
from pathlib import Path

CHECK = """
import asyncio, sys
from pathlib import Path
from types import SimpleNamespace
from conductor.app.servers import Servers
from conductor.config.store import ConfigStore

home = Path(sys.argv[1])
store = ConfigStore(home / "config.toml")
app = SimpleNamespace(home=home, demo=False, store=store, records=None, llm=None)

async def main():
    servers = Servers(app, lambda *_: None, print, lambda: 0)
    servers.open()
    await servers.follow()
    assert (await servers.listed()).servers == ()
    await servers.close()

asyncio.run(main())
heavy = ("mcp.", "mcp_types", "anyio", "sqlmodel", "jsonschema", "keyring")
print([name for name in sys.modules if name.startswith(heavy)])
"""


def test_without_servers_neither_the_mcp_library_nor_the_database_is_imported(
    tmp_path: Path,
) -> None:
    (tmp_path / "config.toml").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
