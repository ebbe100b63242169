"""Callbacks in programs of several devices, on the plug-in that PJRT_NAMES_AND_LIBRARY_PATHS names `vcpu`.

XLA_FLAGS=--xla_force_host_platform_device_count=4 makes the plug-in have four.
"""

import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import unskew_jax

DATA = np.arange(8, dtype=np.float32)


def setUpModule():
    unskew_jax.register()


class Sharded(unittest.TestCase):
    def setUp(self):
        self.assertEqual(len(jax.devices()), 4, __doc__)
        self.mesh = Mesh(np.array(jax.devices()), ("a",))
        self.data = jax.device_put(DATA, NamedSharding(self.mesh, PartitionSpec("a")))
        self.seen = []

    def see(self, array):
        self.seen.append(np.asarray(array).copy())

    def test_an_effect_happens_once_with_the_whole_array(self):
        def debug(x):
            jax.debug.callback(self.see, x)
            return x + 1

        def io(x):
            io_callback(self.see, None, x)
            return x + 1

        for program in (debug, io):
            self.seen.clear()
            found = jax.jit(program)(self.data)
            jax.effects_barrier()
            np.testing.assert_array_equal(np.asarray(found), DATA + 1)
            np.testing.assert_array_equal(self.seen, [DATA])

    def test_an_effect_without_an_operand(self):
        def program(x):
            io_callback(lambda: self.see(7), None)
            return x

        jax.block_until_ready(jax.jit(program)(self.data))
        jax.effects_barrier()
        self.assertEqual([int(one) for one in self.seen], [7])

    def test_results_come_back_whole(self):
        def double(x):
            self.see(x)
            return np.asarray(x) * 2

        shape = jax.ShapeDtypeStruct(DATA.shape, DATA.dtype)
        for program in (lambda x: io_callback(double, shape, x), lambda x: jax.pure_callback(double, shape, x)):
            self.seen.clear()
            np.testing.assert_array_equal(np.asarray(jax.jit(program)(self.data)), DATA * 2)
            np.testing.assert_array_equal(self.seen, [DATA])

    def test_effects_in_a_loop(self):
        def body(_, x):
            io_callback(self.see, None, x)
            return x + 1

        jax.block_until_ready(jax.jit(lambda x: jax.lax.fori_loop(0, 3, body, x))(self.data))
        jax.effects_barrier()
        np.testing.assert_array_equal(self.seen, [DATA, DATA + 1, DATA + 2])

    def test_each_device_of_a_pmap_calls_for_itself(self):
        def program(x):
            jax.debug.callback(self.see, x)
            y = jax.lax.fori_loop(0, 3, lambda _, y: jax.pure_callback(lambda z: z + np.float32(1), y, y), x)
            return y, jax.pure_callback(lambda a: np.asarray(a) * 2, x, x)

        looped, doubled = jax.pmap(program)(DATA[:4])
        jax.effects_barrier()
        np.testing.assert_array_equal(np.asarray(looped), DATA[:4] + 3)
        np.testing.assert_array_equal(np.asarray(doubled), DATA[:4] * 2)
        self.assertEqual(sorted(float(one) for one in self.seen), [0, 1, 2, 3])

    def test_small_types_keep_their_values_in_a_partitioned_program(self):
        data = jax.device_put(np.arange(8).astype(jnp.int4), NamedSharding(self.mesh, PartitionSpec("a")))
        found = jax.jit(lambda x: jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct(x.shape, x.dtype), x))(data)
        self.assertEqual(np.asarray(found).astype(int).tolist(), np.asarray(data).astype(int).tolist())


if __name__ == "__main__":
    unittest.main()
