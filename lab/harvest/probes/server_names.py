"""What a release of a server of language models knows of model folders, read from the sources in its wheel: nothing is imported or run.

server_names.py PACKAGE VERSION...

PACKAGE is vllm or sglang. Prints, for each release, `release VERSION DAY` and then lines of cells, separated by tabs:

architecture NAME    a class of `architectures` that it has code for
quantization METHOD  a `quant_method` that it loads
requires SPECIFIER   the versions of transformers that it declares to accept
feature NAME         something that its code does: see FEATURES

Of the wheel only these members are transferred.
"""
import ast
import re
import sys
import zipfile

from published_patches import wheels
from ranged import Ranged

# Where the tables stand, by package.
REGISTRIES = {
    "vllm": re.compile(r"vllm/model_executor/(models/(__init__|registry)|model_loader)\.py"),
    "sglang": re.compile(r"sglang/srt/models/\w+\.py"),
}
QUANTIZATIONS = re.compile(r"(vllm/model_executor|sglang/srt)/layers/quantization/__init__\.py|vllm/config\.py")
# Names of tables of architectures: `_TEXT_GENERATION_MODELS`, `_MODEL_REGISTRY`.
TABLE = re.compile(r"_?([A-Z_]*_)?(MODELS|REGISTRY|SUBSTITUTES)")
# Models that work elsewhere only, or no longer.
NOT_HERE = re.compile(r"ROCM|UNSUPPORTED|PREVIOUSLY|PARTIALLY|SPECULATIVE")
METHODS = re.compile(r"_?([A-Z]+_)*QUANTIZATION_(METHODS|CONFIG_REGISTRY)|QuantizationMethods")
# A feature is there if its words stand in one of the files of tables.
FEATURES = (
    # What it has no code for is run by the code of transformers.
    ("transformers-fallback", re.compile('"Transformers(Model|ForCausalLM)"')),
)


def texts(expression):
    """The texts among the members of a list or a `Literal`, or the keys of a dictionary."""
    for one in ast.walk(expression):
        keys = one.keys if isinstance(one, ast.Dict) else one.elts if isinstance(one, (ast.List, ast.Tuple, ast.Set)) else []
        for key in keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value


def assignments(tree):
    for one in ast.walk(tree):
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None:
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                if isinstance(target, ast.Name):
                    yield target.id, one.value


def architectures(package, tree):
    for name, value in assignments(tree):
        if package == "vllm" and TABLE.fullmatch(name) and not NOT_HERE.search(name) and isinstance(value, ast.Dict):
            yield from (key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        if package == "sglang" and name == "EntryClass":
            yield from (one.id for one in ast.walk(value) if isinstance(one, ast.Name))


def methods(tree):
    for name, value in assignments(tree):
        if METHODS.fullmatch(name):
            yield from texts(value)


def is_needed(marker):
    """Whether a requirement is one of who serves models: extras of SGLang changed their names."""
    return not marker or any(extra in marker for extra in ("srt", "runtime_common", "runtime-common"))


def release(package, version):
    found = wheels(package, version, lambda name: "x86_64" in name or "none-any" in name)
    lines = set()
    with zipfile.ZipFile(Ranged(found[0]["url"].split("#")[0], found[0]["size"])) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".dist-info/METADATA"):
                for line in archive.read(name).decode("utf-8", "replace").splitlines():
                    wanted = re.match(r"Requires-Dist: transformers ?(?:\[[^]]*\])? ?\(?([^;()]*)\)?\s*(;.*)?$", line)
                    if wanted and is_needed(wanted[2]):
                        lines.add(f"requires\t{wanted[1].strip()}")
            is_registry = REGISTRIES[package].fullmatch(name)
            if not is_registry and not QUANTIZATIONS.fullmatch(name):
                continue
            text = archive.read(name).decode("utf-8-sig", "replace")
            tree = ast.parse(text)
            if is_registry:
                lines |= {f"architecture\t{one}" for one in architectures(package, tree)}
                lines |= {f"feature\t{feature}" for feature, words in FEATURES if words.search(text)}
            if QUANTIZATIONS.fullmatch(name):
                lines |= {f"quantization\t{one}" for one in methods(tree)}
    print(f"release\t{version}\t{found[0].get('upload-time', '')[:10]}")
    for line in sorted(lines):
        print(line)


if __name__ == "__main__":
    for version in sys.argv[2:]:
        release(sys.argv[1], version)
