"""Names that the loader of a package takes for others.

loader_names.py ARCHIVE

ARCHIVE has the sources of a release of ultralytics, whose loader imports older names of its modules under the new ones while
`torch.load` runs: `with temporary_modules(modules={"ultralytics.yolo.utils": "ultralytics.utils"}, attributes={...})`. Prints
a line for each: the old name and the new one, written MODULE or MODULE:NAME. The sources are parsed, and never run.
"""
import ast
import sys
import zipfile

# Where the loader stands.
SOURCES = ("ultralytics/nn/tasks.py", "ultralytics/utils/patches.py")


def literal(pair):
    return all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in pair)


def pairs(call):
    """The literal entries of the tables of modules and of attributes."""
    tables = {keyword.arg: keyword.value for keyword in call.keywords}
    tables.update(zip(("modules", "attributes"), call.args))
    for name, table in tables.items():
        if isinstance(table, ast.Dict):
            for pair in filter(literal, zip(table.keys, table.values)):
                old, new = (one.value for one in pair)
                if name == "attributes":
                    old, new = (":".join(one.rsplit(".", 1)) for one in (old, new))
                yield old, new


def main():
    with zipfile.ZipFile(sys.argv[1]) as archive:
        for name in set(SOURCES) & set(archive.namelist()):
            for node in ast.walk(ast.parse(archive.read(name))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "temporary_modules":
                    for old, new in pairs(node):
                        print(f"{old}\t{new}")


main()
