"""What programs do beside computing: each step yields a text, and the same one on a server as on the plug-in itself.

usage: proxy_equal.py grpc://HOST:PORT | proxy_equal.py direct
With an address it runs on a server, with `direct` on the plug-in that PJRT_NAMES_AND_LIBRARY_PATHS names. Prints one line
of JSON for each step, whose detail is a digest of all that the step found. What is known beforehand is checked in both.
`unskew_jax` is to be on the path. Steps that a release of JAX has no words for say so.
"""

import hashlib
import json
import re
import sys
import time

DIRECT = sys.argv[1] == "direct"
if not DIRECT:
    import unskew_jax

    unskew_jax.connect(sys.argv[1])

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

VERSION = tuple(int(part) for part in jax.__version__.split(".")[:3])
STEPS = []
WANTED = np.arange(32, dtype=np.float32).reshape(8, 4)
FIRST, *OTHERS = jax.devices()


class NotHere(Exception):
    """This release of JAX has no words for it."""


def step(function):
    """Has a function run as a step."""
    STEPS.append(function)
    return function


def same(found, wanted):
    """Fails unless two arrays are equal, bit by bit; what was found."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found.dtype, found.shape, wanted.shape)
    if wanted.size:
        assert found.tobytes() == np.ascontiguousarray(wanted).tobytes(), (found, wanted)
    return found


def told(value):
    """A text of whatever a step found."""
    if isinstance(value, dict):
        return {str(key): told(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, (list, tuple)):
        return [told(one) for one in value]
    if isinstance(value, (jax.Array, np.ndarray)):
        value = np.asarray(value)
        return [str(value.dtype), list(value.shape), hashlib.sha256(value.tobytes()).hexdigest()]
    return str(value)


def mesh(order=(0, 1, 2, 3), shape=(4,), names=("x",)):
    return Mesh(np.array(jax.devices())[list(order)].reshape(shape), names)


def rows(order=(0, 1, 2, 3)):
    return NamedSharding(mesh(order), PartitionSpec("x"))


def grid(*spec):
    return NamedSharding(mesh(shape=(2, 2), names=("x", "y")), PartitionSpec(*spec))


def shards(array):
    """What each device has."""
    return [(shard.device.id, np.asarray(shard.data)) for shard in array.addressable_shards]


@step
def program_text():
    compiled = jax.jit(lambda a, b: jnp.tanh(a @ b).sum(0)).lower(np.ones((16, 32), np.float32), np.ones((32, 8), np.float32)).compile()
    text = compiled.as_text()
    if text is None and VERSION < (0, 8):
        raise NotHere  # Clients before protocol 19 do not ask.
    assert text.startswith("HloModule ") and "ENTRY" in text and "f32[16,32]{1,0}" in text, text
    sharded = jax.jit(lambda a: a.sum(0), in_shardings=rows()).lower(WANTED).compile().as_text()
    assert "num_partitions=4" in sharded and "all-reduce" in sharded, sharded
    try:
        compiled.runtime_executable().hlo_modules()
    except Exception as error:  # The clients refuse by themselves to make a module.
        assert "UNIMPLEMENTED" in str(error) and not DIRECT, error
    else:
        assert DIRECT
    return plain(text), plain(sharded)


def plain(text):
    """A text without what is not the same twice: jaxlib prints dictionaries in any order, and loses the groups of devices
    that older plug-ins name by a rule."""
    config = re.compile(r"backend_config=(\{.*\})$", re.MULTILINE)
    text = config.sub(lambda found: json.dumps(json.loads(found.group(1)), sort_keys=True), text)
    return re.sub(r"replica_groups=(\{\}|\[1,4\]<=\[4\])", "replica_groups=all", text)


@step
def analyses():
    compiled = jax.jit(lambda a, b: a @ b).lower(jnp.ones((16, 32)), jnp.ones((32, 8))).compile()
    memory = compiled.memory_analysis()
    if memory is None and VERSION < (0, 7):
        raise NotHere  # Those clients do not ask.
    names = ("argument", "output", "temp", "alias", "generated_code")
    sizes = {name: getattr(memory, f"{name}_size_in_bytes", None) for name in names}
    assert sizes["argument"] == 4 * (16 * 32 + 32 * 8) and sizes["output"] == 4 * 16 * 8, sizes
    try:
        cost = compiled.runtime_executable().cost_analysis()
    except Exception as error:
        if VERSION < (0, 8) or not DIRECT and "UNIMPLEMENTED" in str(error):
            cost = "none"
        else:
            assert "UNIMPLEMENTED" in str(error), error
            cost = "none"
    return sizes, cost


@step
def other_layouts_of_host_data():
    base = np.arange(720, dtype=np.float32).reshape(6, 5, 4, 6)
    views = [
        base.T, np.asfortranarray(base), base[::2], base[..., ::3], base.transpose(2, 0, 3, 1)[1:3],
        base[:, :, 1:2].swapaxes(0, 3), np.arange(20, dtype=np.int8)[::2],
        np.arange(20, dtype=np.int64).view(np.int32)[::2].reshape(4, 5).T,
    ]
    # Clients of a server refuse these by themselves; `unskew_jax` copies them, for compiled code as well.
    unsent = [base[:, ::-1], np.broadcast_to(np.float32(3), (4, 3)), np.broadcast_to(base[0, 0, :, :1], (4, 9))]
    twice = jax.jit(lambda array: array * 2)
    for view in unsent * 2:
        same(twice(view), view * 2)
    views += unsent
    found = [same(jax.device_put(view), view) for view in views]
    found += [same(jax.device_put(view.astype(jnp.bfloat16), OTHERS[0]), view.astype(jnp.bfloat16)) for view in views[:4]]
    return found + [same(jax.device_put(np.asfortranarray(WANTED), sharding), WANTED) for sharding in (rows(), grid("y", "x"), grid())]


@step
def arrays_without_elements_or_axes():
    shapes = [(0,), (0, 3), (3, 0), (2, 0, 4), (), (1,), (1, 1, 1)]
    kinds = ["float32", "bool", "int8", "uint32", "complex64"]
    found = [same(jax.device_put(np.ones(shape, kind)), np.ones(shape, kind)) for shape in shapes for kind in kinds]
    found += [same(jax.jit(lambda a: a + a)(np.ones(shape, np.float32)), np.full(shape, 2, np.float32)) for shape in shapes]
    found.append(same(jax.device_put(np.zeros((0, 4), np.float32), grid()), np.zeros((0, 4), np.float32)))
    return found + [same(jax.device_put(np.zeros((4, 0), np.float32), rows()), np.zeros((4, 0), np.float32))]


@step
def small_element_types():
    names = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz"]
    names += ["int4", "uint4"] if VERSION >= (0, 5) else []
    names += ["float8_e3m4", "float8_e4m3", "float8_e8m0fnu"] if VERSION >= (0, 6) else []
    names += ["int2", "uint2", "float4_e2m1fn"] if VERSION >= (0, 8) else []
    found = {}
    for name in names:
        kind = getattr(ml_dtypes, name)
        for values in (np.array([1, 0, 1, 1, 0], kind), np.ones((3, 3), kind).T, np.array(1, kind)):
            try:
                there = jax.device_put(values)
                if values.ndim != 1:
                    found[f"{name} {values.shape}"] = same(there, values)
                    continue
                computed, back = jax.jit(lambda a: (a.astype(jnp.float32) + 1, a[::-1][::-1]))(there)
                found[f"{name} {values.shape}"] = [same(there, values), np.asarray(computed), same(back, values)]
            except (TypeError, jax.errors.JaxRuntimeError if hasattr(jax.errors, "JaxRuntimeError") else RuntimeError) as error:
                found[f"{name} {values.shape}"] = f"refused: {type(error).__name__}"
    return found


@step
def exported():
    try:
        from jax import export
    except ImportError as error:
        raise NotHere from error

    platform = FIRST.client.platform
    function = jax.jit(lambda a, b: (jnp.sin(a) @ b, a.sum()))
    kinds = jax.ShapeDtypeStruct((8, 4), np.float32), jax.ShapeDtypeStruct((4, 2), np.float32)
    again = export.deserialize(export.export(function, platforms=[platform])(*kinds).serialize())
    found = [jax.jit(again.call)(WANTED, WANTED[:4, :2])]
    assert np.allclose(found[0][0], np.sin(WANTED) @ WANTED[:4, :2], atol=1e-4)
    gradient = export.export(jax.jit(lambda a: (a * a).sum()), platforms=[platform])(kinds[0]).serialize(vjp_order=1)
    found.append(jax.grad(export.deserialize(gradient).call)(WANTED))
    same(found[-1], WANTED * 2)
    size = export.symbolic_shape("n, 4")
    many = export.export(jax.jit(lambda a: a.sum(0)), platforms=[platform])(jax.ShapeDtypeStruct(size, np.float32))
    found += [export.deserialize(many.serialize()).call(WANTED[:rows]) for rows in (1, 3, 8)]
    sharded = export.export(jax.jit(lambda a: a * 2, in_shardings=rows()), platforms=[platform])(kinds[0])
    again = export.deserialize(sharded.serialize())
    assert again.nr_devices == 4
    found.append(jax.jit(again.call, in_shardings=rows())(jax.device_put(WANTED, rows())))
    same(found[-1], WANTED * 2)
    return found


@step
def compiled_ahead():
    lowered = jax.jit(lambda a: jnp.sin(a) * 2).lower(jax.ShapeDtypeStruct((8, 4), np.float32))
    options = [None, {"xla_cpu_enable_fast_math": False}, {"xla_backend_optimization_level": 0}]
    found = [lowered.compile(compiler_options=given)(WANTED) for given in options]
    assert np.array_equal(found[0], found[1])
    try:
        lowered.compile(compiler_options={"xla_no_such_option": True})
    except Exception as error:
        found.append(f"refused {type(error).__name__}")
    else:
        raise AssertionError("an option that nobody knows")
    layouts = jax.jit(lambda a: a.T).lower(WANTED).compile()
    try:
        kinds = layouts.input_formats if hasattr(layouts, "input_formats") else layouts.input_layouts
        found.append(str(len(jax.tree_util.tree_leaves(kinds))))
    except AttributeError:
        found.append("1")
    sharded = jax.jit(lambda a, b: a @ b, in_shardings=(rows(), None), out_shardings=grid("x", None))
    try:
        compiled = sharded.lower(WANTED, WANTED[:4]).compile()
    except ValueError:  # Two meshes of the same devices in different orders.
        compiled = jax.jit(lambda a, b: a @ b, in_shardings=(grid("x"), grid()), out_shardings=grid(None, "y")).lower(WANTED, WANTED[:4]).compile()
    result = compiled(*jax.device_put((WANTED, WANTED[:4]), compiled.input_shardings[0]))
    return found + [result, [list(sharding.devices_indices_map(result.shape).values()) for sharding in [result.sharding]]]


@step
def assigned_devices():
    turned = [jax.jit(lambda a: a * 2 + 1)(jax.device_put(WANTED, rows(order))) for order in ((0, 1, 2, 3), (3, 1, 0, 2))]
    half = NamedSharding(mesh((2, 3), (2,)), PartitionSpec("x"))
    turned.append(jax.jit(lambda a: a.sum(0))(jax.device_put(WANTED, half)))
    turned += [jax.jit(lambda a: a - 1)(jax.device_put(WANTED, device)) for device in jax.devices()]
    for array, device in zip(turned[3:], jax.devices()):
        assert array.devices() == {device}, array.devices()
    replicas = jax.pmap(lambda a, b: jax.lax.psum(a * b, "i"), axis_name="i", in_axes=(0, None))(WANTED[:4], 2.0)
    some = jax.pmap(lambda a: a + 1, devices=jax.devices()[1:3])(WANTED[:2])
    backend = FIRST.client
    default = backend.get_default_layout(np.dtype(np.float32), (3, 4), FIRST) if hasattr(backend, "get_default_layout") else ""
    return turned, replicas, some, [shards(array) for array in turned[:3]], default and "layout"


@step
def deleted_arrays():
    found = []
    array = jax.device_put(WANTED)
    other = array
    array.delete()
    array.delete()
    assert other.is_deleted()
    uses = (lambda: np.asarray(array), lambda: array + 1, lambda: jax.device_put(array, OTHERS[0]), lambda: array.block_until_ready())
    for use in uses:
        try:
            use()
        except RuntimeError as error:
            assert "delete" in str(error).lower(), error
            found.append(type(error).__name__)
        else:
            raise AssertionError("a deleted array was used")
    spread = jax.device_put(WANTED, rows())
    part = spread.addressable_shards[1].data
    kept = np.asarray(part)
    spread.delete()
    assert spread.is_deleted()
    for _ in range(50):  # Many that nobody keeps.
        jax.device_put(WANTED, rows())
    return found, same(kept, WANTED[2:4]), same(jax.device_put(WANTED, rows()), WANTED)


@step
def between_shardings():
    kinds = [FIRST, OTHERS[1], rows((3, 1, 0, 2)), grid(), grid("y", "x"), grid(None, ("y", "x")), grid("y")]
    found = []
    for one in kinds:
        there = jax.device_put(WANTED, one)
        found.append(shards(there))
        for other in kinds:
            moved = jax.device_put(there, other)
            same(moved, WANTED)
            found.append(shards(moved))
    inside = jax.jit(lambda a: jax.lax.with_sharding_constraint(a + 1, grid("y", "x")), out_shardings=grid("x"))
    found.append(shards(inside(jax.device_put(WANTED, grid("x", "y")))))
    try:
        copy = jax.device_put(there, grid("x"), may_alias=False)
        given = jax.device_put(copy, grid("y"), donate=True)
        found.append(same(given, WANTED))
    except TypeError:
        pass
    return found if VERSION >= (0, 6) else []


@step
def early_copies():
    arrays = [jax.jit(lambda a, i=i: a * i)(jax.device_put(WANTED, where)) for i, where in enumerate((FIRST, rows(), grid(), grid("x", "y")))]
    for array in arrays:
        array.copy_to_host_async()
        array.copy_to_host_async()
    return [same(array, WANTED * i) for i, array in enumerate(arrays)]


@step
def given_away():
    found = []
    keep, give = jax.device_put(WANTED), jax.device_put(WANTED)
    result = jax.jit(lambda a, b: (a + b, a * b), donate_argnums=1)(keep, give)
    assert give.is_deleted() and not keep.is_deleted()
    found += [same(result[0], WANTED * 2), same(keep, WANTED)]
    # What is given away and of no use to the program is given away all the same, or stays: as the plug-in says.
    give = jax.device_put(WANTED)
    result = jax.jit(lambda a: a.astype(jnp.int8).sum(), donate_argnums=0)(give)
    found += [result, give.is_deleted()]
    twice = jax.device_put(WANTED)
    try:
        jax.jit(lambda a, b: a + b, donate_argnums=(0, 1))(twice, twice)
        found.append("took it twice")
    except Exception as error:
        found.append(f"refused {type(error).__name__}")
    try:
        jax.jit(lambda a, b: (a + b, b), donate_argnums=0)(one := jax.device_put(WANTED), one)
        found.append("took what it reads")
    except Exception as error:
        found.append(f"refused {type(error).__name__}")
    spread = jax.device_put(WANTED, rows())
    for _ in range(20):
        spread = jax.jit(lambda a: a + 1, donate_argnums=0)(spread)
    found.append(same(spread, WANTED + 20))
    names = jax.jit(lambda a, b: a + b, donate_argnames="b")(keep, b=(give := jax.device_put(WANTED)))
    return found + [same(names, WANTED * 2), give.is_deleted(), same(keep, WANTED)]


@step
def bits_as_another_type():
    cast = jax.lax.bitcast_convert_type
    found = [jax.jit(lambda a: cast(a, kind))(WANTED) for kind in (np.int32, np.uint16, np.int8)]
    return found + [same(cast(found[0], np.float32), WANTED), WANTED.view(np.int32)]


@step
def unreduced():
    if VERSION < (0, 9, 0):
        raise NotHere
    explicit = jax.make_mesh((4,), ("x",), (jax.sharding.AxisType.Explicit,))
    with jax.set_mesh(explicit):
        a = jax.device_put(WANTED, PartitionSpec(None, "x"))
        b = jax.device_put(np.ascontiguousarray(WANTED.T), PartitionSpec("x", None))
        sums = jax.jit(lambda a, b: jnp.einsum("ij,jk->ik", a, b, out_sharding=PartitionSpec(unreduced={"x"})))(a, b)
        # Parts of a sum on each device: a program adds them up.
        whole = jax.jit(lambda sums: jax.sharding.reshard(sums + sums, PartitionSpec()))(sums)
        assert sums.sharding.spec.unreduced == {"x"}
        return [same(whole, WANTED @ WANTED.T * 2)]


def column(order, where):
    """A layout by the names of each release: what is a `Layout` now, in a `Format`, was a `DeviceLocalLayout` in a `Layout`."""
    from jax.experimental import layout

    if not hasattr(layout, "DeviceLocalLayout"):
        return layout.Format(layout.Layout(order), where)
    return getattr(layout, "Format", layout.Layout)(layout.DeviceLocalLayout(order), where)


@step
def layouts_on_the_device():
    wanted = np.arange(24 << 10, dtype=np.float32).reshape(2, 3, 4 << 10)
    found = []
    for where in (jax.sharding.SingleDeviceSharding(FIRST), NamedSharding(mesh((0, 1), (2,)), PartitionSpec("x"))):
        turned = column((2, 0, 1), where)
        there = jax.device_put(wanted, turned)
        found.append(same(there, wanted))
        # Programs of which none, the argument or the result is told how it lies.
        for given in (there, wanted):
            for how in ({}, {"in_shardings": turned}, {"out_shardings": turned}):
                found.append(same(jax.jit(lambda a: a * 2, **how)(given), wanted * 2))
        found.append(same(jax.device_put(there, OTHERS[0]), wanted))
        found.append(same(jax.device_put(there, column((1, 0, 2), where)), wanted))
    return found


@step
def texts():
    if VERSION < (0, 5, 1) or not hasattr(np.dtypes, "StringDType"):
        raise NotHere
    words = np.array([["a", "b\u00e9", "\0x"], ["", "x" * 40, "\u20ac"]], np.dtypes.StringDType())
    halves = NamedSharding(mesh((0, 1), (2,)), PartitionSpec("x"))
    both = NamedSharding(mesh((0, 1), (2,)), PartitionSpec())
    found = [np.asarray(jax.device_put(view, FIRST)).tolist() for view in (words, words.T, words[::-1, ::2], np.array("q", words.dtype))]
    one, cut = jax.device_put(words, FIRST), jax.device_put(words, halves)
    parts = [jax.device_put(words[at : at + 1], jax.devices()[at]) for at in range(2)]
    arrays = [cut, jax.make_array_from_single_device_arrays(words.shape, halves, parts), jax.device_put(one, OTHERS[0])]
    arrays.append(jax.make_array_from_callback(words.shape, halves, lambda index: words[index]))
    arrays.append(jax.make_array_from_single_device_arrays(words.shape, both, [one, jax.device_put(words, OTHERS[0])]))
    arrays.append(jax.device_put(cut, FIRST))
    for array in arrays:
        array.copy_to_host_async()
        assert np.array_equal(np.asarray(jax.block_until_ready(array)), words), array
        found.append([(shard.device.id, np.asarray(shard.data).tolist()) for shard in array.addressable_shards])
    part = cut.addressable_shards[1].data
    cut.delete()
    found += [cut.is_deleted(), part.is_deleted(), one.is_deleted(), np.asarray(one).tolist()]
    # What no release can do, and what none can since 0.6 or so.
    refusals = [lambda: jax.jit(lambda a: a)(one), lambda: jax.device_put(words[:0], FIRST), lambda: jax.device_put(words)]
    refusals += [lambda: np.asarray(cut), lambda: jax.block_until_ready(jax.device_put(words, both))]
    for refusal in refusals:
        try:
            found.append(np.asarray(refusal()).tolist())
        except Exception as error:
            found.append(type(error).__name__)
    return found


@step
def random_keys():
    keys = jax.random.split(jax.random.key(7), 4)
    spread = jax.device_put(keys, rows())
    return [jax.random.key_data(spread), jax.random.normal(keys[0], (3,)), jax.vmap(lambda k: jax.random.bits(k, (2,)))(spread)]


def main():
    wanted = sys.argv[2:]
    for function in STEPS:
        if wanted and function.__name__ not in wanted:
            continue
        begun = time.monotonic()
        try:
            found = json.dumps(told(function()))
            if wanted:
                print(found[:4000])
            outcome = {"ok": True, "detail": hashlib.sha256(found.encode()).hexdigest()}
        except NotHere as why:
            outcome = {"ok": True, "detail": f"jax {jax.__version__} has no words for it: {why.__cause__}"}
        except Exception as error:
            outcome = {"ok": False, "detail": f"{type(error).__name__}: {str(error)[:500]}"}
        seconds = round(time.monotonic() - begun, 3)
        print(json.dumps({"step": function.__name__, **outcome, "seconds": seconds}), flush=True)


main()
