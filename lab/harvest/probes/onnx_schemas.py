"""What a release of onnx, or the bindings of an ONNX Runtime, define: a line for each operator and version.

python onnx_schemas.py onnx | onnxruntime

`#ir N` and `#opset DOMAIN N` stand first, `#context NAME` names forms whose function depends on the node. A schema is one line:
    Clip.13(input: T, min: T?, max: T?) -> (output: T) {T: float double} [to: int!] deprecated
`?` is optional, `...N` variadic with at least N, `*N` the same of mixed types; `!` is an attribute without a default.
"""

import re
import sys


def short(kind):
    """tensor(float) is float, seq(tensor(float)) is seq(float); the others keep their names."""
    return re.sub(r"(?<![a-z_])tensor\(([a-z0-9]+)\)", r"\1", kind).replace(" ", "")


def parameter(one, last_min, variables):
    option = str(one.option).rsplit(".", 1)[-1]
    name = getattr(one, "type_str", None) or one.typeStr
    kind = name if name in variables else short(name)
    mark = {"Single": "", "Optional": "?"}.get(option)
    if mark is None:
        same = one.is_homogeneous if hasattr(one, "is_homogeneous") else one.isHomogeneous
        mark = ("..." if same else "*") + str(last_min)
    return "%s: %s%s" % (one.name, kind, mark)


def schema(one):
    domain = one.domain or ""
    name = (domain + ":" if domain not in ("", "ai.onnx") else "") + one.name
    constraints = [(c.type_param_str, [short(t) for t in c.allowed_type_strs]) for c in one.type_constraints]
    variables = {name for name, _ in constraints}

    def side(parameters, least):
        last = max(0, least - len(parameters) + 1)
        return ", ".join(parameter(p, last, variables) for p in parameters)

    text = "%s.%d(%s) -> (%s)" % (
        name, one.since_version, side(list(one.inputs), one.min_input), side(list(one.outputs), one.min_output))
    if constraints:
        text += " {%s}" % "; ".join("%s: %s" % (n, " ".join(sorted(set(t)))) for n, t in sorted(constraints))
    attributes = []
    for name, a in sorted(one.attributes.items()):
        kind = str(a.type).rsplit(".", 1)[-1].lower()
        attributes.append("%s: %s%s" % (name, kind, "!" if a.required else ""))
    if attributes:
        text += " [%s]" % ", ".join(attributes)
    if one.deprecated:
        text += " deprecated"
    return text


def main():
    if sys.argv[1] == "onnx":
        import onnx
        import onnx.defs
        print("#ir %d" % onnx.IR_VERSION)
        for domain in ("", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "ai.onnx.preview"):
            try:
                from onnx.onnx_cpp2py_export.defs import schema_version_map
                known = schema_version_map().get(domain)
                known = known[1] if known else None
            except ImportError:
                known = onnx.defs.onnx_opset_version() if domain == "" else None
            if known is None:
                versions = [s.since_version for s in onnx.defs.get_all_schemas_with_history() if s.domain == domain]
                known = max(versions) if versions else None
            if known:
                print("#opset %s %d" % (domain or "ai.onnx", known))
        all_schemas = onnx.defs.get_all_schemas_with_history()
        for one in all_schemas:
            if getattr(one, "has_context_dependent_function", False):
                print("#context %s" % schema(one).split("(")[0])
    else:
        from onnxruntime.capi import onnxruntime_pybind11_state as state
        all_schemas = state.get_all_operator_schema()
    for line in sorted({schema(s) for s in all_schemas}):
        print(line)


main()
