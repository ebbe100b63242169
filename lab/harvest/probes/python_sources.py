"""The Python sources of releases of packages, without the rest of their wheels.

python_sources.py FOLDER SINCE COUNT PACKAGE...

Of each minor of a package since the day SINCE (2022-07-01), the first and the last release are taken, and where there are
more than eight, or COUNT is above four, others between them: up to COUNT together. Of a release one wheel is read: for any platform, or for Linux on x86-64; else the archive of
its sources. FOLDER/PACKAGE/VERSION.zip has its modules and its metadata. An extension module is an empty file there, or for the
packages in COMPILED the names that pickles may ask it for, a line each, which are found as texts in it. What is there is
not fetched again. Of a wheel only these members are read, by requests for ranges. Prints a line for each release.
"""
import io
import json
import os
import re
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

from pip._internal.models.index import PyPI
from pip._vendor.packaging.utils import (InvalidSdistFilename, InvalidWheelFilename, canonicalize_name,
                                         parse_sdist_filename, parse_wheel_filename)
from pip._vendor.packaging.version import InvalidVersion

from ranged import ACCEPT, Ranged, read

# How many releases are read at once.
CONNECTIONS = 6
# Members nearer to each other than this are read by one request.
GAP = 1 << 16
# Archives of sources that are larger are left out.
LARGEST_SDIST = 50 << 20
# Packages whose extension modules are read, up to this size.
COMPILED = ("numpy", "pandas")
LARGEST_EXTENSION = 8 << 20
# Functions that rebuild objects: those of Cython, and others.
REBUILDER = re.compile(rb"(?<!\w)(?:__pyx_unpickle_[A-Z]\w*(?<!__set_state)|(?!__pyx)\w*(?:unpickle\w*|_ctor))(?=\0)")
# The names of classes; Cython writes those of its functions in C as it writes types.
CLASS = re.compile(rb"_?[A-Z]\w*[a-z]\w*")
# Nothing larger is read of a package when it is judged: such a file is written empty.
LARGEST_SOURCE = 2 << 20


def order(file):
    """The version of a file of the index and how much it is preferred, the lower the better; none if it is not taken."""
    name = file["filename"]
    try:
        if name.endswith(".whl"):
            _, version, _, tags = parse_wheel_filename(name)
            platforms = {tag.platform for tag in tags}
            if "any" in platforms:
                return version, (0, file["size"], name)
            if any("linux" in one and "x86_64" in one for one in platforms):
                return version, (1, file["size"], name)
        elif name.endswith(".tar.gz") and file["size"] < LARGEST_SDIST:
            return parse_sdist_filename(name)[1], (2, file["size"], name)
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        pass
    return None


def releases(package, since, count):
    """Some releases with a file of each, the oldest one first."""
    best = {}
    for file in json.loads(read(f"{PyPI.simple_url}/{package}/", ACCEPT))["files"]:
        found = order(file) if file["upload-time"] >= since and not file.get("yanked") else None
        if found is None or found[0].is_prerelease:
            continue
        version, rank = found
        if version not in best or rank < best[version][0]:
            best[version] = (rank, file)
    taken = []
    for _, minor in groupby(sorted(best), key=lambda version: version.release[:2]):
        minor = list(minor)
        last = len(minor) - 1
        few = 2 if count <= 4 and len(minor) <= 8 else min(count, len(minor))
        places = {last * place // max(few - 1, 1) for place in range(few)} | {last}
        taken.extend(minor[place] for place in sorted(places))
    return [(version, best[version][1]) for version in taken]


def place(name):
    """Where a member of a wheel is installed, and whether its content counts; none if it is not taken."""
    parts = name.split("/")
    if parts[0].endswith(".data"):
        if len(parts) < 3 or parts[1] not in ("purelib", "platlib"):
            return None
        parts = parts[2:]
    path = "/".join(parts)
    if len(parts) == 2 and parts[0].endswith(".dist-info"):
        return (path, True) if parts[1] in ("METADATA", "RECORD", "top_level.txt", "WHEEL") else None
    if path.endswith(".py"):
        return path, True
    return (path, False) if path.endswith((".so", ".pyd")) else None


def of_wheel(file, into):
    url = file["url"].split("#")[0]
    remote = Ranged(url, file["size"])
    with zipfile.ZipFile(remote) as wheel:
        members = [(info, place(info.filename)) for info in wheel.infolist()]
        members = [(info, *where) for info, where in members if where]
        compiled = canonicalize_name(file["filename"].split("-")[0]) in COMPILED
        read_ahead(remote, [info for info, _, counts in members if counts and info.file_size <= LARGEST_SOURCE])
        for info, path, counts in members:
            content = b""
            if counts and info.file_size <= LARGEST_SOURCE:
                content = wheel.read(info)
            elif not counts and compiled and info.file_size <= LARGEST_EXTENSION:
                content = b"".join(name + b"\n" for name in asked(path, wheel.read(info)))
            into.writestr(path, content)


def asked(path, code):
    """What pickles may ask an extension module for: functions that rebuild objects, and classes.

    A class has its whole name as the type's, and alone where the module is given it; without the second it is internal.
    """
    module = path.split(".")[0].replace("/", ".").encode()
    types = re.findall(rb"(?<![\w.])" + re.escape(module) + rb"\.(\w+)(?=\0)", code)
    classes = [name for name in types if CLASS.fullmatch(name) and b"\0" + name + b"\0" in code]
    return sorted(set(REBUILDER.findall(code)) | set(classes))


def read_ahead(remote, members):
    """Reads what lies near to each other by one request each."""
    spans = []
    for info in sorted(members, key=lambda info: info.header_offset):
        # A local header has names of its own, which may be longer.
        start, end = info.header_offset, info.header_offset + info.compress_size + len(info.filename) + 512
        if spans and start - spans[-1][1] <= GAP:
            spans[-1][1] = max(end, spans[-1][1])
        else:
            spans.append([start, end])
    for start, end in spans:
        remote.seek(start)
        remote.read(end - start)


def of_sdist(file, name, version, into):
    with tarfile.open(fileobj=io.BytesIO(read(file["url"].split("#")[0], {}))) as archive:
        members = {}
        for member in archive:
            parts = member.name.split("/")[1:]
            parts = parts[1:] if parts[:1] == ["src"] else parts
            if member.isfile() and parts and parts[-1].endswith(".py") and member.size <= LARGEST_SOURCE:
                members["/".join(parts)] = member
        tops = {path.split("/")[0] for path in members if path.count("/") == 1 and path.endswith("/__init__.py")}
        kept = {path: member for path, member in members.items() if path.split("/")[0] in tops}
        for path, member in kept.items():
            into.writestr(path, archive.extractfile(member).read())
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    into.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    into.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in kept))


def fetch(folder, package, version, file):
    path = f"{folder}/{package}/{version}.zip"
    if not os.path.exists(path):
        part = f"{path}.part"
        try:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as into:
                if file["filename"].endswith(".whl"):
                    of_wheel(file, into)
                else:
                    of_sdist(file, package, version, into)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
            print(f"left out: {file['filename']}: {error}", file=sys.stderr, flush=True)
            return
        os.replace(part, path)
    # One call: several threads write lines.
    sys.stdout.write(f"{package}\t{version}\t{file['upload-time'][:10]}\n")


def main():
    folder, since, count, *packages = sys.argv[1:]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for package in packages:
            package = canonicalize_name(package)
            os.makedirs(f"{folder}/{package}", exist_ok=True)
            try:
                found = releases(package, since, int(count))
            except (OSError, ValueError) as error:
                print(f"left out: {package}: {error}", file=sys.stderr, flush=True)
                continue
            list(pool.map(lambda one, package=package: fetch(folder, package, *one), found))


main()
