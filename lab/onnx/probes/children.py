"""Asks about models in child processes, so that one that ends its process costs no other."""

import subprocess
import sys


def ask(arguments, names, ended=None):
    """Runs this program again with the arguments and the names on its standard input, until each has an answer.

    A child prints `@NAME` before it begins with a model, and a line with two tabs, the name first, when it is done: that line is
    printed here, too. The model at which a child ends without an answer is a crash. `ended` gets the name at which a child
    that had answered ended all the same.
    """
    while names:
        run = subprocess.Popen([sys.executable, "-W", "ignore"] + arguments, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
        # The child reads all names before it says anything.
        run.stdin.write("\n".join(names))
        run.stdin.close()
        last, done = None, set()
        for line in run.stdout:
            if line.startswith("@"):
                last = line[1:].rstrip("\n")
            elif line.count("\t") == 2:
                done.add(line.split("\t")[0])
                sys.stdout.write(line)
        run.wait()
        if last is None:
            return
        if last not in done:
            print("%s\tcrash\t" % last)
            done.add(last)
        elif run.returncode and ended:
            ended(last)
        names = [name for name in names if name not in done]
