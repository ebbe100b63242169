"""Which StableHLO artifacts each release of IREE's compiler reads.

iree_read.py [--only VERSION,VERSION...] ARTIFACT...    artifacts of this repository, each with what came with another version,
                                                        the oldest first

Prints a line for each published release, or for those that are named, the oldest first: the version, the day, and 1 or 0 for each artifact. It is read if
the compiler gets as far as legalizing the operations of StableHLO; what it makes of these is another matter. A wheel of 70 to
90 MB is fetched for each release, and removed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile

from pip._internal.models.index import PyPI
from pip._vendor.packaging.utils import InvalidWheelFilename, parse_wheel_filename

PACKAGES = ["iree-compiler", "iree-base-compiler"]
ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json"}
PYTHON = f"cp{sys.version_info[0]}{sys.version_info[1]}"


def releases():
    found = []
    for package in PACKAGES:
        request = urllib.request.Request(f"{PyPI.simple_url.rstrip('/')}/{package}/", headers=ACCEPT)
        with urllib.request.urlopen(request, timeout=60) as answer:
            files = json.load(answer)["files"]
        for file in files:
            try:
                _, version, _, tags = parse_wheel_filename(file["filename"])
            except InvalidWheelFilename:
                continue
            if any(tag.interpreter == PYTHON and "linux" in tag.platform and "x86_64" in tag.platform for tag in tags):
                found.append((file["upload-time"][:10], str(version), file["url"]))
    return sorted(found)


def is_read(compiler, artifact):
    command = [compiler, artifact, "--iree-input-type=stablehlo", "--compile-to=input", "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    # An operation of VHLO that is left was not read; one of StableHLO was.
    left = [f"failed to legalize operation '{dialect}." for dialect in ("stablehlo", "chlo")]
    return done.returncode == 0 or any(text in done.stderr for text in left)


def main(artifacts, only):
    for day, version, url in releases():
        if only and version not in only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            wheel = os.path.join(folder, "wheel")
            with urllib.request.urlopen(url, timeout=180) as answer, open(wheel, "wb") as file:
                shutil.copyfileobj(answer, file)
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
            paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name == "iree-compile"]
            if not paths:
                continue
            os.chmod(paths[0], 0o755)
            read = [str(int(is_read(paths[0], artifact))) for artifact in artifacts]
        print(version, day, *read, sep="\t", flush=True)


if sys.argv[1] == "--only":
    main(sys.argv[3:], sys.argv[2].split(","))
else:
    main(sys.argv[1:], [])
