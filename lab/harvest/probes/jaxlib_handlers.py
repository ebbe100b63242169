"""The handlers of custom calls in the CPU modules of jaxlib, from its published wheels.

jaxlib_handlers.py

Prints a line for each release: the version, and the names in the shared objects of `jaxlib/cpu`, with tabs between them. Of a
wheel only these members are transferred. A name that is built from parts is not seen; none is so far.
"""
import json
import re
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

from pip._internal.models.index import PyPI
from pip._vendor.packaging.utils import InvalidWheelFilename, parse_wheel_filename

from ranged import ACCEPT, Ranged, read

MODULE = re.compile(r"jaxlib/cpu/\w[\w.-]*\.so$|jaxlib/_lapack[\w.-]*\.so$")
NAME = re.compile(rb"(?:lapack|blas)_[sdcz][a-z0-9]+(?:_ffi)?(?=\0)|[a-z_0-9]+_ffi(?=\0)")
# The modules are read whole: few requests.
LEAST = 1 << 22


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
    with zipfile.ZipFile(Ranged(file["url"], file["size"], LEAST)) as archive:
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
