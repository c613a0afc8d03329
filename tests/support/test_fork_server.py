"""The server of forks that tests start their processes with."""

import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.support.fork_server import ForkedPython, ForkServer

WAIT_S = 10.0


def list_descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_a_failed_start_leaves_no_descriptor_open(tmp_path: Path) -> None:
    server = ForkServer()
    server.close()
    before = list_descriptors()
    for _ in range(3):
        with pytest.raises((OSError, ValueError)):
            server.start_with_pipes(["-c", ""], {}, tmp_path)
        with pytest.raises((OSError, ValueError)), server.run(tmp_path, stderr=sys.stderr):
            pass
    assert list_descriptors() <= before


def test_a_script_starts_while_another_one_is_waited_for(tmp_path: Path) -> None:
    codes: list[int] = []
    with ExitStack() as stack:
        server = stack.enter_context(ForkServer())

        def start(code: str) -> ForkedPython:
            process = server.start_with_pipes(["-c", code], {}, tmp_path)
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                stack.enter_context(stream)
            return process

        first = start("import sys; sys.exit(len(sys.stdin.read()))")
        waiting = threading.Thread(target=lambda: codes.append(server.wait(first.pid)))
        waiting.start()
        second = start("print('started')")
        assert second.stdout is not None
        assert first.stdin is not None
        assert second.stdout.read() == b"started\n"
        assert second.wait(WAIT_S) == 0
        first.stdin.write(b"abc")
        first.stdin.close()
        waiting.join(WAIT_S)
    assert codes == [3]
