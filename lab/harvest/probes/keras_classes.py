"""Lists the classes of a Keras by its source: which names its files may have, and which arguments each takes.

    keras_classes.py PACKAGE MODULE

PACKAGE: a wheel, or the folder of a package that is installed; MODULE: what its classes are below, `keras` or
`tensorflow.python.keras`. Nothing of it is imported, so no framework is needed. A line for each class:

    Dense(layer) EXPORTS @MODULE ARGUMENT ARGUMENT=DEFAULT ... **

EXPORTS are public names with a comma between; a default that is no short literal is `?`. Arguments are those of
`__init__` and, where it has `**kwargs` and hands them on, those of the classes above it. `**` is a class that takes any.
"""
import ast
import json
import os
import re
import sys
import zipfile

KINDS = {
    "Layer": "layer", "Module": "module", "Optimizer": "optimizer", "OptimizerV2": "optimizer", "BaseOptimizer": "optimizer",
    "_BaseOptimizer": "optimizer", "Loss": "loss", "Metric": "metric", "Initializer": "initializer",
    "Regularizer": "regularizer", "Constraint": "constraint", "LearningRateSchedule": "schedule",
    "Policy": "policy", "DTypePolicy": "policy", "Operation": "operation", "Model": "model",
}
ORDER = ["model", "layer", "optimizer", "loss", "metric", "initializer", "regularizer", "constraint", "schedule", "policy", "operation"]
# Kinds of objects that files name by any of their public names.
NAMED = ("initializer", "regularizer", "constraint", "loss", "metric")
# Packages of Keras 3 that list their classes.
LISTS = {".src.initializers": "initializer", ".src.regularizers": "regularizer", ".src.constraints": "constraint"}
FUNCTIONS = ("activations", "losses", "metrics", "initializers")


def sources(package, root):
    folder = root.replace(".", "/") + "/"
    extra = ("tensorflow/python/ops/init_ops_v2.py",)
    if os.path.isdir(package):
        for at, _, names in os.walk(package):
            for name in names:
                path = os.path.join(at, name)
                inside = os.path.relpath(path, os.path.dirname(os.path.abspath(package)))
                if inside.endswith(".py") and (inside.startswith(folder) or inside in extra):
                    yield inside, open(path, encoding="utf-8").read()
        return
    with zipfile.ZipFile(package) as archive:
        for name in archive.namelist():
            if name.endswith(".py") and (name.startswith(folder) or name in extra):
                yield name, archive.read(name).decode("utf-8")


def snake(name):
    first = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub("([a-z])([A-Z])", r"\1_\2", first).lower()


def listed(tree):
    """The names under which a package of Keras 3 lists its classes, each with the class."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and dotted(node.targets[0]) == "ALL_OBJECTS":
            for one in node.value.elts:
                names[dotted(one)] = names[snake(dotted(one))] = dotted(one)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) == "ALL_OBJECTS_DICT.update" and isinstance(node.args[0], ast.Dict):
            pairs = zip(node.args[0].keys, node.args[0].values)
            names.update((key.value, dotted(value)) for key, value in pairs if isinstance(key, ast.Constant))
    return names


class Class:
    def __init__(self, module, node, imports):
        self.module, self.name, self.node, self.imports = module, node.name, node, imports
        self.exports = exports(node)
        self.init = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
        self.from_config = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "from_config"), None)


def exports(node):
    names = []
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and dotted(decorator.func).split(".")[-1] in ("keras_export", "tf_export"):
            for argument in decorator.args:
                found = [argument] if isinstance(argument, ast.Constant) else getattr(argument, "elts", [])
                names += [one.value for one in found if isinstance(one, ast.Constant)]
    return names


def dotted(node):
    if isinstance(node, ast.Attribute):
        return dotted(node.value) + "." + node.attr
    return node.id if isinstance(node, ast.Name) else ""


def literal(node):
    try:
        text = json.dumps(ast.literal_eval(node), separators=(",", ":"))
    except (ValueError, TypeError, SyntaxError):
        return "?"
    return "?" if " " in text or "\t" in text or len(text) > 60 else text


class Package:
    def __init__(self, package, root):
        self.root, self.classes, self.functions, self.aliases = root, {}, [], {}
        self.assigned = {}
        self.has_modules = False
        self.listed = {}
        for path, text in sources(package, root):
            module = path[:-3].replace("/", ".")
            module = module[: -len(".__init__")] if module.endswith(".__init__") else module
            if "_test" in path or "/testing/" in path or "/applications/" in path:
                continue
            self.has_modules = self.has_modules or module.endswith("saving.serialization_lib")
            tree = ast.parse(text)
            kind = LISTS.get(module[len(root):])
            if kind and "to_snake_case" in text:
                self.listed[kind] = listed(tree)
            self.read(module, path, tree)

    def read(self, module, path, tree):
        imports = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                base = node.module
                for one in node.names:
                    imports[one.asname or one.name] = base + "." + one.name
        self.aliases[module] = imports
        # `Base = other.Base` at the end of branches for backends: the last holds for all.
        own = self.assigned[module] = {}
        branches = list(tree.body)
        while branches:
            node = branches.pop(0)
            if isinstance(node, ast.If):
                branches = node.body + node.orelse + branches
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and dotted(node.value):
                own[node.targets[0].id] = dotted(node.value)
        for node in tree.body:
            bodies = [node]
            if isinstance(node, (ast.If, ast.Try)):
                bodies = node.body + node.orelse
            for one in bodies:
                if isinstance(one, ast.ClassDef):
                    self.classes[module + "." + one.name] = Class(module, one, imports)
                elif isinstance(one, ast.FunctionDef):
                    self.functions.append((module, one))
                # `Functional = Model` and the like are other names of a class.

    def find(self, name, module, imports, depth=0):
        """The class that `name` means in a module."""
        if module + "." + name in self.classes:
            return self.classes[module + "." + name]
        again = self.assigned.get(module, {}).get(name) if name not in imports else None
        if again is not None and depth < 6:
            return self.find(again, module, imports, depth + 1)
        head, _, rest = name.partition(".")
        target = imports.get(head)
        if target is None or depth > 6:
            return None
        full = target + ("." + rest if rest else "")
        if full in self.classes:
            return self.classes[full]
        above, _, last = full.rpartition(".")
        if above in self.aliases:
            return self.find(last, above, self.aliases[above], depth + 1)
        return None

    def bases(self, one):
        found = [self.find(dotted(base), one.module, one.imports) for base in one.node.bases]
        return [base for base in found if base is not None]

    def mro(self, one, below=()):
        """All classes above, the nearest first; what two have in common comes last."""
        chains = [self.mro(base, below + (one,)) for base in self.bases(one) if base is not one and base not in below]
        order = []
        for chain in chains:
            for above in chain:
                if above in order:
                    order.remove(above)
                order.append(above)
        return [one] + order

    def kind(self, one):
        kinds = {KINDS[above.name] for above in self.mro(one) if above.name in KINDS}
        names = {name for above in self.mro(one) for name in [dotted(base).split(".")[-1] for base in above.node.bases]}
        kinds |= {KINDS[name] for name in names if name in KINDS}
        return next((kind for kind in ORDER if kind in kinds), None)

    def arguments(self, mro):
        """What the first `__init__` of these classes takes: names with defaults, and whether it takes any."""
        at = next((i for i, one in enumerate(mro) if one.init), None)
        if at is None:
            return {}, False
        one, init, rest = mro[at], mro[at].init, mro[at + 1 :]
        spec = init.args
        names = [argument.arg for argument in spec.args][1:]
        defaults = [None] * (len(names) - len(spec.defaults)) + [literal(node) for node in spec.defaults][-len(names) or len(spec.defaults):]
        own = dict(zip(names, defaults))
        for argument, node in zip(spec.kwonlyargs, spec.kw_defaults):
            own[argument.arg] = None if node is None else literal(node)
        if spec.kwarg is None:
            return own, False
        keywords = spec.kwarg.arg
        taken, handed, checked = {}, None, False
        constants = {}
        for node in ast.walk(init):
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Set, ast.List, ast.Tuple)):
                for target in node.targets:
                    constants[dotted(target)] = [e.value for e in node.value.elts if isinstance(e, ast.Constant)]
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                pairs = {key.value: literal(value) for key, value in zip(node.value.keys, node.value.values) if isinstance(key, ast.Constant)}
                constants[dotted(node.targets[0]) + ".items"] = pairs
        for node in ast.walk(init):
            # `for name, default in defaults.items(): kwargs.pop(name)`
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and dotted(node.iter.func) in constants:
                pops = [one for one in ast.walk(node) if isinstance(one, ast.Call) and dotted(one.func) == keywords + ".pop"]
                if pops and isinstance(constants[dotted(node.iter.func)], dict):
                    taken.update(constants[dotted(node.iter.func)])
        for node in ast.walk(init):
            if isinstance(node, ast.Call):
                called = dotted(node.func)
                if called in (keywords + ".pop", keywords + ".get") and node.args and isinstance(node.args[0], ast.Constant):
                    taken[node.args[0].value] = literal(node.args[1]) if len(node.args) > 1 else "?"
                if called.split(".")[-1] == "validate_kwargs" and len(node.args) > 1:
                    checked = True
                    values = constants.get(dotted(node.args[1]), [e.value for e in getattr(node.args[1], "elts", []) if isinstance(e, ast.Constant)])
                    taken.update((name, "?") for name in values)
                is_init = isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"
                if is_init and any(keyword.arg is None and dotted(keyword.value) == keywords for keyword in node.keywords):
                    explicit = [keyword.arg for keyword in node.keywords if keyword.arg]
                    owner = node.func.value
                    chain = rest
                    positional = sum(not isinstance(one, ast.Starred) for one in node.args)
                    if isinstance(owner, (ast.Name, ast.Attribute)) and not isinstance(owner, ast.Call):
                        named = self.find(dotted(owner), one.module, one.imports)
                        chain = self.mro(named) if named else rest
                        positional -= 1
                    handed = (chain, explicit, positional)
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant) and isinstance(node.ops[0], (ast.In, ast.NotIn)) and dotted(node.comparators[0]) == keywords:
                taken.setdefault(node.left.value, "?")
        any_left = False
        if "allowed_kwargs" in constants:
            checked = True
            taken.update((name, "?") for name in constants["allowed_kwargs"])
        if handed:
            above, any_left = self.arguments(handed[0])
            gone = set(handed[1]) | set(list(above)[: handed[2]])
            taken.update((name, value) for name, value in above.items() if name not in gone and name not in taken)
        elif not checked:
            # What is left is looked at, or it is not: only `if kwargs: raise` says so.
            raises = any(isinstance(node, ast.If) and dotted(node.test) == keywords and any(isinstance(inner, ast.Raise) for inner in ast.walk(node)) for node in ast.walk(init))
            loops = any(isinstance(node, ast.For) and keywords in ast.dump(node.iter) for node in ast.walk(init))
            any_left = not (raises or loops)
        for name, value in taken.items():
            own.setdefault(name, value if value is not None else "?")
        return own, any_left

    def popped(self, mro):
        """What `from_config` takes out of a configuration before the arguments are handed over."""
        names = set()
        for one in mro:
            if one.from_config is None:
                continue
            for node in ast.walk(one.from_config):
                if isinstance(node, ast.Call) and dotted(node.func).endswith("config.pop") and node.args and isinstance(node.args[0], ast.Constant):
                    names.add(node.args[0].value)
            break
        return names

    def lines(self):
        rows = set()
        every = [(one, self.kind(one)) for one in self.classes.values()]
        public = {(one.name, kind) for one, kind in every if one.exports}
        # Before 2.12 no file names a module, and what stands in TensorFlow is Keras all the same.
        modules = self.has_modules
        for one, kind in every:
            # Classes of TensorFlow 1, of single backends and of dtensor are in no file.
            if kind is None or any(part in one.module for part in ("benchmark", "legacy_tf_layers", "optimizer_v1", "backend.", "dtensor")):
                continue
            if kind != "operation" and not one.exports and (one.name, kind) in public:
                continue
            mro = self.mro(one)
            names, anything = self.arguments(mro)
            for name in self.popped(mro):
                names.setdefault(name, "?")
            cells = [name if value is None else name + "=" + value for name, value in names.items() if isinstance(name, str)]
            module = one.module if modules else ""
            public_names = sorted(name for name in one.exports if "dtensor" not in name)
            spoken = {one.name} | ({name.split(".")[-1] for name in public_names} if kind in NAMED else set())
            if self.listed:
                # Keras 3 writes a class by its public name.
                spoken |= {name.split(".")[-1] for name in public_names}
            listed = self.listed.get(kind)
            if listed is not None:
                # Keras 3 finds objects of layers in a list, by the names that stand there.
                spoken = {name for name, target in listed.items() if target == one.name}
            for name in spoken:
                text = "%s(%s) %s @%s %s" % (name, kind, ",".join(public_names) or "-", module, " ".join(sorted(cells)))
                rows.add(text.rstrip() + (" **" if anything else ""))
        for module, node in self.functions:
            names = exports(node)
            in_module = module.split(".")[-1]
            if not names and (in_module not in ("activations",) or node.name.startswith("_")):
                continue
            if names and not any(name.split(".")[-2:-1] and name.split(".")[-2] in FUNCTIONS for name in names):
                continue
            for name in {node.name} | {name.split(".")[-1] for name in names}:
                rows.add("%s(function) %s @%s" % (name, ",".join(sorted(names)) or "-", module if modules else ""))
        return sorted(rows)


if __name__ == "__main__":
    for line in Package(sys.argv[1], sys.argv[2]).lines():
        print(line)
