"""What a release of PyTorch has for pickles, read from the sources in its wheel: nothing is imported or run.

torch_pickled.py VERSION...

Prints, for each release, `release VERSION` and then lines of cells, separated by tabs:

name MODULE.NAME                a name that a module binds; a pickle asks for it
arguments MODULE.NAME N         the most positional arguments of a function that pickles call; for each layout that
                                `_rebuild_sparse_tensor` knows, as NAME.LAYOUT, the most parts of its data
reads MODULE.CLASS ATTRIBUTE    an attribute that the constructor of a module of torch.nn sets and that its code reads
                                when it is called, without a default in the class, `__setstate__` or `getattr`
opcode NAME                     an instruction of pickles that the loader for weights_only=True takes

Only the members that are needed are transferred.
"""
import ast
import sys

from published_patches import members, wheels

# Packages whose classes and functions are not saved with models: compilers, tests, exporters, tools.
PASSED = (
    "torch/_custom_op/", "torch/_decomp/", "torch/_dynamo/", "torch/_export/", "torch/_functorch/",
    "torch/_higher_order_ops/", "torch/_inductor/", "torch/_jit_internal", "torch/_lazy/", "torch/_library/",
    "torch/_logging/", "torch/_meta_registrations", "torch/_native/", "torch/_numpy/", "torch/_prims/",
    "torch/_prims_common/", "torch/_refs/", "torch/_strobelight/", "torch/_subclasses/", "torch/_vendor/",
    "torch/accelerator/", "torch/ao/ns/", "torch/ao/quantization/_pt2e/", "torch/ao/quantization/fx/",
    "torch/ao/quantization/pt2e/", "torch/ao/quantization/quantizer/", "torch/autograd/", "torch/backends/",
    "torch/bin/", "torch/compiler/", "torch/contrib/", "torch/cuda/_", "torch/cuda/memory", "torch/distributed/",
    "torch/export/", "torch/for_onnx/", "torch/foreach/", "torch/fx/", "torch/include/", "torch/jit/", "torch/legacy/",
    "torch/lib/", "torch/masked/", "torch/monitor/", "torch/mps/", "torch/multiprocessing/", "torch/onnx/",
    "torch/profiler/", "torch/quantization/fx/", "torch/quantization/ns/", "torch/share/", "torch/signal/",
    "torch/testing/", "torch/utils/", "torch/xpu/",
)
# What the extension module binds in `torch` and pickles name, of types and layouts that came after 1.3.
BOUND = (
    "bits16", "bits1x8", "bits2x4", "bits4x2", "bits8", "float4_e2m1fn_x2", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "jagged", "quint2x4", "quint4x2", "sparse_bsc", "sparse_bsr",
    "sparse_csc", "sparse_csr", "uint16", "uint32", "uint64",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)),
)
LIBRARIES = ("torch/lib/libtorch_python.", "torch/lib/libc10.")
TAKEN = ("torch/utils/data/", "torch/utils/hooks.py", "torch/autograd/function.py")


def sources(version):
    """The sources of a release by path, and the strings of its extension module."""
    # The same sources are in the wheels of every platform.
    found = wheels("torch", version, lambda name: "macosx" in name) or wheels("torch", version, lambda name: True)
    with members(found[0]) as archive:
        names = [one for one in archive.infolist() if one.filename.startswith(LIBRARIES)
                 or one.filename.endswith(".py") and one.filename.startswith("torch/")
                 and (not one.filename.startswith(PASSED) or one.filename.startswith(TAKEN))]
        for one in sorted(names, key=lambda one: one.header_offset):
            data = archive.read(one)
            if one.filename.startswith(LIBRARIES):
                yield one.filename, {name for name in BOUND if b"\0" + name.encode() + b"\0" in data}
            else:
                yield one.filename, data.decode("utf-8", "replace")


def module_name(path):
    parts = path.rsplit(".", 1)[0].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Namespace:
    """The names of a module, whichever way its conditions go."""

    def __init__(self, module, tree, is_package):
        self.module, self.is_package = module, is_package
        self.names, self.stars, self.exports = set(), [], None
        self.body(tree.body)

    def body(self, statements):
        for one in statements:
            self.statement(one)

    def statement(self, one):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.names.add(one.name)
        elif isinstance(one, ast.ImportFrom):
            for name in one.names:
                if name.name == "*":
                    self.stars.append(self.absolute(one))
                # A pickle names what is defined in PyTorch by a module of PyTorch.
                elif self.absolute(one).startswith("torch"):
                    self.names.add(name.asname or name.name)
        elif isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            for target in targets:
                for node in ast.walk(target):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        self.names.add(node.id)
            if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
                listed = {node.value for node in ast.walk(one.value)
                          if isinstance(node, ast.Constant) and isinstance(node.value, str)}
                self.exports = (self.exports or set()) | listed
        else:
            for field in ("body", "orelse", "finalbody"):
                self.body(getattr(one, field, []))
            for handler in getattr(one, "handlers", []):
                self.body(handler.body)

    def absolute(self, one):
        if not one.level:
            return one.module
        parts = self.module.split(".")
        parts = parts[:len(parts) - one.level + (1 if self.is_package else 0)]
        return ".".join(parts + ([one.module] if one.module else []))


def star_names(namespaces, module, seen):
    if module in seen or module not in namespaces:
        return set()
    space = namespaces[module]
    if space.exports is not None:
        return space.exports
    own = {name for name in space.names if not name.startswith("_")}
    for star in space.stars:
        own |= star_names(namespaces, star, seen | {module})
    return own


class Class:
    """A class of torch.nn: what its constructor sets, what its code reads, and what has a default."""

    def __init__(self, node, imports, module):
        self.bases = [imports.get(name, f"{module}.{name}") for name in map(base_name, node.bases) if name]
        self.sets, self.defaults, self.methods = set(), set(), {}
        for one in node.body:
            if isinstance(one, ast.FunctionDef):
                self.methods[one.name] = one
                self.defaults.add(one.name)
            elif isinstance(one, ast.Assign):
                self.defaults |= {target.id for target in one.targets if isinstance(target, ast.Name)}
            elif isinstance(one, ast.AnnAssign) and one.value is not None and isinstance(one.target, ast.Name):
                self.defaults.add(one.target.id)
        if "__init__" in self.methods:
            self.sets = attributes(self.methods["__init__"], ast.Store) | registered(self.methods["__init__"])
        # It fills in what older objects lack.
        if "__setstate__" in self.methods:
            restores = self.methods["__setstate__"]
            self.defaults |= {node.value for node in ast.walk(restores)
                              if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            self.defaults |= attributes(restores, ast.Store)


def base_name(node):
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def is_self(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def attributes(function, context):
    return {node.attr for node in ast.walk(function) if is_self(node) and isinstance(node.ctx, context)}


def registered(function):
    """What is set by `register_buffer`, `register_parameter`, `add_module` and `setattr` under a literal."""
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            at = 1 if name == "setattr" else 0
            if name in ("register_buffer", "register_parameter", "add_module", "register_module", "setattr"):
                literal = node.args[at] if len(node.args) > at else None
                if isinstance(literal, ast.Constant) and isinstance(literal.value, str):
                    found.add(literal.value)
    return found


def lineage(classes, name):
    """A class and those that it is derived from, nearest first."""
    order, open_ = [], [name]
    while open_:
        one = open_.pop(0)
        if one in classes and one not in order:
            order.append(one)
            open_ += classes[one].bases
    return order


def evaluated(node, reads):
    """Adds what an expression reads of `self` whatever the values are: not what `and`, `or` and conditionals pass over."""
    if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return
    if isinstance(node, ast.BoolOp):
        return evaluated(node.values[0], reads)
    if isinstance(node, ast.IfExp):
        return evaluated(node.test, reads)
    if is_self(node) and isinstance(node.ctx, ast.Load):
        reads.add(node.attr)
    for child in ast.iter_child_nodes(node):
        evaluated(child, reads)


class Paths:
    """What every path through a function that ends without an exception reads of `self`."""

    def __init__(self, function):
        self.ends = []
        out = self.block(function.body, set())
        if out is not None:
            self.ends.append(out)
        self.reads = set.intersection(*self.ends) if self.ends else set()

    def block(self, statements, reads):
        """What has been read behind the statements; none if nothing goes on behind them."""
        for one in statements:
            reads = self.statement(one, reads)
            if reads is None:
                return None
        return reads

    def statement(self, one, reads):
        reads = set(reads)
        if isinstance(one, (ast.Return, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Assert)):
            evaluated(one, reads)
        if isinstance(one, ast.Return):
            self.ends.append(reads)
            return None
        if isinstance(one, (ast.Raise, ast.Continue, ast.Break)):
            return None
        if isinstance(one, ast.If):
            evaluated(one.test, reads)
            ways = [self.block(one.body, reads), self.block(one.orelse, reads)]
            ways = [way for way in ways if way is not None]
            return set.intersection(*ways) if ways else None
        if isinstance(one, (ast.For, ast.While)):
            evaluated(one.iter if isinstance(one, ast.For) else one.test, reads)
            self.block(one.body, reads)
            return reads
        if isinstance(one, ast.With):
            for item in one.items:
                evaluated(item.context_expr, reads)
            return self.block(one.body, reads)
        if isinstance(one, ast.Try):
            # A handler may go on from anywhere in the body.
            self.block(one.body, reads)
            for handler in one.handlers:
                self.block(handler.body, reads)
            return self.block(one.finalbody, reads)
        return reads


def called(classes, name):
    """The attributes that calling an object of a class reads."""
    order = lineage(classes, name)
    methods = {}
    for one in reversed(order):
        methods.update(classes[one].methods)
    reads, open_, seen = set(), ["forward"], set()
    while open_:
        method = open_.pop()
        if method in seen or method not in methods:
            continue
        seen.add(method)
        found = Paths(methods[method]).reads
        reads |= found
        open_ += [one for one in found if one in methods]
    sets = set().union(*(classes[one].sets for one in order))
    defaults = set().union(*(classes[one].defaults for one in order))
    return (reads & sets) - defaults


def layouts(function):
    """The layouts that a function compares its argument with, each with the most names that the data are unpacked into."""
    for node in ast.walk(function):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and "layout" in ast.unparse(node.test.left):
            targets = [target for one in node.body for child in ast.walk(one) if isinstance(child, ast.Assign)
                       for target in child.targets if isinstance(target, ast.Tuple)]
            most = max((len(target.elts) for target in targets), default=0)
            for side in node.test.comparators:
                for child in ast.walk(side):
                    if isinstance(child, ast.Attribute) and most:
                        yield child.attr, most


def opcodes(text):
    """The names of the instructions that the loader compares with: `key[0] == GLOBAL[0]`."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            for side in [node.left, *node.comparators]:
                for child in ast.walk(side):
                    if isinstance(child, ast.Subscript) and isinstance(child.value, ast.Name) \
                            and child.value.id.isupper():
                        found.add(child.value.id)
    return found


def release(version):
    namespaces, classes, lines = {}, {}, set()
    for path, text in sources(version):
        if path.startswith(LIBRARIES):
            lines |= {f"name\ttorch.{name}" for name in text}
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError:
            print(f"{version}: {path} is not read", file=sys.stderr)
            continue
        module = module_name(path)
        space = Namespace(module, tree, path.endswith("__init__.py"))
        namespaces[module] = space
        if path == "torch/_weights_only_unpickler.py":
            lines |= {f"opcode\t{name}" for name in opcodes(text)}
        imports = {}
        for one in ast.walk(tree):
            if isinstance(one, ast.ImportFrom):
                for name in one.names:
                    imports[name.asname or name.name] = f"{space.absolute(one)}.{name.name}"
        for one in tree.body:
            if isinstance(one, ast.FunctionDef) and one.name.startswith("_rebuild"):
                most = "-" if one.args.vararg else str(len(one.args.args))
                lines.add(f"arguments\t{module}.{one.name}\t{most}")
                if one.name == "_rebuild_sparse_tensor":
                    lines |= {f"arguments\t{module}.{one.name}.{layout}\t{most}" for layout, most in layouts(one)}
            if isinstance(one, ast.ClassDef) and module.startswith("torch.nn.modules."):
                imports[one.name] = f"{module}.{one.name}"
                classes[f"{module}.{one.name}"] = Class(one, imports, module)
    # `from .module import Module` and `from torch.nn import Module` are one.
    for one in classes.values():
        one.bases = [next((name for name in classes if name.rsplit(".", 1)[1] == base.rsplit(".", 1)[1]), base)
                     for base in one.bases]
    for module, space in namespaces.items():
        names = set(space.names)
        for star in space.stars:
            names |= star_names(namespaces, star, {module})
        lines |= {f"name\t{module}.{name}" for name in names if not name.startswith("__")}
    for name in classes:
        lines |= {f"reads\t{name}\t{one}" for one in called(classes, name)}
    return sorted(lines)


for wanted in sys.argv[1:]:
    found = release(wanted)
    print(f"release\t{wanted}")
    print("\n".join(found), flush=True)
