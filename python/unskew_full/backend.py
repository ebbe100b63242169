"""The build of the package: cargo makes the command, this puts it into a wheel.

| variable | means |
| --- | --- |
| `UNSKEW_WHEEL_PROFILE` | the profile of cargo; `dist` if it is not set |
| `UNSKEW_WHEEL_FULL` | a command that was built already |
| `UNSKEW_WHEEL_COMPATIBILITY` | the tag that the wheel claims, such as `manylinux_2_28`; that of this machine if it is not set |
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sysconfig
import zipfile
from pathlib import Path
from typing import Any, Mapping, Optional

Settings = Optional[Mapping[str, Any]]

CRATE = Path(__file__).resolve().parent
ROOT = CRATE.parent.parent

#: All but SQL over scans: DataFusion alone is larger than everything else together.
FEATURES = "cloud,fleet,progress,scan,serve"


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None) -> str:
    built = os.environ.get("UNSKEW_WHEEL_FULL")
    command = Path(built) if built else _build(os.environ.get("UNSKEW_WHEEL_PROFILE", "dist"))
    text = (CRATE / "pyproject.toml").read_text(encoding="utf-8")
    version = _value(text, "version")
    name = f"unskew_full-{version}"
    tag = f"py3-none-{_platform()}"
    about = [
        "Metadata-Version: 2.1",
        "Name: unskew-full",
        f"Version: {version}",
        f"Summary: {_value(text, 'description')}",
        "License: Apache-2.0 OR MIT",
        f"Requires-Python: {_value(text, 'requires-python')}",
        f"Requires-Dist: unskew=={version}",
        "Description-Content-Type: text/markdown",
    ]
    readme = (CRATE / "README.md").read_text(encoding="utf-8")
    wheel = ["Wheel-Version: 1.0", "Generator: unskew", "Root-Is-Purelib: false", f"Tag: {tag}"]
    members = {
        f"{name}.data/scripts/unskew-full{command.suffix}": command.read_bytes(),
        f"{name}.dist-info/METADATA": ("\n".join(about) + f"\n\n{readme}").encode(),
        f"{name}.dist-info/WHEEL": ("\n".join(wheel) + "\n").encode(),
    }
    record = f"{name}.dist-info/RECORD"
    lines = [f"{member},sha256={_digest(content)},{len(content)}\n" for member, content in members.items()]
    members[record] = "".join([*lines, f"{record},,\n"]).encode()
    place = Path(wheel_directory, f"{name}-{tag}.whl")
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for member, content in members.items():
            # Without times, so that the same command makes the same bytes.
            entry = zipfile.ZipInfo(member)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in member else 0o100644) << 16
            archive.writestr(entry, content)
    return place.name


def _build(profile: str) -> Path:
    command = ["cargo", "build", "--profile", profile, "--package", "unskew-cli", "--bin", "unskew"]
    command += ["--no-default-features", "--features", FEATURES, "--locked", "--message-format", "json-render-diagnostics"]
    said = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    made = (json.loads(line).get("executable") for line in said.splitlines())
    return next(Path(path) for path in made if path)


def _value(text: str, key: str) -> str:
    found = re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE)
    if found is None:
        raise AssertionError(f"pyproject.toml has no {key}")
    return found[1]


def _platform() -> str:
    own = re.sub(r"[-.]", "_", sysconfig.get_platform())
    claimed = os.environ.get("UNSKEW_WHEEL_COMPATIBILITY")
    # linux_x86_64: the machine stays, what is promised of its C library takes the place of the rest.
    return f"{claimed}_{own.split('_', 1)[1]}" if claimed and own.startswith("linux_") else own


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    raise NotImplementedError("unskew-full has no source package: build its wheel in a checkout of the repository")
