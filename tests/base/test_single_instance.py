"""One Conductor per home."""

import os
from pathlib import Path

import pytest

from conductor.base.single_instance import InstanceLock
from conductor.errors import AlreadyRunning, NotAvailable


def test_only_one_holds_the_lock_until_it_lets_go(tmp_path: Path):
    first = InstanceLock(tmp_path)
    with pytest.raises(AlreadyRunning, match=str(os.getpid())):
        InstanceLock(tmp_path)
    first.release_lock()
    InstanceLock(tmp_path).release_lock()


def test_a_home_where_no_file_can_be_is_told_with_the_way_out(tmp_path: Path):
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(NotAvailable, match="set CONDUCTOR_HOME to another"):
        InstanceLock(tmp_path / "home")
