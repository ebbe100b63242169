"""What releases of packages declare that they require, from METADATA in their wheels.

declared_requirements.py SINCE PACKAGE...

Of each release since the day SINCE (2022-07-01) that is not before a release, one wheel is taken: for Linux on x86-64, or for any
platform. Its METADATA is read alone: beside the wheel, where the index has it there (PEP 658), else by requests for ranges.
Prints `= PACKAGE` for each package, then a line for each release: the version, its `Requires-Python` as a requirement of
`python`, and its `Requires-Dist`, with tabs between them.
"""
import json
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from email.parser import HeaderParser

from pip._internal.models.index import PyPI
from pip._vendor.packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from pip._vendor.packaging.version import InvalidVersion

from ranged import ACCEPT, Ranged, read

# How many wheels are read at once.
CONNECTIONS = 4


def preference(tags):
    """The lower the better; none for a wheel of another platform."""
    platforms = {tag.platform for tag in tags}
    if "any" in platforms:
        return 0
    return 1 if any("linux" in one and "x86_64" in one for one in platforms) else None


def wheels(package, since):
    """A wheel for each release, the oldest release first."""
    best = {}
    for file in json.loads(read(f"{PyPI.simple_url}/{package}/", ACCEPT))["files"]:
        try:
            _, version, _, tags = parse_wheel_filename(file["filename"])
        except (InvalidWheelFilename, InvalidVersion):
            continue
        rank = preference(tags)
        if rank is None or version.is_prerelease or file["upload-time"] < since:
            continue
        order = (rank, file["size"], file["filename"])
        if version not in best or order < best[version][0]:
            best[version] = (order, file)
    return [(version, best[version][1]) for version in sorted(best)]


def metadata(file):
    url = file["url"].split("#")[0]
    if file.get("core-metadata"):
        return read(f"{url}.metadata", {})
    with zipfile.ZipFile(Ranged(url, file["size"])) as wheel:
        [name] = [one for one in wheel.namelist() if one.count("/") == 1 and one.endswith(".dist-info/METADATA")]
        return wheel.read(name)


def requirements(release):
    version, file = release
    try:
        head = HeaderParser().parsestr(metadata(file).decode("utf-8", "replace"))
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        print(f"left out: {file['filename']}: {error}", file=sys.stderr)
        return None
    found = [" ".join(one.split()) for one in head.get_all("Requires-Dist") or []]
    if head["Requires-Python"]:
        found.insert(0, "python " + head["Requires-Python"])
    return "\t".join([str(version), *found])


def main():
    since, *packages = sys.argv[1:]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for package in packages:
            package = canonicalize_name(package)
            lines = list(pool.map(requirements, wheels(package, since)))
            print("\n".join([f"= {package}", *[line for line in lines if line is not None]]), flush=True)


main()
