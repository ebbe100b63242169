//! A TorchScript archive of 209 records: 205 square weights, the code that multiplies with each, and
//! the pickles that say which weight is where.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::sparse::{Weights, checksum};
use crate::zip_file::ZipFile;

const LAYERS: usize = 205;

/// Writes the archive; it has `4 * 205 * side^2` bytes and a little more.
pub fn write(path: &Path, side: usize, weights: Weights) -> io::Result<()> {
    let len = 4 * side * side;
    // It stands before the weights in the archive.
    let crc = checksum(weights, len);
    let mut zip = ZipFile::create(path, weights)?;
    zip.record("net/data.pkl", &data(side))?;
    zip.record("net/code/__torch__.py", code().as_bytes())?;
    for layer in 0..LAYERS {
        zip.weights(&format!("net/data/{layer}"), crc, len)?;
    }
    zip.record("net/constants.pkl", b"\x80\x02).")?;
    zip.record("net/version", b"3\n")?;
    zip.finish()
}

/// The class of the module, in TorchScript.
fn code() -> String {
    let names: String = (0..LAYERS).map(|layer| format!("\"w{layer}\", ")).collect();
    let mut code = format!("class Net(Module):\n  __parameters__ = [{names}]\n");
    code.push_str("  __buffers__ = []\n  training : bool\n");
    for layer in 0..LAYERS {
        let _ = writeln!(code, "  w{layer} : Tensor");
    }
    code.push_str("  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n");
    let mut last = "x".to_owned();
    for layer in 0..LAYERS {
        let _ = writeln!(code, "    w{layer} = self.w{layer}");
        let _ = writeln!(code, "    m{layer} = torch.matmul({last}, w{layer})");
        let _ = writeln!(code, "    x{layer} = torch.add(m{layer}, {last}, alpha=1)");
        let _ = writeln!(code, "    r{layer} = torch.relu(x{layer})");
        last = format!("r{layer}");
    }
    let _ = writeln!(code, "    return torch.softmax({last}, -1)");
    code
}

/// The pickle of the module: a `__torch__.Net` whose state is a dict of tensors.
fn data(side: usize) -> Vec<u8> {
    let side = i32::try_from(side).unwrap_or(i32::MAX).to_le_bytes();
    let mut pickle = b"\x80\x02c__torch__\nNet\n)\x81}(".to_vec();
    text("training", &mut pickle);
    pickle.push(b'\x89');
    for layer in 0..LAYERS {
        text(&format!("w{layer}"), &mut pickle);
        pickle.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        text("storage", &mut pickle);
        pickle.extend(b"ctorch\nFloatStorage\n");
        text(&layer.to_string(), &mut pickle);
        text("cpu", &mut pickle);
        let count = i32::from_le_bytes(side).saturating_mul(i32::from_le_bytes(side));
        pickle.push(b'J');
        pickle.extend(count.to_le_bytes());
        // The storage by its key, offset 0, then sizes and strides.
        pickle.extend(b"tQK\0(J");
        pickle.extend(side);
        pickle.push(b'J');
        pickle.extend(side);
        pickle.extend(b"t(J");
        pickle.extend(side);
        pickle.extend(b"K\x01t\x89ccollections\nOrderedDict\n)RtR");
    }
    pickle.extend(b"ub.");
    pickle
}

fn text(text: &str, pickle: &mut Vec<u8>) {
    pickle.push(b'X');
    pickle.extend((text.len() as u32).to_le_bytes());
    pickle.extend(text.as_bytes());
}
