"""What a release of a package makes of names that pickles look up.

class_names.py < NAMES

NAMES has a line for each name, `MODULE NAME`. Each is looked up as `pickle.load` does. Prints a line for each of them: `present`,
`missing` with the error, or `open` with the error where another package is missing, or the import fails for another reason.
"""
import io
import pickle
import sys
import warnings


def look_up(module, name):
    top = module.split(".")[0]
    try:
        pickle.Unpickler(io.BytesIO()).find_class(module, name)
    except ModuleNotFoundError as error:
        return ("missing" if (error.name or "").split(".")[0] == top else "open"), error
    except AttributeError as error:
        # Of the module itself, and not of something that its import reads.
        is_own = name in str(error) and sys.modules.get(module) is not None
        return ("missing" if is_own else "open"), error
    except BaseException as error:
        return "open", error
    return "present", ""


def main():
    warnings.simplefilter("ignore")
    out = sys.stdout
    # What a module prints when it is imported.
    sys.stdout = sys.stderr
    for line in sys.stdin.read().splitlines():
        word, error = look_up(*line.split(" "))
        # Without the path of the file, which the interpreter adds.
        text = " ".join(str(error).split()).split(" from '")[0][:200]
        out.write(f"{word}\t{text}\n")
        out.flush()


main()
