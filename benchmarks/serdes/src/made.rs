//! Making the records; the same on every machine.

use crate::{Axis, DTYPES, Spec};

/// A small generator of numbers (an LCG with the constants of Knuth's MMIX).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }

    fn choose<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// `count` descriptions of arrays.
pub fn records(count: usize) -> Vec<Spec> {
    let mut numbers = Numbers(2026);
    (0..count).map(|_| record(&mut numbers)).collect()
}

fn record(numbers: &mut Numbers) -> Spec {
    let layer = numbers.below(96);
    let part = numbers.choose(&["attention/query", "attention/key", "mlp/up", "mlp/down", "norm"]);
    let leaf = numbers.choose(&["kernel", "bias", "scale"]);
    let devices = 1_u64 << numbers.below(7);
    let first = numbers.below(2) * 64;
    let names = ["data", "model", "pipeline"];
    let axes = 1 + numbers.below(3) as usize;
    Spec {
        name: format!("layers_{layer}/{part}/{leaf}"),
        dtype: DTYPES[numbers.below(18) as usize],
        shape: (0..1 + numbers.below(4)).map(|_| 1 << numbers.below(14)).collect(),
        devices: (first..first + devices).map(|id| id as u32).collect(),
        axes: names[..axes]
            .iter()
            .map(|name| Axis { name: (*name).into(), size: 1 << numbers.below(6) })
            .collect(),
        layout: (numbers.below(10) < 3)
            .then(|| (0..16 + numbers.below(48)).map(|_| numbers.below(256) as u8).collect()),
    }
}
