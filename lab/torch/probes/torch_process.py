"""Jobs of a probe in processes that are forked from it, because some files end the process that loads them."""

import json
import os
import signal
import time

# How long a job may take.
SECONDS = 120


def in_a_process(jobs, act):
    """What `act` gives for the first of these jobs in a process of their own, each with its seconds: for all of them, or for
    those up to one that ends it, which gets the phase `crash` and the signal."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        with os.fdopen(theirs, "w") as pipe:
            for job in jobs:
                # A thread that the parent had may hold a lock for ever.
                signal.alarm(SECONDS)
                begun = time.time()
                found = act(job)
                pipe.write(json.dumps([found, time.time() - begun]) + "\n")
                pipe.flush()
        os._exit(0)
    os.close(theirs)
    begun, count = time.time(), 0
    with os.fdopen(ours) as pipe:
        for count, line in enumerate(pipe, 1):
            yield json.loads(line)
    _, status = os.waitpid(child, 0)
    if status != 0 and count < len(jobs):
        how = "signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "exit %d" % os.WEXITSTATUS(status)
        yield {"phase": "crash", "output": None, "said": how}, time.time() - begun
