"""Imports modules from folders with unpacked wheels, and says what came of each.

    environment_import.py JOBS.json

A job is {"name", "paths", "modules", "bare"}: the folders that are searched first, the modules to import, and whether the
packages around a module are not run: of generated code, only itself and what it imports is asked. One line of JSON for each
job:

    {"step": name, "ok": true, "detail": "...", "seconds": 0.1}

`detail` is text that is JSON: a list of [module, error or "", warnings]. Every job has a process of its own.
"""

import importlib
import json
import os
import sys
import time
import types
import warnings

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"


def without_parents(module, paths):
    """Puts empty packages in the place of those around a module."""
    parts = module.split(".")
    for end in range(1, len(parts)):
        name = ".".join(parts[:end])
        if name not in sys.modules:
            package = types.ModuleType(name)
            folders = [os.path.join(path, *parts[:end]) for path in paths]
            package.__path__ = [folder for folder in folders if os.path.isdir(folder)]
            sys.modules[name] = package


def imported(job):
    # Folders of wheels may have parts of one package: that of a namespace is searched in all.
    sys.path[:0] = job["paths"]
    came = []
    for module in job["modules"]:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            error = ""
            try:
                if job["bare"]:
                    without_parents(module, job["paths"])
                importlib.import_module(module)
            except BaseException as raised:
                error = "%s: %s" % (type(raised).__name__, str(raised).strip()[:2000])
        texts = ["%s: %s" % (one.category.__name__, one.message) for one in said]
        came.append([module, error, texts[:20]])
    return came


def main():
    with open(sys.argv[1]) as file:
        jobs = json.load(file)
    for job in jobs:
        begun = time.time()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            # What libraries print must not come between the lines.
            printed = os.open(os.devnull, os.O_WRONLY)
            os.dup2(printed, 1)
            try:
                text = json.dumps(imported(job))
            except BaseException as error:
                text = json.dumps([["", "%s: %s" % (type(error).__name__, error), []]])
            with os.fdopen(write, "w") as pipe:
                pipe.write(text)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            text = pipe.read()
        _, status = os.waitpid(child, 0)
        if not text:
            text = json.dumps([["", "the process ended with status %d" % status, []]])
        line = {"step": job["name"], "ok": True, "detail": text, "seconds": round(time.time() - begun, 3)}
        print(json.dumps(line), flush=True)


main()
