"""The handlers of custom calls in the CPU modules of jaxlib, from its published wheels.

jaxlib_handlers.py

Prints a line for each release: the version, and the names in the shared objects of `jaxlib/cpu`, with tabs between them. Of a
wheel only these members are transferred. A name that is built from parts is not seen; none is so far.
"""
import io
import json
import re
import sys
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor

from pip._internal.models.index import PyPI
from pip._vendor.packaging.utils import InvalidWheelFilename, parse_wheel_filename

ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json"}
MODULE = re.compile(r"jaxlib/cpu/\w[\w.-]*\.so$|jaxlib/_lapack[\w.-]*\.so$")
NAME = re.compile(rb"(?:lapack|blas)_[sdcz][a-z0-9]+(?:_ffi)?(?=\0)|[a-z_0-9]+_ffi(?=\0)")
BLOCK = 1 << 18


def read(url, headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=180) as answer:
        if "Range" in headers and answer.status != 206:
            raise OSError("no ranges")
        return answer.read()


class Ranged(io.RawIOBase):
    """A remote file as `zipfile` wants to see it, in blocks that are kept."""

    def __init__(self, url, size):
        self.url, self.at, self.size, self.blocks = url, 0, size, {}

    def seekable(self):
        return True

    def tell(self):
        return self.at

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, self.size)[whence]
        return self.at

    def read(self, count=-1):
        end = self.size if count < 0 else min(self.at + count, self.size)
        first, last = self.at // BLOCK, max(self.at, end - 1) // BLOCK
        for number in range(first, last + 1):
            if number not in self.blocks:
                stop = min((number + 1) * BLOCK, self.size)
                self.blocks[number] = read(self.url, {"Range": f"bytes={number * BLOCK}-{stop - 1}"})
        part = b"".join(self.blocks[number] for number in range(first, last + 1))
        begin, self.at = self.at - first * BLOCK, max(end, self.at)
        return part[begin:begin + max(0, end - (first * BLOCK + begin))]


def wheels():
    """One wheel of each release for Linux on x86-64, the oldest release first."""
    index = PyPI.simple_url.rstrip("/")
    found = {}
    for file in json.loads(read(f"{index}/jaxlib/", ACCEPT))["files"]:
        try:
            _, version, _, tags = parse_wheel_filename(file["filename"])
        except InvalidWheelFilename:
            continue
        fits = any("linux" in tag.platform and "x86_64" in tag.platform for tag in tags)
        if fits and not version.is_prerelease:
            found.setdefault(version, file)
    return sorted(found.items())


def names(wheel):
    version, file = wheel
    found = set()
    with zipfile.ZipFile(Ranged(file["url"], file["size"])) as archive:
        for member in archive.namelist():
            if MODULE.search(member):
                found.update(name.decode() for name in NAME.findall(archive.read(member)))
    return "\t".join([str(version), *sorted(found)])


def main():
    with ThreadPoolExecutor(4) as pool:
        for line in pool.map(names, wheels()):
            print(line)
            sys.stdout.flush()


main()
