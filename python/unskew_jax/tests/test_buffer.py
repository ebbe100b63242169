"""Elements of less than a byte, as XLA has them in memory: without a plug-in."""

import unittest

import numpy as np

from unskew_jax import abi, buffer


def ffi(memory, data_type, shape):
    dimensions = (abi.c_int64 * len(shape))(*shape)
    at = memory.ctypes.data_as(abi.c_void_p)
    return abi.FfiBuffer(abi.ctypes.sizeof(abi.FfiBuffer), None, data_type, at, len(shape), dimensions)


class Packed(unittest.TestCase):
    def test_the_first_element_is_in_the_lowest_bits(self):
        self.assertEqual(buffer.pack(np.array([1, 2, 3], np.uint8), 4).tolist(), [0x21, 0x03])
        self.assertEqual(buffer.pack(np.array([1, 2, 3, 0, 1], np.uint8), 2).tolist(), [0b00111001, 1])
        self.assertEqual(buffer.unpack(np.array([0x21, 0x03], np.uint8), 4, 3).tolist(), [1, 2, 3])

    def test_every_length_comes_back(self):
        for bits in (1, 2, 4):
            for count in range(20):
                elements = np.arange(count, dtype=np.uint8) % (1 << bits)
                packed = buffer.pack(elements, bits)
                self.assertEqual(packed.size, -(-count * bits // 8))
                np.testing.assert_array_equal(buffer.unpack(packed, bits, count), elements)

    def test_the_sign_of_an_element_is_not_its_neighbour(self):
        self.assertEqual(buffer.pack(np.array([-1, 0], np.int8).view(np.uint8), 4).tolist(), [0x0F])


class Buffers(unittest.TestCase):
    def test_nothing_behind_a_packed_buffer_is_read_or_written(self):
        memory = np.array([0x21, 0x43, 0xEE, 0xEE], np.uint8)
        one = ffi(memory, 21, (4,))
        np.testing.assert_array_equal(buffer.read(one, (4,), np.dtype(np.int8)), [1, 2, 3, 4])
        buffer.write(one, np.array([5, 6, 7, -1], np.int8), (4,), np.dtype(np.int8))
        self.assertEqual(memory.tolist(), [0x65, 0xF7, 0xEE, 0xEE])

    def test_a_buffer_of_another_shape_is_refused(self):
        one = ffi(np.zeros(4, np.float32), 11, (4,))
        with self.assertRaisesRegex(buffer.Mismatch, r"\(4,\).*\(8,\)"):
            buffer.read(one, (8,), np.dtype(np.float32))

    def test_a_buffer_of_another_width_is_refused(self):
        one = ffi(np.zeros(4, np.float32), 11, (4,))
        with self.assertRaisesRegex(buffer.Mismatch, "float64"):
            buffer.read(one, (4,), np.dtype(np.float64))

    def test_an_element_type_that_is_not_known_is_refused(self):
        with self.assertRaises(buffer.Mismatch):
            buffer.read(ffi(np.zeros(4, np.uint8), 77, (4,)), (4,), np.dtype(np.uint8))


if __name__ == "__main__":
    unittest.main()
