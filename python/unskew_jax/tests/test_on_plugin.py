"""On the plug-in that PJRT_NAMES_AND_LIBRARY_PATHS names `vcpu`, with JAX_PLATFORMS=vcpu,cpu."""

import gc
import importlib
import os
import unittest
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

import unskew_jax
from unskew_jax import callback, handlers, plugin

# The package has a function of that name.
register_module = importlib.import_module("unskew_jax.register")


def setUpModule():
    unskew_jax.register()


class Register(unittest.TestCase):
    def test_without_a_name_finds_the_plugin_that_jax_loaded(self):
        (found,) = unskew_jax.register()
        self.assertEqual(found.path, os.path.realpath(plugin.named("vcpu")))
        self.assertIn("lapack_sgetrf_ffi", found.names)
        self.assertIn(callback.TARGET, found.names)

    def test_by_name_and_by_path_is_the_same(self):
        self.assertEqual(unskew_jax.register("vcpu"), unskew_jax.register())
        self.assertEqual(unskew_jax.register(plugin.named("vcpu")), unskew_jax.register())

    def test_a_platform_that_jax_was_not_told_of_is_an_error(self):
        with self.assertRaisesRegex(unskew_jax.NoPlugin, "names no such platform.*: nonesuch"):
            unskew_jax.register("nonesuch")

    def test_a_library_that_is_not_loaded_is_an_error(self):
        with self.assertRaisesRegex(unskew_jax.NoPlugin, "no PJRT plug-in: /nonesuch.so"):
            unskew_jax.register("/nonesuch.so")

    def test_what_a_plugin_refuses_is_an_error_with_its_words(self):
        one = plugin.Plugin(*next(iter(plugin.loaded().items())))
        with self.assertRaisesRegex(unskew_jax.Refused, "null"):
            one.register("nothing", None)

    def test_a_plugin_that_is_reached_twice_takes_the_handlers_twice(self):
        (found,) = unskew_jax.register()
        again = register_module._give(plugin.Plugin(found.path, plugin.table(found.path)), handlers.of_jaxlib())
        self.assertEqual(again, found)

    def test_handlers_that_need_jaxlibs_own_backend_are_not_handed_over(self):
        self.assertFalse(handlers.BOUND_TO_JAXLIB & set(handlers.of_jaxlib()))


class LinearAlgebra(unittest.TestCase):
    def setUp(self):
        random = np.random.RandomState(3)
        self.matrix = random.rand(5, 5).astype(np.float32) + 5 * np.eye(5, dtype=np.float32)
        self.symmetric = self.matrix + self.matrix.T

    def test_runs_on_the_plugin(self):
        found = jnp.linalg.solve(self.matrix, np.ones(5, np.float32))
        self.assertIsNot(list(found.devices())[0].client, jax.devices("cpu")[0].client)

    def test_solve(self):
        found = jnp.linalg.solve(self.matrix, np.ones(5, np.float32))
        np.testing.assert_allclose(self.matrix @ found, np.ones(5), atol=1e-5)

    def test_cholesky(self):
        positive = self.matrix @ self.matrix.T
        found = np.asarray(jnp.linalg.cholesky(positive))
        np.testing.assert_allclose(found @ found.T, positive, rtol=1e-4)

    def test_eigenvalues(self):
        found = np.asarray(jnp.linalg.eigvalsh(self.symmetric))
        np.testing.assert_allclose(found, np.linalg.eigvalsh(self.symmetric), rtol=1e-4)

    def test_singular_values(self):
        found = np.asarray(jnp.linalg.svd(self.matrix, compute_uv=False))
        np.testing.assert_allclose(found, np.linalg.svd(self.matrix, compute_uv=False), rtol=1e-4)

    def test_qr(self):
        q, r = jnp.linalg.qr(self.matrix)
        np.testing.assert_allclose(np.asarray(q @ r), self.matrix, atol=1e-4)

    def test_a_batch(self):
        batch = np.stack([self.matrix, 2 * self.matrix])
        found = np.asarray(jax.vmap(jnp.linalg.inv)(batch))
        np.testing.assert_allclose(found, np.linalg.inv(batch), atol=1e-5)


class Callbacks(unittest.TestCase):
    def test_several_operands_results_and_types(self):
        def host(a, b):
            return np.asarray(a).T.astype(np.float32) * b, np.asarray(a).sum(dtype=np.int32)

        shapes = jax.ShapeDtypeStruct((3, 2), np.float32), jax.ShapeDtypeStruct((), np.int32)
        call = jax.jit(lambda a, b: jax.pure_callback(host, shapes, a, b))
        a = np.arange(6, dtype=np.int8).reshape(2, 3)
        first, second = call(a, np.float32(0.5))
        np.testing.assert_array_equal(np.asarray(first), a.T * 0.5)
        self.assertEqual(int(second), 15)

    def test_bfloat16_and_an_empty_array(self):
        def host(a, empty):
            assert empty.shape == (0, 4)
            return np.asarray(a) + np.asarray(1, a.dtype)

        shape = jax.ShapeDtypeStruct((2,), jnp.bfloat16)
        call = jax.jit(lambda a, b: jax.pure_callback(host, shape, a, b))
        found = call(jnp.array([1, 2], jnp.bfloat16), jnp.zeros((0, 4)))
        np.testing.assert_array_equal(np.asarray(found, np.float32), [2, 3])

    def test_types_of_less_than_a_byte(self):
        for name in ("int4", "uint4", "int2", "uint2", "float4_e2m1fn"):
            dtype = jnp.dtype(name)
            for shape in ((8,), (7,), (3, 3), (1,), ()):
                with self.subTest(dtype=name, shape=shape):
                    data = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
                    seen = []

                    def host(a):
                        seen.append(np.asarray(a))
                        return a

                    call = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x))
                    found = np.asarray(call(data))
                    self.assertEqual(seen[0].astype(np.float32).tolist(), data.astype(np.float32).tolist())
                    self.assertEqual(found.astype(np.float32).tolist(), data.astype(np.float32).tolist())

    def test_two_programs_call_their_own_functions(self):
        def program(factor):
            shape = jax.ShapeDtypeStruct((), np.float32)
            return jax.jit(lambda x: jax.pure_callback(lambda y: np.float32(y * factor), shape, x))

        double, triple = program(2), program(3)
        self.assertEqual((float(double(2.0)), float(triple(2.0)), float(double(3.0))), (4.0, 6.0, 6.0))

    def test_in_a_loop(self):
        shape = jax.ShapeDtypeStruct((), np.float32)

        def body(_, x):
            return jax.pure_callback(lambda y: np.float32(y + 1), shape, x)

        self.assertEqual(float(jax.jit(lambda x: jax.lax.fori_loop(0, 5, body, x))(0.0)), 5.0)

    def test_effects_keep_their_order(self):
        seen = []

        @jax.jit
        def program(x):
            for i in range(4):
                jax.debug.callback(lambda y, i=i: seen.append((i, float(y))), x + i, ordered=True)
            return x

        program(1.0)
        jax.effects_barrier()
        self.assertEqual(seen, [(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)])

    def test_io_callback(self):
        from jax.experimental import io_callback

        state = {"n": 0}

        def count(step):
            state["n"] += int(step)
            return np.int32(state["n"])

        program = jax.jit(lambda: io_callback(count, jax.ShapeDtypeStruct((), np.int32), 2, ordered=True))
        self.assertEqual([int(program()), int(program())], [2, 4])

    def test_an_exception_becomes_an_error_with_its_text(self):
        def host(_):
            raise KeyError("no such thing")

        call = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((), np.float32), x))
        with self.assertRaisesRegex(Exception, "no such thing"):
            call(1.0).block_until_ready()

    def test_a_wrong_shape_is_an_error(self):
        shape = jax.ShapeDtypeStruct((3,), np.float32)
        call = jax.jit(lambda x: jax.pure_callback(lambda _: np.zeros(2, np.float32), shape, x))
        with self.assertRaisesRegex(Exception, "shape"):
            call(1.0).block_until_ready()

    def test_a_callback_lives_as_long_as_its_program(self):
        def run():
            shape = jax.ShapeDtypeStruct((), np.float32)
            program = jax.jit(lambda x: jax.pure_callback(lambda y: np.float32(y), shape, x))
            self.assertEqual(float(program(7.0)), 7.0)
            gc.collect()
            self.assertEqual(float(program(8.0)), 8.0)
            return program

        program = run()
        gc.collect()
        alive = len(callback._callbacks)
        self.assertEqual(float(program(9.0)), 9.0)
        with mock.patch.object(callback, "LINGER", 0):
            del program
            jax.clear_caches()
            gc.collect()
        self.assertLess(len(callback._callbacks), alive)

    def test_a_callback_stays_for_a_run_that_is_still_under_way_when_its_program_goes(self):
        shape = jax.ShapeDtypeStruct((), np.float32)
        self.assertEqual(float(jax.jit(lambda x: jax.pure_callback(lambda y: np.float32(y), shape, x))(7.0)), 7.0)
        alive = len(callback._callbacks)
        jax.clear_caches()
        gc.collect()
        self.assertEqual(len(callback._callbacks), alive)

    def test_the_backend_of_jax_itself_is_left_alone(self):
        own = jax.devices("cpu")[0]
        call = jax.jit(lambda x: jax.pure_callback(lambda y: y * 2, jax.ShapeDtypeStruct((2,), np.float32), x))
        text = call.lower(jax.device_put(np.ones(2, np.float32), own)).as_text()
        self.assertNotIn(callback.TARGET, text)
        found = call(jax.device_put(np.ones(2, np.float32), own))
        np.testing.assert_array_equal(np.asarray(found), [2, 2])


if __name__ == "__main__":
    unittest.main()
