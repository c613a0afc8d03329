"""The MCP library is imported by several threads."""

import subprocess
import sys

from tests.support.running import REPOSITORY

AT_ONCE = """
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from threading import Thread

from conductor.mcp.library import import_modules_serially

failed = []


def load(name):
    try:
        import_modules_serially(name)
    except BaseException as error:
        failed.append(repr(error))


second = Thread(target=load, args=("mcp.shared.exceptions",))  # as the user's servers do


class JustBegun(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "mcp":
            return None
        spec = PathFinder.find_spec(name, path)
        spec.loader.create_module = self.begin_second
        return spec

    def begin_second(self, spec):
        second.start()
        second.join(0.3)  # it waits for this import, which nothing shows


sys.meta_path.insert(0, JustBegun())
load("conductor.mcp.server.protocol")
second.join()
assert not failed, failed
assert "mcp.shared.exceptions" in sys.modules
"""


def test_agents_are_served_when_the_users_servers_start_at_the_same_moment():
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE],
        cwd=REPOSITORY / "backend",
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 0, done.stderr
