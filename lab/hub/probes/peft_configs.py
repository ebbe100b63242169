"""What the installed PEFT makes of configurations of adapters. PyTorch and transformers are replaced by modules without
contents: a configuration is a dataclass, and needs neither.

    peft_configs.py measure FOLDER      what the release knows and does, a row of the database a line; FOLDER is for files
    peft_configs.py load FOLDER...      for each FOLDER/adapter_config.json a line of JSON: `error`, or `ignored`, the fields that a
                                        warning names, and `read`, the fields as they were read
    peft_configs.py write OUT SEED      a folder for each type with the fields as they are, and one with other values
"""

import abc
import dataclasses
import enum
import importlib.abc
import importlib.machinery
import importlib.metadata
import json
import os
import random
import sys
import types
import warnings

#: What is imported and not needed.
ABSENT = ("torch", "transformers", "accelerate", "safetensors", "tqdm", "psutil", "huggingface_hub", "numpy", "yaml", "bitsandbytes", "diffusers", "datasets", "scipy", "requests", "packaging.requirements")


class Anything(abc.ABCMeta):
    """A class whose attributes are classes like it."""

    def __getattr__(cls, name):
        # PEFT asks its own classes for this one.
        if name.startswith("__") or name == "prefix":
            raise AttributeError(name)
        return type.__call__(Anything, name, (), {})

    def __call__(cls, *arguments, **named):
        if len(arguments) == 1 and callable(arguments[0]) and not named:
            return arguments[0]
        return type.__call__(Anything, "value", (), {})

    def __bool__(cls):
        return False

    def __or__(cls, other):
        return object

    __ror__ = __or__

    def __lt__(cls, other):
        return False

    __gt__ = __le__ = __ge__ = __lt__

    def __iter__(cls):
        return iter(())

    def __getitem__(cls, key):
        return type.__call__(Anything, "item", (), {})

    def __contains__(cls, key):
        return False


class Base:
    """The base of what PEFT derives from."""


class Absent(types.ModuleType):
    __path__ = []
    __version__ = "99.0.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "PushToHubMixin":
            return Base
        if name == "hf_hub_download":
            return lambda *a, repo_id=None, filename=None, subfolder=None, revision=None, token=None, cache_dir=None, **named: None
        if name == "http_user_agent":
            return lambda *a, **named: ""
        return type.__call__(Anything, name, (), {})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def install():
    sys.meta_path.insert(0, Finder())
    real = importlib.metadata.version

    def version(name):
        try:
            return real(name)
        except importlib.metadata.PackageNotFoundError:
            return "99.0.0"

    importlib.metadata.version = version
    import peft

    return peft


def classes(peft):
    """The class of the configuration of each type."""
    try:
        from peft.mapping import PEFT_TYPE_TO_CONFIG_MAPPING as known
    except ImportError:
        from peft.peft_model import PEFT_TYPE_TO_CONFIG_MAPPING as known
    return {getattr(kind, "value", kind): one for kind, one in dict(known).items()}


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {key: plain(one) for key, one in dataclasses.asdict(value).items()}
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(one) for one in value)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return "?"


def defaults(kind):
    found = {}
    for one in dataclasses.fields(kind):
        if not one.init:
            continue
        if one.default is not dataclasses.MISSING:
            found[one.name] = plain(one.default)
        elif one.default_factory is not dataclasses.MISSING:
            found[one.name] = plain(one.default_factory())
        else:
            found[one.name] = "?"
    return found


def measure(peft, folder):
    """The types with their fields and defaults; what becomes of a field that a type does not have; and values that are refused."""
    for name, kind in sorted(classes(peft).items()):
        print("%s(type)" % name)
        made = None
        try:
            made = kind()
        except Exception:
            pass
        base = {}
        for field, default in sorted(defaults(kind).items()):
            # What the class computes of a default is what it writes.
            base[field] = default if made is None else plain(getattr(made, field, default))
            # What a release writes of itself differs in each.
            default = None if field == "peft_version" else base[field]
            print("%s(field %s = %s)" % (name, field, json.dumps(default, sort_keys=True)))
        base["peft_type"] = name
        for condition in sorted(refused(kind, base, folder)):
            print("%s(fails %s)" % (name, condition))
    print("unknown-fields(%s)" % unknown(peft, folder))


def config_in(kind, values, folder):
    with open(os.path.join(folder, "adapter_config.json"), "w") as file:
        json.dump(values, file)
    return kind.from_pretrained(folder)


def loads(kind, values, folder):
    try:
        config_in(kind, values, folder)
        return True
    except Exception:
        return False


def refused(kind, base, folder):
    """The values of single fields because of which a configuration is not read."""
    if not loads(kind, base, folder):
        for field, value in base.items():
            if value is None and loads(kind, dict(base, **{field: 1}), folder):
                yield field + "=null"
                without = {key: one for key, one in base.items() if key != field}
                if not loads(kind, without, folder):
                    yield "-" + field
        return
    for field in base:
        without = {key: one for key, one in base.items() if key != field}
        if field != "peft_type" and not loads(kind, without, folder):
            yield "-" + field
        if base[field] is not None and field != "peft_type" and not loads(kind, dict(base, **{field: None}), folder):
            yield field + "=null"


def unknown(peft, folder):
    """What becomes of a field that no release has."""
    kind = classes(peft)["LORA"]
    values = {"peft_type": "LORA", "r": 31, "target_modules": ["a"], "unskew_unknown": 1}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            config_in(kind, values, folder)
        except TypeError:
            return "refused"
        general = peft.PeftConfig.from_pretrained(folder)
    if getattr(general, "r", 31) != 31:
        return "all lost"
    return "warned" if any("nexpected keyword" in str(one.message) for one in caught) else "ignored"


def load(peft, folders):
    for folder in folders:
        said = {"folder": folder}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                # As a model is loaded: the type first, then its class.
                with open(os.path.join(folder, "adapter_config.json")) as file:
                    kind = json.load(file)["peft_type"]
                config = classes(peft)[kind].from_pretrained(folder)
                general = peft.PeftConfig.from_pretrained(folder)
                said["read"] = {one.name: plain(getattr(config, one.name, None)) for one in dataclasses.fields(config)}
                said["general"] = {one.name: plain(getattr(general, one.name, None)) for one in dataclasses.fields(general)}
            except BaseException as error:
                said["error"] = type(error).__name__ + ": " + str(error)[:200]
        said["warned"] = sorted({str(one.message)[:160] for one in caught if "nexpected keyword" in str(one.message)})
        print(json.dumps(said), flush=True)


OTHER = {bool: lambda one, chance: not one, int: lambda one, chance: one + chance.randrange(1, 5), float: lambda one, chance: one + 0.25}


def write(peft, out, seed):
    chance = random.Random(seed)
    for name, kind in sorted(classes(peft).items()):
        for variant in ("plain", "other"):
            try:
                config = kind(**arguments(kind, chance, variant))
                folder = os.path.join(out, name + "-" + variant)
                config.save_pretrained(folder)
            except Exception:
                continue


def arguments(kind, chance, variant):
    given = {}
    values = defaults(kind)
    if "target_modules" in values:
        given["target_modules"] = ["q_proj", "v_proj"]
    if variant == "other":
        for field in chance.sample(sorted(values), min(len(values), 4)):
            value = values[field]
            change = OTHER.get(type(value))
            if change and field not in ("inference_mode",):
                given[field] = change(value, chance)
    return given


def main():
    peft = install()
    warnings.simplefilter("ignore")
    if sys.argv[1] == "measure":
        measure(peft, sys.argv[2])
    elif sys.argv[1] == "load":
        load(peft, sys.argv[2:])
    else:
        write(peft, sys.argv[2], int(sys.argv[3]))


if __name__ == "__main__":
    main()
