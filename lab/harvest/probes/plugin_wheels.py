"""Shared objects in the published wheels of packages, one at a time and without the wheel.

plugin_wheels.py list PACKAGE...              a line for each large shared object of each wheel, with tabs: package, version, wheel,
                                              member, its size, the SHA-256 that RECORD has of it, and what `fetch` takes
plugin_wheels.py fetch URL AT SIZE METHOD OUT  writes the member whose header stands at AT, packed in SIZE bytes, to OUT

Of a wheel only its directory, its RECORD and the member are transferred.
"""
import base64
import csv
import io
import json
import struct
import sys
import urllib.request
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor

from pip._internal.models.index import PyPI
from pip._vendor.packaging.utils import InvalidWheelFilename, parse_wheel_filename

from ranged import ACCEPT, Ranged, read

# Smaller ones are Python modules.
LARGE = 20_000_000
PIECE = 1 << 20


def wheels(package):
    index = PyPI.simple_url.rstrip("/")
    found = []
    for file in json.loads(read(f"{index}/{package}/", ACCEPT))["files"]:
        try:
            _, version, _, _ = parse_wheel_filename(file["filename"])
        except InvalidWheelFilename:
            continue
        found.append((version, file["filename"], file))
    return [(package, str(version), file) for version, _, file in sorted(found, key=lambda one: one[:2])]


def digests(archive):
    """The SHA-256 of each member in hexadecimal, as RECORD has it."""
    record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    found = {}
    for row in csv.reader(io.StringIO(archive.read(record).decode())):
        if len(row) == 3 and row[1].startswith("sha256="):
            found[row[0]] = base64.urlsafe_b64decode(row[1].split("=", 1)[1] + "==").hex()
    return found


def members(wheel):
    package, version, file = wheel
    lines = []
    with zipfile.ZipFile(Ranged(file["url"], file["size"])) as archive:
        known = digests(archive)
        for one in archive.infolist():
            if one.filename.endswith((".so", ".dylib")) and one.file_size > LARGE:
                cells = (package, version, file["filename"], one.filename, one.file_size, known.get(one.filename, "-"),
                         file["url"], one.header_offset, one.compress_size, one.compress_type)
                lines.append("\t".join(map(str, cells)))
    return lines


def listing(packages):
    with ThreadPoolExecutor(6) as pool:
        for lines in pool.map(members, [wheel for package in packages for wheel in wheels(package)]):
            for line in lines:
                print(line)


def fetch(url, at, size, method, out):
    at, size = int(at), int(size)
    head = read(url, {"Range": f"bytes={at}-{at + 29}"})
    begin = at + 30 + sum(struct.unpack("<HH", head[26:30]))
    unpack = zlib.decompressobj(-15) if int(method) == zipfile.ZIP_DEFLATED else None
    request = urllib.request.Request(url, headers={"Range": f"bytes={begin}-{begin + size - 1}"})
    with urllib.request.urlopen(request, timeout=180) as answer, open(out, "wb") as file:
        if answer.status != 206:
            raise OSError("no ranges")
        while piece := answer.read(PIECE):
            file.write(unpack.decompress(piece) if unpack else piece)
        file.write(unpack.flush() if unpack else b"")


if __name__ == "__main__":
    if sys.argv[1] == "list":
        listing(sys.argv[2:])
    else:
        fetch(*sys.argv[2:])
