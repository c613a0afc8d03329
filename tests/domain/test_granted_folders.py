"""The folders that may not be granted to the assistant, and those that cause a warning."""

import pytest

from conductor.domain.config import Config
from conductor.domain.granted_folders import explain_too_broad_folder, warn_about_broad_folder
from conductor.domain.validate import check_config


@pytest.mark.parametrize(
    "folder",
    [
        *("/", "/etc", "/etc/ssl", "/proc/1", "/sys", "/dev", "/usr", "/var", "/home", "/boot/efi"),
        *("/tmp/a/../../etc", "//etc", "/etc/", "/root/.ssh", "~/.ssh", "/home/me/.gnupg/x"),
        *("C:\\", "C:\\Windows", "c:\\windows\\System32", "C:/Windows/Fonts", "D:\\Windows"),
        *("C:\\Program Files", "C:\\Program Files (x86)", "C:\\Users", "C:\\Users\\me\\.ssh"),
        *("/System/Library", "/Library", "/private/etc"),
    ],
)
def test_folders_of_the_system_and_of_keys_are_none_to_read_from(folder: str) -> None:
    assert "choose a folder of documents" in (explain_too_broad_folder(folder) or "")


@pytest.mark.parametrize(
    "folder",
    ["~", "~/", "/root", "/home/me", "/home/me/x/..", "/Users/me", "C:\\Users\\me", "/tmp"],
)
def test_a_home_folder_is_very_wide(folder: str) -> None:
    assert explain_too_broad_folder(folder) is None
    assert "is safer" in (warn_about_broad_folder(folder) or "")


@pytest.mark.parametrize(
    "folder",
    [
        *("/home/me/manuals", "~/Documents", "/usr/share/doc", "/run/media/me/stick", "/etcetera"),
        *("/tmp/x", "C:\\Users\\me\\Documents", "D:\\Samples", "/Library/Audio", "/mnt/etc", "x"),
    ],
)
def test_folders_of_documents_are_fine(folder: str) -> None:
    assert (explain_too_broad_folder(folder), warn_about_broad_folder(folder)) == (None, None)


def test_a_config_that_grants_such_folders_is_valid_with_warnings() -> None:
    folders = ["~/manuals", "/etc", "~"]
    found = check_config(Config.model_validate({"skills": {"folders": folders}}))
    assert found.valid
    assert [one.path for one in found.warnings] == ["skills.folders[1]", "skills.folders[2]"]
    assert "/etc belongs to the system" in found.warnings[0].message
