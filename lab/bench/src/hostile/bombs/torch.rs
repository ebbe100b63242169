//! TorchScript and pickles: values, types and functions that double.

use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use super::{Bomb, DOUBLINGS, doubled};

const SCRIPT: &[&str] = &[
    "inspect FILE",
    "check FILE --with torch@2.6 torch@1.4",
    "convert FILE --to torch@1.4 -o OUT",
    "convert FILE --to torch@2.1 -o OUT",
    "ops closure FILE",
    "scan FILE --with torch@2.6 -o TABLE",
];
const PICKLE: &[&str] =
    &["inspect FILE", "check FILE --with torch@2.6", "scan FILE --with torch@2.6 -o TABLE"];

/// The archive that is changed.
const EXAMPLE: &str = "examples/floor-divide-1.12.1.pt";

const HEAD: &str = "class Mod(Module):\n  __parameters__ = []\n  __buffers__ = []\n";

pub(super) fn all(root: &Path) -> anyhow::Result<Vec<Bomb>> {
    let file = std::fs::read(root.join(EXAMPLE))?;
    let with = |name: &str, member: &str, bytes: &[u8]| {
        anyhow::Ok(Bomb::new(name, replaced(&file, member, bytes)?, SCRIPT))
    };
    let code = |name: &str, text: String| with(name, "__torch__.py", text.as_bytes());
    let forward = |body: &str| {
        format!(
            "  def forward(self: __torch__.Mod,\n    a: Tensor,\n    b: Tensor) -> Tensor:\n{body}"
        )
    };
    let parameters = "a: Tensor,\n    b: Tensor) -> Tensor:\n";
    let functions =
        doubled(&format!("def f0({parameters}  return torch.floor_divide(a, b)"), |n, m| {
            format!(
                "def f{n}({parameters}  x = __torch__.f{m}(a, b)\n  return __torch__.f{m}(x, b)"
            )
        });
    let methods = doubled(
        &format!(
            "  def f0(self: __torch__.Mod,\n    {parameters}    return torch.floor_divide(a, b)"
        ),
        |n, m| {
            format!(
                "  def f{n}(self: __torch__.Mod,\n    {parameters}    x = (self).f{m}(a, b, )\n    return (self).f{m}(x, b, )"
            )
        },
    );
    let values = |open: &str, close: &str| {
        let lines = doubled(&format!("    t0 = {open}a, b{close}"), |n, m| {
            format!("    t{n} = {open}t{m}, t{m}{close}")
        });
        format!("{HEAD}{}", forward(&format!("{lines}    return torch.floor_divide(a, b)\n")))
    };
    let named = doubled("class A0(NamedTuple):\n  x : Tensor\n  y : Tensor", |n, m| {
        format!("class A{n}(NamedTuple):\n  x : __torch__.A{m}\n  y : __torch__.A{m}")
    });
    let modules = doubled(
        "class A0(Module):\n  __parameters__ = []\n  __buffers__ = []\n  def forward(self: __torch__.A0,\n    a: Tensor) -> Tensor:\n    return a",
        |n, m| {
            format!(
                "class A{n}(Module):\n  __parameters__ = []\n  __buffers__ = []\n  x : __torch__.A{m}\n  y : __torch__.A{m}\n  \
                 def forward(self: __torch__.A{n},\n    a: Tensor) -> Tensor:\n    _0 = (self.x).forward(a, )\n    \
                 return (self.y).forward(_0, )"
            )
        },
    );
    let top = |call: &str| format!("{HEAD}{}", forward(&format!("    return {call}\n")));
    let shared = memo(b"N\x85");
    Ok(vec![
        code("functions.pt", top(&format!("__torch__.f{DOUBLINGS}(a, b)")) + &functions)?,
        code("methods.pt", top(&format!("(self).f{DOUBLINGS}(a, b, )")) + &methods)?,
        code("tuples.pt", values("(", ")"))?,
        code("lists.pt", values("[", "]"))?,
        code(
            "named-tuples.pt",
            format!(
                "{named}{HEAD}  def forward(self: __torch__.Mod,\n    a: Tensor,\n    b: __torch__.A{DOUBLINGS}) -> Tensor:\n    \
                 return torch.floor_divide(a, a)\n"
            ),
        )?,
        code(
            "modules.pt",
            format!(
                "{modules}{HEAD}  x : __torch__.A{DOUBLINGS}\n{}",
                forward("    return (self.x).forward(a, )\n")
            ),
        )?,
        with("state.pt", "data.pkl", &memo(b"c__torch__\nMod\n)\x81N\x85"))?,
        with("constants.pt", "constants.pkl", &shared)?,
        Bomb::new("tuples.pkl", shared.clone(), PICKLE),
        Bomb::new("lists.pth", memo(b"(l"), PICKLE),
    ])
}

/// A pickle whose first value is put into a pair with itself, that into a pair with itself.
fn memo(first: &[u8]) -> Vec<u8> {
    let mut bytes = [b"\x80\x02", first, b"q\0"].concat();
    for nth in 0..100 {
        bytes.extend([b'h', nth, b'h', nth, 0x86, b'q', nth + 1]);
    }
    bytes.push(b'.');
    bytes
}

/// An archive with another member of this name, and without what is for debuggers.
fn replaced(file: &[u8], member: &str, bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut from = zip::ZipArchive::new(Cursor::new(file))?;
    let mut to = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for index in 0..from.len() {
        let mut entry = from.by_index(index)?;
        let name = entry.name()?.into_owned();
        if name.ends_with("debug_pkl") {
            continue;
        }
        let mut own = Vec::new();
        entry.read_to_end(&mut own)?;
        to.start_file(&name, options)?;
        to.write_all(if name.ends_with(member) { bytes } else { &own })?;
    }
    Ok(to.finish()?.into_inner())
}
