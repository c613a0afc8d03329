"""Reads the config file that the user named in the arguments."""

from pathlib import Path

from conductor.base.paths import get_home_folder
from conductor.config.parse import decode_config_bytes, load_config
from conductor.domain.config import Config
from conductor.errors import ConfigNotFound


def read_config_bytes(path: Path) -> bytes:
    """Return the content of a config file.

    Raises:
        ConfigNotFound: The file does not exist or cannot be read. The message says what to do.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ConfigNotFound(
            f"there is no config at {path}; check the path, or run `conductor run --headless`, which creates"
            f" {get_home_folder() / 'config.toml'}"
        ) from None
    except IsADirectoryError:
        raise ConfigNotFound(
            f"{path} is a folder; name a file, such as {path / 'config.toml'}"
        ) from None
    except OSError as error:
        raise ConfigNotFound(f"{path} cannot be read: {error.strerror}") from None


def read_config(path: Path) -> Config:
    """Return the config in a file.

    Raises:
        ConfigNotFound: The file does not exist or cannot be read.
        ConfigError: The file is not a valid config.
    """
    return load_config(decode_config_bytes(read_config_bytes(path), path.name), path.name)[0]
