"""Prints the classes and functions that each module of the installed scikit-learn defines: NAME(MODULE), one a line.

A pickle looks them up by these two. What a module only imports from another one stands behind `~`: a class that moved is
still found by its old name then. Modules of tests and of other packages inside are left out.
"""

import importlib
import pkgutil
import warnings

import sklearn

SKIPPED = ("tests", "conftest", "setup", "externals", "_build_utils", "__check_build")


def main():
    warnings.simplefilter("ignore")
    found = set()
    for one in pkgutil.walk_packages(sklearn.__path__, "sklearn.", onerror=lambda _: None):
        if any(part in SKIPPED for part in one.name.split(".")):
            continue
        try:
            module = importlib.import_module(one.name)
        except Exception:
            continue
        is_compiled = not getattr(module, "__file__", "").endswith(".py")
        for name, value in vars(module).items():
            own = getattr(value, "__module__", None) == one.name
            # What Cython defines does not always know its module.
            if callable(value) and (own or is_compiled):
                found.add("%s(%s)" % (name, one.name))
            elif callable(value) and str(getattr(value, "__module__", "")).startswith("sklearn."):
                found.add("~%s(%s)" % (name, one.name))
        # Before 0.24 a module of an old name forwards to the one that it became: the one private module that it imports.
        if hasattr(module, "deprecated_path") and hasattr(module, "__getattr__"):
            for target in [v for v in vars(module).values() if type(v) is type(sklearn) and v.__name__.startswith("sklearn.")]:
                for name, value in vars(target).items():
                    if getattr(value, "__module__", None) == target.__name__ and callable(value):
                        found.add("%s(%s)" % (name, one.name))
    print("\n".join(sorted(found)))


main()
