"""What a release of transformers knows of model folders, read from the sources in its wheel: nothing is imported or run.

transformers_names.py VERSION...

Prints, for each release, `release VERSION DAY` and then lines of cells, separated by tabs:

model TYPE           a `model_type` that AutoConfig knows
class NAME           a class of a model, tokenizer or processor that the package defines
quantization METHOD  a `quant_method` that it loads
rope TYPE            a `rope_type` that it computes, where one function computes it for all models
two-fields TYPE      a `model_type` whose configuration refuses `rope_scaling` of other than two fields
theta TYPE VALUE     the `rope_theta` of a `model_type` where its configuration has none
requires PACKAGE V   the versions of tokenizers that it accepts, as it checks them when it is imported
feature NAME         something that its code does: see FEATURES

The whole wheel is transferred, about 10 MB.
"""
import ast
import re
import sys

from published_patches import members, wheels

AUTO = "transformers/models/auto/"
CONFIGURATION = re.compile(r"transformers/models/(\w+)/configuration_\w+\.py")
THETA = re.compile(r"\brope_theta(?:: [^=\n]+)? ?= ?([\d._e]+)")
CLASS = re.compile(r"^class (\w+)", re.M)
# What folders name: models, tokenizers, processors.
NAMED = re.compile(r"Tokenizer(Fast)?$|Processor(Fast)?$|FeatureExtractor$|For[A-Z]\w*$|Model$|HeadModel$|Backend$|Decoder$")
# A feature is there if the text stands in the file.
FEATURES = (
    # `rope_parameters` of a configuration is read.
    ("rope-parameters", "transformers/modeling_rope_utils.py", "def standardize_rope_params"),
    # `dtype` of a configuration is read, and `torch_dtype` in its place.
    ("dtype-key", "transformers/configuration_utils.py", '(torch_dtype := kwargs.pop("torch_dtype"'),
    # What an unknown type of model is answered with; before it, a KeyError.
    ("model-type-message", AUTO + "configuration_auto.py", "does not recognize this architecture"),
    # Weights in safetensors, weights in several files.
    ("safetensors", "transformers/modeling_utils.py", "SAFE_WEIGHTS_NAME"),
    ("shards", "transformers/modeling_utils.py", "WEIGHTS_INDEX_NAME"),
    # torch.load is refused with PyTorch before 2.6.
    ("torch-load-2.6", "transformers/utils/import_utils.py", "def check_torch_load_is_safe"),
    # Methods of quantization are a list.
    ("quantizers", "transformers/quantizers/auto.py", "AUTO_QUANTIZ"),
)


def mappings(tree):
    """The assignments to names of mappings, and what is added to them later: (name, expression)."""
    for one in ast.walk(tree):
        if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None:
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                if isinstance(target, ast.Name):
                    yield target.id, one.value
                elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    yield target.value.id, ast.Dict([target.slice], [one.value])
        elif (isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "update"
              and isinstance(one.func.value, ast.Name) and one.args):
            yield one.func.value.id, one.args[0]


def keys(expression):
    """The texts that are keys of a dictionary or first members of its pairs."""
    for one in ast.walk(expression):
        found = one.keys if isinstance(one, ast.Dict) else one.elts[:1] if isinstance(one, ast.Tuple) else []
        for key in found:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value


def release(version):
    found = wheels("transformers", version, lambda name: True)
    lines = set()
    with members(found[0]) as archive:
        for member in sorted(archive.infolist(), key=lambda one: one.header_offset):
            name = member.filename
            if not name.startswith("transformers/") or not name.endswith(".py"):
                continue
            text = archive.read(member).decode("utf-8", "replace")
            lines |= {f"class\t{one}" for one in CLASS.findall(text) if NAMED.search(one) and not one.startswith("_")}
            if name in (AUTO + "configuration_auto.py", AUTO + "auto_mappings.py"):
                for mapping, value in mappings(ast.parse(text)):
                    if mapping in ("CONFIG_MAPPING", "CONFIG_MAPPING_NAMES"):
                        lines |= {f"model\t{key}" for key in keys(value)}
            if CONFIGURATION.fullmatch(name) and THETA.search(text):
                theta = float(THETA.search(text)[1])
                lines.add(f"theta\t{CONFIGURATION.fullmatch(name)[1]}\t{theta:.0f}")
            if CONFIGURATION.fullmatch(name) and "len(self.rope_scaling) != 2" in text:
                lines.add(f"two-fields\t{CONFIGURATION.fullmatch(name)[1]}")
            if name == "transformers/quantizers/auto.py":
                for mapping, value in mappings(ast.parse(text)):
                    if mapping in ("AUTO_QUANTIZER_MAPPING", "AUTO_QUANTIZATION_CONFIG_MAPPING"):
                        lines |= {f"quantization\t{key}" for key in keys(value)}
            if name == "transformers/modeling_rope_utils.py":
                for mapping, value in mappings(ast.parse(text)):
                    if mapping == "ROPE_INIT_FUNCTIONS":
                        lines |= {f"rope\t{key}" for key in keys(value)}
            if name == "transformers/dependency_versions_table.py":
                for _, value in mappings(ast.parse(text)):
                    pairs = zip(value.keys, value.values) if isinstance(value, ast.Dict) else ()
                    lines |= {f"requires\ttokenizers\t{one.value.removeprefix('tokenizers')}"
                              for key, one in pairs if key.value == "tokenizers"}
            lines |= {f"feature\t{feature}" for feature, path, words in FEATURES if path == name and words in text}
    print(f"release\t{version}\t{found[0].get('upload-time', '')[:10]}")
    for line in sorted(lines):
        print(line)


if __name__ == "__main__":
    for version in sys.argv[1:]:
        release(version)
