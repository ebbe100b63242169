"""`python -m unskew`: the command of this installation."""

import os
import subprocess
import sys

from ._install import command


def main() -> int:
    found = command()
    if found is None:
        print("error: this installation of unskew has no command", file=sys.stderr)
        return 2
    arguments = [str(found), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(found, arguments)
    return subprocess.call(arguments)


if __name__ == "__main__":
    sys.exit(main())
