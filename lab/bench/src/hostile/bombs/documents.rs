//! Documents that nest, name themselves or are long: of environments, images, models in text and in JSON.

use super::archives::packed_tar;
use super::{Bomb, DOUBLINGS, gzip, image, tar};

const ENVIRONMENT: &[&str] = &["env FOLDER"];
const IMAGE: &[&str] = &["env FILE"];
const LOCK: &[&str] = &["lock FILE"];
const TFJS: &[&str] =
    &["inspect FILE", "check FILE --with tfjs@4.22", "scan FILE --with tfjs@4.22 -o TABLE"];
const TENSORS: &[&str] =
    &["inspect FILE", "check FILE --with torch@2.1", "scan FILE --with torch@2.1 -o TABLE"];
const ONNX_TEXT: &[&str] = &[
    "inspect FILE",
    "check FILE --with onnxruntime@1.17",
    "scan FILE --with onnxruntime@1.17 -o TABLE",
];
const TRITON: &[&str] = &["check FOLDER --with onnxruntime@1.17"];
const CACHE: &[&str] =
    &["inspect FILE", "check FILE --with jax@0.6.2", "scan FILE --with jax@0.6.2 -o TABLE"];
const LINT: &[&str] = &["lint --config FILE"];

/// How deeply things nest: far more than a stack has room for.
const DEPTH: usize = 200_000;

/// How many bytes of zeros are packed.
const LARGE: u64 = 160 << 20;

pub(super) fn all() -> anyhow::Result<Vec<Bomb>> {
    Ok([environments(), locks(), images()?, models(), configurations()].concat())
}

fn environments() -> Vec<Bomb> {
    let head = "Metadata-Version: 2.1\nName: fixture\nVersion: 1.0\n";
    let marker = format!("{}python_version > \"3\"{}", "(".repeat(DEPTH), ")".repeat(DEPTH));
    let extras = vec!["x"; 300_000].join(",");
    vec![
        Bomb::new("METADATA", format!("{head}Requires-Dist: a ; {marker}\n"), ENVIRONMENT),
        Bomb::new("RECORD", "fixture/a_pb2.py,,\n".repeat(300_000), ENVIRONMENT),
        Bomb::new("entry_points.txt", format!("[a]\nb = c:d [{extras}]\n"), ENVIRONMENT),
        Bomb::new("a_pb2.py", "_descriptor.FieldDescriptor(".repeat(100_000), ENVIRONMENT),
        Bomb::new("paths.pth", "..\n".repeat(500_000), ENVIRONMENT),
        Bomb::new("direct_url.json", "[".repeat(DEPTH), ENVIRONMENT),
    ]
}

fn locks() -> Vec<Bomb> {
    let marker = format!("{}python_version > '3'{}", "(".repeat(DEPTH), ")".repeat(DEPTH));
    let many = "and python_version > '3' ".repeat(100_000);
    vec![
        Bomb::new(
            "requirements.txt",
            "-r requirements.txt\n-c requirements.txt\n".repeat(1_000),
            LOCK,
        ),
        Bomb::new("nested.requirements.txt", format!("torch==2.1 ; {marker}\n"), LOCK),
        Bomb::new(
            "wide.requirements.txt",
            format!("torch==2.1 ; python_version > '3' {many}\n"),
            LOCK,
        ),
        Bomb::new(
            "pylock.toml",
            format!("lock-version = \"1.0\"\ncreated-by = \"x\"\nx = {}\n", "[".repeat(DEPTH)),
            LOCK,
        ),
        Bomb::new("uv.lock", format!("version = 1\n{}", "[[package.a]]\n".repeat(200_000)), LOCK),
        Bomb::new("poetry.lock", format!("[{}]\n", vec!["a"; 200_000].join(".")), LOCK),
    ]
}

fn images() -> anyhow::Result<Vec<Bomb>> {
    let info = "usr/lib/python3.11/site-packages/fixture-1.0.dist-info";
    let zeros = packed_tar(&[("etc/motd", LARGE)])?;
    let kept = packed_tar(&[(&format!("{info}/METADATA"), LARGE)])?;
    let many: Vec<String> = (0..120_000).map(|n| format!("{info}/{n}")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let many = gzip(&tar(&many)?)?;
    let mut hiding: Vec<(String, &[u8])> =
        (0..20_000).map(|n| (format!("{info}/a{n}"), &b""[..])).collect();
    let gone = "usr/lib/python3.11/site-packages/.wh.fixture-1.0.dist-info";
    hiding.extend((0..20_000).map(|_| (gone.to_owned(), &b""[..])));
    let hiding: Vec<(&str, &[u8])> =
        hiding.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    Ok(vec![
        Bomb::new("zeros.image", image(&[&zeros], 1)?, IMAGE),
        Bomb::new("kept.image", image(&[&kept], 1)?, IMAGE),
        Bomb::new("again.image", image(&[&zeros], 900)?, IMAGE),
        Bomb::new("many.image", image(&[&many], 1)?, IMAGE),
        Bomb::new("hiding.image", image(&[&gzip(&tar(&hiding)?)?], 40)?, IMAGE),
    ])
}

fn models() -> Vec<Bomb> {
    let nested = format!("{{\"modelTopology\": {}", "[".repeat(DEPTH));
    let layers = r#"{"class_name": "Dense", "config": {"name": "d", "units": 1}},"#.repeat(30_000);
    let wide = format!(
        r#"{{"format": "layers-model", "modelTopology": {{"keras_version": "2.15.0", "model_config": {{"class_name": "Sequential", "config": {{"layers": [{layers}{{}}]}}}}}}, "weightsManifest": []}}"#
    );
    let tensors: Vec<String> = (0..60_000)
        .map(|n| {
            format!(
                r#""\u001b[31mt{n}\n::error::":{{"dtype":"F{n}","shape":[0],"data_offsets":[0,0]}}"#
            )
        })
        .collect();
    let framed =
        |header: String| [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    let shape = format!(
        r#"{{"a":{{"dtype":"F32","shape":[{}1],"data_offsets":[0,4]}}}}"#,
        "1,".repeat(1_000_000)
    );
    let head = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] X) => (float[2] Y) {\n";
    let branches = "Y = If (X) <then_branch = b () => (float[2] Y) {".repeat(DEPTH / 10);
    let chain: String =
        (1..=DOUBLINGS).map(|n| format!("t{n} = Concat <axis=0> (t{0}, t{0})\n", n - 1)).collect();
    let of_numbers =
        format!("{head}Y = Constant <value_floats = [{}1]> ()\n}}", "1, ".repeat(900_000));
    let zeros = {
        use std::io::Write as _;
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        let block = vec![0; 1 << 20];
        (0..LARGE >> 20).for_each(|_| drop(packed.write_all(&block)));
        packed.finish().unwrap_or_default()
    };
    let key = "3c".repeat(32);
    vec![
        Bomb::new("model.json", nested, TFJS),
        Bomb::new("wide.model.json", wide, TFJS),
        Bomb::new("many.safetensors", framed(format!("{{{}}}", tensors.join(","))), TENSORS),
        Bomb::new("nested.safetensors", framed("{\"a\":".repeat(DEPTH)), TENSORS),
        Bomb::new("shape.safetensors", framed(shape), TENSORS),
        Bomb::new("nested.onnxtxt", format!("{head}{branches}"), ONNX_TEXT),
        Bomb::new(
            "chain.onnxtxt",
            format!("{head}t0 = Relu(X)\n{chain}Y = Relu(t{DOUBLINGS})\n}}"),
            ONNX_TEXT,
        ),
        Bomb::new("numbers.onnxtxt", of_numbers, ONNX_TEXT),
        Bomb::new(&format!("jit_f-{key}-cache"), zeros, CACHE),
    ]
}

fn configurations() -> Vec<Bomb> {
    let boundaries: String = (0..500)
        .map(|n| {
            format!(
                "[[boundary]]\nname = 'b{n}'\nkind = 'c-header'\npaths = ['**/*{}*.h']\n",
                "*/**".repeat(60)
            )
        })
        .collect();
    let braces = format!(
        "baseline = 'x'\n[[boundary]]\nname = 'b'\nkind = 'c-header'\npaths = ['{}']\n",
        "{a,b}".repeat(60)
    );
    vec![
        Bomb::new(
            "config.pbtxt",
            format!("name: \"net\"\n{}", "parameters { value ".repeat(DEPTH / 4)),
            TRITON,
        ),
        Bomb::new("unskew.toml", boundaries, LINT),
        Bomb::new("braces.unskew.toml", braces, LINT),
    ]
}
