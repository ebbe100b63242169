//! TorchScript programs that ask for more than they may have.

use super::splice::put;
use unskew_random::Random;

/// Expressions, each of which makes much of little.
const EXPRESSIONS: [&str; 44] = [
    "torch.ones([1073741824, 1073741824])",
    "torch.zeros([1000000000, 1000])",
    "torch.full([100000000000], 3)",
    "torch.arange(1000000000000)",
    "torch.eye(1000000)",
    "torch.linspace(0., 1., 100000000000)",
    "torch.bmm(torch.zeros([1, 100000, 1]), torch.zeros([1, 1, 100000]))",
    "torch.mm(torch.zeros([3000, 3000]), torch.zeros([3000, 3000]))",
    "torch.mul(torch.zeros([100000, 1]), torch.zeros([1, 100000]))",
    "torch.outer(torch.zeros([100000]), torch.zeros([100000]))",
    "torch.mul([1], 100000000000)",
    "torch.mul([torch.zeros([10])], 3000000)",
    "torch.cat(torch.mul([torch.zeros([1000000])], 100000))",
    "torch.stack(torch.mul([torch.zeros([100000])], 100000), 0)",
    "torch.expand(torch.zeros([1]), [100000000000])",
    "torch.add(torch.expand(torch.zeros([1]), [100000000]), 1)",
    "torch.repeat(torch.zeros([10]), [1000000, 1000000])",
    "torch.one_hot(torch.ones([1], dtype=4), 1000000000000)",
    "torch.one_hot(torch.ones([1000], dtype=4), 1000000)",
    "torch.conv2d(torch.zeros([1, 1, 3, 3]), torch.zeros([1, 1, 3, 3]), None, [1, 1], [1000000, 1000000], [1, 1], 1)",
    "torch.conv_transpose2d(torch.zeros([1, 1, 9, 9]), torch.zeros([1, 1, 3, 3]), None, [100000, 100000])",
    "torch.upsample_nearest2d(torch.zeros([1, 1, 2, 2]), [1000000, 1000000], None)",
    "torch.upsample_bilinear2d(torch.zeros([1, 1, 2, 2]), [30000, 30000], False, None)",
    "torch.constant_pad_nd(torch.zeros([1]), [1000000000000, 1], 0)",
    "torch.constant_pad_nd(torch.zeros([1]), [9223372036854775807, 9223372036854775807], 0)",
    "torch.reflection_pad1d(torch.zeros([1, 1, 3]), [-9223372036854775808, 2])",
    "torch.index(torch.zeros([3]), [torch.zeros([30000000], dtype=4)])",
    "torch.index(torch.zeros([1, 1]), [torch.zeros([5000, 1], dtype=4), torch.zeros([1, 5000], dtype=4)])",
    "torch.gather(torch.zeros([1, 1]), 1, torch.zeros([1, 30000000], dtype=4))",
    "torch.embedding(torch.zeros([1, 30000]), torch.zeros([3000], dtype=4))",
    "torch.adaptive_avg_pool2d(torch.zeros([1, 1, 2, 2]), [30000, 30000])",
    "torch.as_strided(torch.zeros([2]), [1000000000000], [0], 0)",
    "torch.select(torch.zeros([2]), 0, 9223372036854775807)",
    "torch.slice(torch.zeros([2]), 0, -9223372036854775808, 9223372036854775807, 1)",
    "torch.chunk(torch.zeros([4]), 9223372036854775807, 0)",
    "torch.floordiv(-9223372036854775808, -1)",
    "torch.remainder(1, 0)",
    "torch.__lshift__(1, 100)",
    "torch.pow(10, 100000)",
    "torch.linalg_qr(torch.zeros([100000, 1]), \"complete\")",
    "torch.svd(torch.zeros([20000, 1]), False, True)",
    "torch.replace(torch.mul(\"ab\", 1), \"\", \"aaaaaaaaaaaaaaaa\", -1)",
    "torch.tolist(torch.zeros([3000000]))",
    "torch.unfold(torch.zeros([4]), 0, 0, 0)",
];

/// Loops, each of which doubles something.
const GROWING: [&str; 5] = [
    "torch.add(grown, grown)",
    "[grown, grown]",
    "(grown, grown)",
    "torch.cat([grown, grown], 0)",
    "torch.stack([grown, grown], 0)",
];

const BEGUN: [&str; 4] = ["[1]", "\"aaaaaaaa\"", "x", "torch.zeros([1000])"];

pub fn mutated(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let code = match random.below(4) {
        0 | 1 => format!("    made = {}\n", random.choose(&EXPRESSIONS)),
        2 => {
            let (grown, begun) = (random.choose(&GROWING), random.choose(&BEGUN));
            let mut code = format!("    grown = {begun}\n");
            code.push_str(&format!("    grown = {grown}\n").repeat(1 + random.below(80)));
            code.push_str("    return grown\n");
            code
        }
        _ => {
            let (grown, begun) = (random.choose(&GROWING), random.choose(&BEGUN));
            format!("    grown = {begun}\n    for i in range(1000000000):\n      grown = {grown}\n")
        }
    };
    // Behind the head of a function: where its first statement begins.
    let heads: Vec<usize> =
        memchr::memmem::find_iter(&bytes, b":\n    ").map(|at| at + 2).collect();
    if let Some(at) = heads.get(random.below(heads.len())).copied() {
        put(&mut bytes, at..at, code.as_bytes());
    }
    bytes
}
