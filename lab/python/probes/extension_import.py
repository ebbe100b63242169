"""Imports packages with native extensions beside a framework, and says what came of every shared object that was loaded.

    extension_import.py FRAMEWORK JOBS.json

A job is {"name", "site", "others", "module", "objects"}: the folder of an unpacked wheel, folders with what else it
imports, the module to import, and the paths of its extensions. One line of JSON for each job:

    {"step": name, "ok": true, "detail": "...", "seconds": 0.1}

`detail` is text that is JSON: {"import": error or "", "loads": [[path, error or ""]], "rest": [[path, error or ""]]}. `loads` are
the shared objects of the wheel that the import loaded, also where the package hides that it failed; `rest` are those
that it did not touch, loaded afterwards, each in a process of its own. Every job has a process of its own, forked from one
that has the framework loaded.
"""

import json
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import ctypes
import _imp


def forked(work):
    """What `work` gives, in a process of its own; a text if that one died."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            said = json.dumps(work())
        except BaseException as error:
            said = json.dumps("%s: %s" % (type(error).__name__, error))
        with os.fdopen(write, "w") as pipe:
            pipe.write(said)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(said) if said else "the process ended with status %d" % status


def watch(site, loads):
    """Takes note of every shared object of `site` that is loaded from here on, and of why one is not."""
    def noted(path, load):
        path = os.path.realpath(os.fsdecode(path)) if path else ""
        is_ours = path.startswith(site + os.sep)
        try:
            result = load()
        except BaseException as error:
            if is_ours:
                loads.append([os.path.relpath(path, site), str(error)])
            raise
        if is_ours:
            loads.append([os.path.relpath(path, site), ""])
        return result

    create = _imp.create_dynamic
    _imp.create_dynamic = lambda spec, *rest: noted(spec.origin, lambda: create(spec, *rest))
    begin = ctypes.CDLL.__init__

    def init(self, name, *rest, **named):
        return noted(name, lambda: begin(self, name, *rest, **named))

    ctypes.CDLL.__init__ = init
    library = sys.modules.get("tensorflow.python.framework.load_library")
    for name in ["TF_LoadLibrary", "TF_RegisterFilesystemPlugin"]:
        function = getattr(library.py_tf, name, None) if library else None
        if function:
            wrapped = lambda path, *rest, function=function: noted(path, lambda: function(path, *rest))
            setattr(library.py_tf, name, wrapped)


def imported(job):
    site = os.path.realpath(job["site"])
    sys.path[:0] = [site]
    sys.path += job["others"]
    loads = []
    watch(site, loads)
    try:
        __import__(job["module"])
        said = ""
    except BaseException as error:
        said = "%s: %s" % (type(error).__name__, error)
    return {"import": said, "loads": loads}


def loaded(path):
    try:
        ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        return ""
    except OSError as error:
        return str(error)


def main():
    __import__(sys.argv[1])
    if sys.argv[1] == "torch":
        # No threads: a process that has some cannot be forked.
        sys.modules["torch"].set_num_threads(1)
    else:
        __import__("tensorflow.python.framework.load_library")
    for job in json.load(open(sys.argv[2])):
        begun = time.monotonic()
        result = forked(lambda: imported(job))
        if isinstance(result, str):
            result = {"import": result, "loads": []}
        seen = [path for path, _ in result["loads"]]
        rest = [path for path in job["objects"] if path not in seen]
        result["rest"] = [[path, forked(lambda: loaded(os.path.join(job["site"], path)))] for path in rest]
        seconds = time.monotonic() - begun
        line = {"step": job["name"], "ok": not result["import"], "detail": json.dumps(result), "seconds": seconds}
        print(json.dumps(line), flush=True)


main()
