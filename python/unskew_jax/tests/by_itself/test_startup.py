"""JAX that adapts by itself, with `unskew` and `unskew_jax` installed and no other command.

Each test starts a JAX of its own. `UNSKEW_PLUGIN` is a CPU plug-in that is newer than this JAX by enough that it needs
an adapter, or not: `UNSKEW_NEEDS_ADAPTER` says which. `cargo xtask test --real` runs this with an old and a new JAX.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLUGIN = os.environ["UNSKEW_PLUGIN"]
NEEDS_ADAPTER = os.environ["UNSKEW_NEEDS_ADAPTER"] == "1"
PROBE = Path(__file__).resolve().parents[4] / "lab" / "xla" / "probes" / "jax_steps.py"

#: Runs a file with the lines of the logger on the standard error.
RUN = """
import logging, sys
logging.basicConfig(level=logging.WARNING, format="%(name)s %(levelname)s %(message)s")
logging.getLogger("unskew_jax").setLevel(logging.INFO)
sys.argv = sys.argv[1:]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"))
"""

#: Of a package that brings a plug-in: what JAX calls.
PACKAGE = """
from jax._src import xla_bridge
def initialize():
    xla_bridge.register_plugin("packaged", priority=500, library_path={library!r}, options=None)
"""

ADD = """
import jax
print(jax.devices()[0].client.platform_version.split()[0], float(jax.jit(lambda a: a + 1)(1.0)))
"""


def seeds(one: str, other: str) -> list[str]:
    """A seed for each order: JAX has the names of packages in a set, whose order comes of their hashes."""
    found: dict[str, str] = {}
    for seed in map(str, range(64)):
        asked = [sys.executable, "-c", f"print(list({{{one!r}, {other!r}}})[0])"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        first = subprocess.run(asked, capture_output=True, text=True, env=environment, check=True).stdout
        found.setdefault(first, seed)
        if len(found) == 2:
            return sorted(found.values())
    raise AssertionError("no two orders")


class ByItself(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = Path(self.folder.name)

    def run_jax(self, program: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        own = {"UNSKEW_CACHE": str(self.place / "cache"), "JAX_PLATFORMS": "vcpu,cpu"}
        own["PJRT_NAMES_AND_LIBRARY_PATHS"] = f"vcpu:{PLUGIN}"
        environment = {**os.environ, **own, **variables}
        asked = [sys.executable, "-c", RUN, str(program)]
        return subprocess.run(asked, capture_output=True, text=True, env=environment, timeout=300)

    def said(self, result: subprocess.CompletedProcess[str]) -> list[str]:
        return [line for line in result.stderr.splitlines() if line.startswith("unskew_jax ")]

    def program(self, text: str) -> Path:
        path = self.place / "program.py"
        path.write_text(text)
        return path

    def test_every_step_passes_and_one_line_says_what_was_done(self) -> None:
        result = self.run_jax(PROBE)
        steps = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        failed = [step for step in steps if not step["ok"]]
        self.assertEqual((len(steps), failed), (21, []), result.stderr[-2000:])
        through = [line for line in self.said(result) if " through " in line]
        self.assertEqual(len(through), 1 if NEEDS_ADAPTER else 0, result.stderr)
        self.assertTrue(any("handlers of jaxlib for" in line for line in self.said(result)))

    def test_what_was_judged_once_is_not_judged_again(self) -> None:
        program = self.program(ADD)
        first = self.run_jax(program)
        (kept,) = (self.place / "cache").rglob("verdict.json")
        before = kept.stat().st_mtime_ns
        again = self.run_jax(program)
        self.assertEqual(first.stdout, again.stdout, again.stderr)
        self.assertIn("2.0", again.stdout)
        self.assertEqual(kept.stat().st_mtime_ns, before)

    def test_it_can_be_turned_off(self) -> None:
        result = self.run_jax(self.program(ADD), UNSKEW_JAX="0")
        self.assertEqual(self.said(result), [])
        self.assertFalse((self.place / "cache").exists())
        self.assertEqual(result.returncode == 0, not NEEDS_ADAPTER, result.stderr[-2000:])

    def test_a_plugin_of_a_package_is_adapted_in_whatever_order_jax_initializes_packages(self) -> None:
        package = self.place / "jax_plugins" / "packaged"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(PACKAGE.format(library=PLUGIN))
        path = os.pathsep.join([str(self.place), os.environ.get("PYTHONPATH", "")])
        for seed in seeds("jax_plugins.packaged", "unskew_jax.startup"):
            with self.subTest(seed=seed):
                result = self.run_jax(
                    self.program(ADD),
                    PYTHONPATH=path,
                    PYTHONHASHSEED=seed,
                    JAX_PLATFORMS="packaged,cpu",
                    PJRT_NAMES_AND_LIBRARY_PATHS="",
                )
                self.assertIn("2.0", result.stdout, result.stderr[-3000:])

    def test_what_is_no_plugin_is_left_to_jax(self) -> None:
        broken = self.place / "broken.so"
        broken.write_text("no shared object")
        result = self.run_jax(self.program(ADD), PJRT_NAMES_AND_LIBRARY_PATHS=f"vcpu:{broken}")
        self.assertNotEqual(result.returncode, 0)
        self.assertTrue(any("is used as it is" in line for line in self.said(result)), result.stderr[-2000:])
        self.assertIn("broken.so", result.stderr)


if __name__ == "__main__":
    unittest.main()
