"""The steps of a probe: run one after the other, each with a line of JSON that says what came of it."""

import json
import time

STEPS = []


def step(function):
    """Has a function run as a step."""
    STEPS.append(function)
    return function


def run(detail):
    """Runs all steps; `detail` is said of each that ends without an exception."""
    for function in STEPS:
        begun = time.monotonic()
        try:
            function()
        except Exception as error:
            outcome = {"ok": False, "detail": f"{type(error).__name__}: {str(error)[:500]}"}
        else:
            outcome = {"ok": True, "detail": detail}
        seconds = round(time.monotonic() - begun, 3)
        print(json.dumps({"step": function.__name__, **outcome, "seconds": seconds}), flush=True)
