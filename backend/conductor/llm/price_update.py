"""Replaces the price table that comes with Conductor by the newest one of genai-prices, on the user's wish.

Nothing is downloaded without the user's wish. The table is saved and used until Conductor comes with a newer
genai-prices.
"""

import json
import logging
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx2
from genai_prices import types
from genai_prices.data_snapshot import DataSnapshot, set_custom_snapshot
from genai_prices.update_prices import DEFAULT_UPDATE_URL

from conductor.base.atomic import write_atomic
from conductor.errors import NotAvailable

log = logging.getLogger(__name__)

EXPECTED_PROVIDERS = {"anthropic", "openai", "google", "openrouter"}
MAX_TABLE_BYTES = 50_000_000
DOWNLOAD_TIMEOUT_S = 20.0


class PriceTable:
    """The price table that is saved in a file. The methods block, so call them in a worker thread."""

    def __init__(self, path: Path, url: str = DEFAULT_UPDATE_URL) -> None:
        self._path = path
        self._url = url

    def load_saved_table(self) -> None:
        """Use the saved table, if there is one for the installed version of genai-prices.

        One for another version is deleted.
        """
        try:
            saved = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            log.warning("the saved prices in %s cannot be read: %s", self._path, error)
            return
        try:
            if saved["version"] != version("genai-prices"):
                self._path.unlink()  # the table that came with the newer library is newer
                return
            set_custom_snapshot(_parse_table(saved["table"]))
        except Exception as error:  # noqa: BLE001 - without it, the table that came with Conductor is used
            log.warning("the saved prices in %s are not used: %s", self._path, error)

    def update_table(self) -> None:
        """Download the newest table, save it and use it.

        Raises:
            NotAvailable: The table could not be downloaded or saved. The previous one stays in use.
        """
        try:
            answer = httpx2.get(self._url, timeout=DOWNLOAD_TIMEOUT_S).raise_for_status()
        except httpx2.HTTPError as error:
            raise NotAvailable(
                f"The prices could not be downloaded from {self._url} ({str(error)[:200]}). Check the network"
                " and try again; the previous prices stay in use."
            ) from None
        try:
            table = json.loads(answer.content[:MAX_TABLE_BYTES])
            snapshot = _parse_table(table)
        except Exception:  # noqa: BLE001 - the library raises what its models and the table's shape give
            raise NotAvailable(
                f"What {self._url} sent is no price table that this version of Conductor can read; the previous"
                " prices stay in use."
            ) from None
        self._save_table(table)
        set_custom_snapshot(snapshot)

    def _save_table(self, table: object) -> None:
        saved = {"version": version("genai-prices"), "table": table}
        try:
            write_atomic(self._path, json.dumps(saved).encode())
        except OSError as error:
            raise NotAvailable(
                f"{self._path} cannot be written ({error.strerror}). Make room or make the folder writable, and"
                " try again; the previous prices stay in use."
            ) from None


def _parse_table(table: Any) -> DataSnapshot:
    """Parse a table as the library's own updater does, which can only download one and not read a saved one.

    Raises:
        ValueError: A provider is missing that every table has.
    """
    providers = types._providers_from_raw(table)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    if missing := EXPECTED_PROVIDERS - {each.id for each in providers}:
        raise ValueError(f"the table lacks {', '.join(sorted(missing))}")
    return DataSnapshot(providers=providers, from_auto_update=True)
