"""The filter of xz for x86, without its compression: after it, zstd packs libraries into 4 % less.

A call in machine code holds the distance to the function. The filter replaces it by the function's address, so
that all calls of a function are equal bytes. Python has the filter only in front of LZMA2. So data passes
through LZMA2: at its fastest for packing, and in chunks that are not compressed for unpacking, which
takes half as long as zstd.
"""

import lzma
from typing import BinaryIO

_LZMA2 = {"id": lzma.FILTER_LZMA2, "preset": 0}
_FILTERS = [{"id": lzma.FILTER_X86}, _LZMA2]
_CHUNK_BYTES = 1 << 16
_FIRST_CHUNK, _NEXT_CHUNK, _END = 1, 2, b"\0"
"""How LZMA2 marks chunks that are not compressed: the first one has no dictionary before it."""


class CallWriter:
    """Writes data to a file with the addresses of called functions."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._filter = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=_FILTERS)
        self._plain = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[_LZMA2])

    def write(self, data: bytes) -> int:
        self._file.write(self._plain.decompress(self._filter.compress(data)))
        return len(data)

    def close(self) -> None:
        self._file.write(self._plain.decompress(self._filter.flush()))


class CallReader:
    """Reads what `CallWriter` wrote."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._filter = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
        self._mark = _FIRST_CHUNK

    def read(self, _size: int = -1) -> bytes:
        """Return the next bytes, any number of them, and none only at the end."""
        data = b""
        while not data and not self._filter.eof:
            chunk = self._file.read(_CHUNK_BYTES)
            if chunk:
                head = bytes((self._mark, *(len(chunk) - 1).to_bytes(2, "big")))
                self._mark = _NEXT_CHUNK
            else:
                head = _END
            data = self._filter.decompress(head + chunk)
        return data
