"""Tables of what is missing in carved files, as docs/formats/carved.md describes them."""

import struct
from pathlib import Path


class Missing:
    """`quarry-carved/...`, to be looked into and changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = bytearray(path.read_bytes())
        assert self.bytes[:8] == b"QRYMISS3"
        assert self.numbers(8, 1) == (checksum(self.bytes[16:]),)
        self.size, self.modified, self.checksum, self.whole = self.numbers(16, 4)
        self.original = self.where(48).decode()
        self.headers = [self.numbers(at, 2) for at in self.places(64, 16)]
        self.records = {self.where(at + 40).decode(): at for at in self.places(80, 112)}
        self.datasets = {
            path: (self.where(at + 56), self.pieces(at)) for path, at in self.records.items()
        }

    def pieces(self, record: int) -> list[tuple]:
        (rank,) = self.numbers(record + 88, 1)
        return [
            (
                *self.numbers(at, 2),
                *struct.unpack_from("<2I", self.bytes, at + 16),
                self.numbers(at + 24, rank),
            )
            for at in self.places(record + 72, 24 + 8 * rank)
        ]

    def numbers(self, at: int, count: int) -> tuple:
        return struct.unpack_from(f"<{count}Q", self.bytes, at)

    def where(self, at: int) -> bytes:
        offset, size = self.numbers(at, 2)
        return bytes(self.bytes[offset : offset + size])

    def places(self, at: int, size: int) -> range:
        offset, count = self.numbers(at, 2)
        return range(offset, offset + count * size, size)

    def put(self, at: int, *numbers: int) -> None:
        struct.pack_into(f"<{len(numbers)}Q", self.bytes, at, *numbers)

    def append(self, at: int, data: bytes, count: int | None = None) -> None:
        """At the end; says where."""
        self.put(at, len(self.bytes), len(data) if count is None else count)
        self.bytes += data

    def swap(self, one: str, other: str, at: int) -> None:
        """The 16 bytes there of two datasets."""
        first, second = self.records[one] + at, self.records[other] + at
        numbers = self.numbers(first, 2)
        self.put(first, *self.numbers(second, 2))
        self.put(second, *numbers)

    def save(self) -> None:
        self.put(8, checksum(self.bytes[16:]))
        self.path.write_bytes(self.bytes)


def checksum(data: bytes) -> int:
    value = 0
    words = struct.unpack(f"<{len(data) // 8 + 1}Q", data + bytes(8 - len(data) % 8))
    for word in (*words, len(data)):
        value = (value ^ word) * 0x9E3779B97F4A7C15 % 2**64
        value ^= value >> 29
    return value
