"""The environment can be read while other threads change it."""

import os
import threading

from conductor.base.environment import copy_environment


def test_it_is_read_while_a_variable_comes_and_goes() -> None:
    done = threading.Event()

    def come_and_go() -> None:
        while not done.is_set():
            os.environ["CONDUCTOR_TEST_FLEETING"] = "1"
            del os.environ["CONDUCTOR_TEST_FLEETING"]

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        assert all(copy_environment()["PATH"] for _ in range(20_000))
    finally:
        done.set()
        thread.join()
