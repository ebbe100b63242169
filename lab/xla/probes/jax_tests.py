"""Runs a sample of JAX's own tests, each apart from the others.

usage: jax_tests.py list TEST_FILE
       jax_tests.py run TEST_FILE SECONDS    the names of tests on standard input, a line each

`list` prints the names of all tests of a file. `run` prints one line of JSON before each test and one behind it: its
name, and what became of it: `pass`, `skip`, `fail` with the last line of the error, or `late`. Where programs run is said
by the environment: JAX_TESTS_ON is the address of a server, or `handlers` for a plug-in that gets those of jaxlib.
"""

import importlib.util
import json
import os
import pathlib
import re
import signal
import sys
import unittest


def connect():
    """Sends programs where JAX_TESTS_ON says."""
    on = os.environ.get("JAX_TESTS_ON", "")
    if on.startswith("grpc://"):
        import unskew_jax

        unskew_jax.connect(on)
    elif on == "handlers":
        import unskew_jax

        unskew_jax.register()


def tests(file):
    """The tests of a file by their names, in the order of the file."""
    path = pathlib.Path(file)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    found = {}

    def walk(suite):
        for one in suite:
            if isinstance(one, unittest.TestSuite):
                walk(one)
            else:
                # The addresses of functions differ from process to process.
                name = re.sub("0x[0-9a-f]+", "0x", one.id().split(".", 1)[1])
                found[name.replace("\n", " ")] = one

    walk(unittest.defaultTestLoader.loadTestsFromModule(module))
    return found


class Late(BaseException):
    """A test took too long."""


def late(*_):
    raise Late


def outcome(test, seconds):
    """What becomes of one test: a word, and a reason."""
    result = unittest.TestResult()
    signal.alarm(seconds)
    try:
        test.run(result)
    except Late:
        return "late", f"more than {seconds} s"
    finally:
        signal.alarm(0)
    wrong = result.failures + result.errors
    if wrong:
        lines = [line.strip() for line in wrong[0][1].splitlines() if line.strip()]
        # The line that names the exception: notes may follow it.
        named = [line for line in lines if ": " in line and line.split(":")[0].replace(".", "").isidentifier()]
        why = re.sub("0x[0-9a-f]+", "0x", named[-1] if named else lines[-1])
        return "fail", re.sub("handle=[0-9]+", "handle=", why)[:300]
    if result.skipped:
        return "skip", result.skipped[0][1][:300]
    return "pass", ""


def say(**line):
    print(json.dumps(line), flush=True)


def main():
    connect()
    # Before the file is read: the flags of absl are made by it, and read by its tests.
    from absl import flags

    found = tests(sys.argv[2])
    flags.FLAGS(sys.argv[:1])
    if sys.argv[1] == "list":
        for name in found:
            print(name)
        return
    signal.signal(signal.SIGALRM, late)
    for name in sys.stdin.read().split("\n"):
        if name in found:
            say(begun=name)
            word, why = outcome(found[name], int(sys.argv[3]))
            say(test=name, outcome=word, why=why)
        elif name:
            say(test=name, outcome="fail", why="there is no such test here")


main()
