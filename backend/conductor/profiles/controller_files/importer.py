"""Makes a device profile from a file: a controller file of another program, or a profile in TOML or JSON."""

from datetime import datetime
from pathlib import Path

from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.controller_files.controls import MAX_CONTROLLER_FILE_BYTES
from conductor.profiles.controller_files.profile import ImportedProfile, build_imported_profile
from conductor.profiles.controller_files.reader import read_controller_file, read_script_folder
from conductor.profiles.files import parse_profile, read_limited_bytes

CONDUCTOR_PROGRAM_NAME = "Conductor"


def import_profile_from_path(
    path: Path, catalog: ProfileCatalog, name: str, port: str
) -> ImportedProfile:
    """Return a device profile made from a file, or from the folder of a remote script of Ableton Live.
    `name` and `port` replace the names of the device and its port in the file, unless they are empty.

    Raises:
        InvalidParams: the file cannot be read or understood; the message says what to do.
    """
    if path.is_dir():
        today = _format_today()
        return build_imported_profile(
            read_script_folder(path), path.name, today, catalog, name=name, port=port
        )
    return import_profile_from_content(
        path.name, read_limited_bytes(path, MAX_CONTROLLER_FILE_BYTES), catalog, name, port
    )


def import_profile_from_content(
    file_name: str, data: bytes, catalog: ProfileCatalog, name: str, port: str
) -> ImportedProfile:
    """Return a device profile made from the content of a file; `file_name` decides how it is read.

    Raises:
        InvalidParams: the content cannot be understood; the message says what to do.
    """
    if _is_device_profile(file_name, data):
        profile = parse_profile(data, file_name)
        count = sum(len(group.numbers) for group in profile.variants[0].groups)
        return ImportedProfile(CONDUCTOR_PROGRAM_NAME, profile, count, ())
    found = read_controller_file(file_name, data)
    return build_imported_profile(found, file_name, _format_today(), catalog, name=name, port=port)


def _is_device_profile(file_name: str, data: bytes) -> bool:
    suffix = Path(file_name).suffix.lower()
    return suffix == ".toml" or (suffix == ".json" and b'"variants"' in data)


def _format_today() -> str:
    return datetime.now().astimezone().date().isoformat()
