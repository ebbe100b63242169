"""Numbers that calls of operators are made with, of each kind the first `n`. For Python 3.5 and later."""


def count(shape):
    """How many elements a tensor of this shape has."""
    total = 1
    for one in shape:
        total *= one
    return total


def numbers(kind, n, is_float):
    """`n` numbers of a kind, for a type of floats or of integers; None for a kind that depends on the framework."""
    if kind == "plain":
        return [(0.25 + 0.375 * i) if is_float else (i * 3 + 1) % 7 for i in range(n)]
    if kind == "neg":
        return [(-1) ** (i + 1) * ((0.7 + 1.3 * i) if is_float else 2 * i + 1) for i in range(n)]
    if kind == "ties":
        return [[2, 3, 3, 1, 3, 1][i % 6] for i in range(n)]
    if kind == "halves":
        return [i - 2 + 0.5 for i in range(n)]
    if kind == "nan":
        return [float("nan") if i % 3 == 1 else 1.0 + i for i in range(n)]
    if kind == "inf":
        return [[1.0, float("inf"), -float("inf")][i % 3] for i in range(n)]
    return None
