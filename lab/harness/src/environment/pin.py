"""Resolves requirements for several Pythons and prints them pinned, with the hash of every file.

    pin.py PYTHON[,PYTHON...] REQUIREMENT...

One version of each package is chosen, from what the first Python that has them all can use; a Python that
has no file of one of those versions is left out. With `--no-deps` among the requirements, they are all there is.
The first line of the output names the Pythons that are
left. Nothing is installed and no file is kept: pip only says what it would do.
"""

import json
import subprocess
import sys

# What a wheel may ask of the C library; a newer pip knows which of them a machine has.
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]


def resolve(python, requirements):
    """What pip would install: name -> (version, hash). None, with pip's reason, if it finds no answer."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed"]
    command += ["--report", "-", "--only-binary=:all:", "--python-version", python, "--target", "unused"]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    answer = subprocess.run(command + requirements, capture_output=True, text=True)
    if answer.returncode != 0:
        lines = [line for line in answer.stderr.splitlines() if line.startswith("ERROR")]
        print(f"Python {python}: {lines[-1] if lines else answer.stderr.strip()}", file=sys.stderr)
        return None
    packages = {}
    for package in json.loads(answer.stdout)["install"]:
        name = package["metadata"]["name"].lower().replace("_", "-")
        packages[name] = (package["metadata"]["version"], package["download_info"]["archive_info"]["hashes"]["sha256"])
    return packages


def main():
    pythons, requirements = sys.argv[1].split(","), sys.argv[2:]
    found = {}
    for python in pythons:
        packages = resolve(python, requirements)
        if packages is not None:
            if not found:
                # From here on the same versions for all.
                options = [word for word in requirements if word.startswith("--")]
                requirements = options + [f"{name}=={version}" for name, (version, _) in packages.items()]
            found[python] = packages
    if not found:
        sys.exit("no Python has all of: " + " ".join(requirements))
    print("# Python: " + " ".join(sorted(found, key=lambda python: int(python.split(".")[1]))))
    first = next(iter(found.values()))
    for name in sorted(first):
        hashes = sorted({packages[name][1] for packages in found.values()})
        print(" \\\n".join([f"{name}=={first[name][0]}"] + [f"    --hash=sha256:{digest}" for digest in hashes]))


main()
