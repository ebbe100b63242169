"""What is drawn for each operator: attribute values, element types, ranks, and which inputs are there."""


def registry():
    """A table of operators, and what enters a function for some of them."""
    ops = {}

    def op(*names):
        def enter(function):
            for name in names:
                ops[name] = function
            return function
        return enter
    return ops, op


OPS, op = registry()


def load():
    """Every operator: those with windows, with states or sums, of sequences, and all others."""
    import onnx_draws_plain  # noqa: F401
    import onnx_draws_sequences  # noqa: F401
    import onnx_draws_states  # noqa: F401
    import onnx_draws_windows  # noqa: F401
    return OPS
