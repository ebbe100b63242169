"""Registers the handlers of XLA's FFI that packages have in the jaxlib of this Python, and says what came of each.

    handler_registration.py JOBS.json

A job is {"name", "site", "objects"}: the folder of an unpacked wheel, and the paths of its shared objects with handlers. A
module is imported, and each of its functions without arguments that gives a capsule or a dictionary of capsules is taken;
of another shared object every exported function whose name begins with `cpu_`. One line of JSON for each job:

    {"step": name, "ok": true, "detail": "...", "seconds": 0.1}

`detail` is text that is JSON: a list of [path, how many were registered, how many were not, the first refusal].
"""

import ctypes
import importlib.util
import json
import os
import subprocess
import sys
import time

try:
    from jaxlib import _jax as xla
except ImportError:
    from jaxlib.xla_client import _xla as xla

capsule_of = ctypes.pythonapi.PyCapsule_New
capsule_of.restype = ctypes.py_object
capsule_of.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# A registry keeps the address only.
kept = []


def is_capsule(value):
    return type(value).__name__ == "PyCapsule"


def capsules(value):
    """The capsules in what a function gave."""
    if is_capsule(value):
        return [value]
    if isinstance(value, dict):
        return [one for inner in value.values() for one in capsules(inner)]
    return []


def of_module(path):
    name = os.path.basename(path).split(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kept.append(module)
    found = []
    for key in dir(module):
        value = getattr(module, key)
        if key.startswith("__") or not callable(value):
            continue
        try:
            found += capsules(value())
        except Exception:
            # A function that wants arguments is no getter.
            continue
    return found


def of_library(path):
    library = ctypes.CDLL(path)
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in listed.stdout.splitlines()]
    names = [name for name in names if name.startswith("cpu_")]
    address = lambda name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    return [capsule_of(address(name), b"xla._CUSTOM_CALL_TARGET", None) for name in names]


def registered(site, path):
    file = os.path.join(site, path)
    is_module = ".cpython-" in path or ".abi3." in path
    yes, refusals = 0, []
    for capsule in of_module(file) if is_module else of_library(file):
        kept.append(capsule)
        try:
            xla.register_custom_call_target("target_%d" % len(kept), capsule, platform="cpu", api_version=1)
            yes += 1
        except Exception as error:
            refusals.append(str(error))
    return [path, yes, len(refusals), refusals[0] if refusals else ""]


def main():
    for job in json.load(open(sys.argv[1])):
        begun = time.monotonic()
        detail = json.dumps([registered(job["site"], path) for path in job["objects"]])
        seconds = time.monotonic() - begun
        print(json.dumps({"step": job["name"], "ok": True, "detail": detail, "seconds": seconds}), flush=True)


main()
