"""Loads GGUF files by the library of a llama.cpp, each in a child of this process.

gguf_load.py FOLDER FILE...

FOLDER has libllama.so and the others of its build. Prints a line for each file: its name, `loads` or `fails`, and what
the library said that tells why, most telling first.

The library is called by the two functions that every release has under one of two names. Their parameters are a structure that
grew from release to release: it is handed on as the release makes it, in a block that is larger than any.
"""
import ctypes
import os
import pathlib
import re
import signal
import sys
import tempfile

# What says why, before what only says that.
TELLING = [
    r"unknown model architecture: '[^']*'", r"un(?:known|supported model) architecture\b.*", r"unknown pre-tokenizer type: '[^']*'", r"unknown tokenizer: '[^']*'",
    r"key not found in model: \S+", r"GGUFv1 is no longer supported", r"only supports up to version \d+",
    r"mismatch between the host and model endianness", r"has invalid ggml type \d+", r"REMOVED, use \w+",
    r"is not within the file bounds", r"alignment \S+ is not a power of 2", r"duplicate key '[^']*'",
    r"duplicate tensor name '[^']*'", r"tensor '[^']*' is duplicated", r"has offset \d+, expected \d+",
    r"has invalid GGUF type \d+", r"failed to load GGUF split", r"model must be loaded with the first split",
    r"\d+ tensors expected but \d+ found", r"cannot find tokenizer \w+ in model file", r"missing tensor '[^']*'",
    r"tensor '[^']*' not found", r"wrong number of tensors; expected \d+, got \d+", r"GGML_ASSERT.*", r"error loading model: .*",
    r"failed to \w+.*", r"invalid .*",
]
SECONDS = 120


class Parameters(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 1024)]


def load(folder, file):
    """0 if the library makes a model of the file, else 3."""
    folder = pathlib.Path(folder)
    # Those for single processors are chosen by the library itself.
    for pattern in ("libggml-base*.so", "libggml-cpu.so", "libggml.so", "libggml.b*.so"):
        for name in folder.glob(pattern):
            ctypes.CDLL(str(name), mode=ctypes.RTLD_GLOBAL)
    library = next(one for pattern in ("libllama.so", "libllama.b*.so") for one in folder.glob(pattern))
    llama = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    llama.llama_backend_init(0)
    try:
        llama.ggml_backend_load_all_from_path(str(folder).encode())
    except AttributeError:
        pass
    llama.llama_model_default_params.restype = Parameters
    names = ("llama_model_load_from_file", "llama_load_model_from_file")
    function = next(getattr(llama, name) for name in names if hasattr(llama, name))
    function.argtypes, function.restype = [ctypes.c_char_p, Parameters], ctypes.c_void_p
    return 0 if function(os.fsencode(file), llama.llama_model_default_params()) else 3


def reason(said):
    for pattern in TELLING:
        found = re.search(pattern, said, re.M)
        if found:
            return found[0].strip()[:160]
    return ""


def main(folder, *files):
    for file in files:
        with tempfile.TemporaryFile() as said:
            child = os.fork()
            if child == 0:
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                signal.alarm(SECONDS)
                os._exit(load(folder, file))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            why = reason(said.read().decode(errors="replace"))
        if code not in (0, 3) and not why:
            why = f"ended by {code}"
        print(os.path.basename(file), "loads" if code == 0 else "fails", why if code else "", sep="\t", flush=True)


main(*sys.argv[1:])
