"""Makes a device profile from a file: a controller file of another program, or a profile in TOML or JSON."""

from datetime import datetime
from pathlib import Path

from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.controller_files.controls import MAX_FILE_BYTES
from conductor.profiles.controller_files.profile import ImportedProfile, build_imported_profile
from conductor.profiles.controller_files.reader import read_content, read_folder
from conductor.profiles.files import read_bytes, read_profile

CONDUCTOR = "Conductor"


def import_path(path: Path, catalog: ProfileCatalog, name: str, port: str) -> ImportedProfile:
    """Make a device profile from a file, or from the folder of a remote script of Ableton Live.

    `name` and `port` replace the name of the device and of its port, unless they are empty.

    Raises:
        InvalidParams: the file cannot be read or understood; the message says what to do.
    """
    if path.is_dir():
        today = _get_today()
        return build_imported_profile(
            read_folder(path), path.name, today, catalog, name=name, port=port
        )
    return import_content(path.name, read_bytes(path, MAX_FILE_BYTES), catalog, name, port)


def import_content(
    file_name: str, data: bytes, catalog: ProfileCatalog, name: str, port: str
) -> ImportedProfile:
    """Make a device profile from the content of a file.

    Raises:
        InvalidParams: the content cannot be understood; the message says what to do.
    """
    if _is_device_profile(file_name, data):
        profile = read_profile(data, file_name)
        count = sum(len(group.numbers) for group in profile.variants[0].groups)
        return ImportedProfile(CONDUCTOR, profile, count, ())
    found = read_content(file_name, data)
    return build_imported_profile(found, file_name, _get_today(), catalog, name=name, port=port)


def _is_device_profile(file_name: str, data: bytes) -> bool:
    suffix = Path(file_name).suffix.lower()
    return suffix == ".toml" or (suffix == ".json" and b'"variants"' in data)


def _get_today() -> str:
    return datetime.now().astimezone().date().isoformat()
