//! Texts: MLIR, C headers, protobuf files, locks.

use unskew_source::{BytesSource, Source as _, SourceExt as _};

use super::{Bomb, DOUBLINGS, doubled};

const MLIR: &[&str] = &[
    "inspect FILE",
    "check FILE --with jax@0.6.2",
    "convert FILE --to jax@0.4.31 -o OUT",
    "scan FILE --with jax@0.6.2 -o TABLE",
];
const HEADER: &[&str] = &["diff FILE FILE", "history FILE"];
const PROTO: &[&str] = &["diff FILE FILE"];
const LOCK: &[&str] = &["lock FILE"];

/// All texts, and what is made of one.
///
/// # Errors
/// If the text of a program is none.
pub(super) fn all() -> anyhow::Result<Vec<Bomb>> {
    let mut all: Vec<Bomb> = mlir();
    all.push(bytecode()?);
    all.extend(headers());
    all.extend(protobuf());
    all.extend(locks());
    Ok(all)
}

/// A program as bytecode, whose types name each other twice. Our own reader of texts makes it, which is told to trust the text.
fn bytecode() -> anyhow::Result<Bomb> {
    let tuples = doubled("!t0 = tensor<4xf32>", |n, m| format!("!t{n} = tuple<!t{m}, !t{m}>"));
    let main = "module { func.func @main(%a: !t60) -> !t60 { return %a : !t60 } }\n";
    unskew_source::budget::set_scale(1 << 60);
    let text = BytesSource::new("tuples.mlir", (tuples + main).into_bytes());
    let made = unskew_stablehlo::parse::bytecode(&text);
    unskew_source::budget::set_scale(1);
    let made = made?;
    Ok(Bomb::new("tuples.mlirbc", made.bytes(0, made.size())?, MLIR))
}

fn mlir() -> Vec<Bomb> {
    let last = DOUBLINGS;
    let main = |kind: &str| {
        format!("module {{ func.func @main(%a: {kind}) -> {kind} {{ return %a : {kind} }} }}\n")
    };
    let of = |name: &str, aliases: String, rest: String| Bomb::new(name, aliases + &rest, MLIR);
    let tuples = doubled("!t0 = f32", |n, m| format!("!t{n} = tuple<!t{m}, !t{m}>"));
    let functions = doubled("!t0 = f32", |n, m| format!("!t{n} = (!t{m}) -> !t{m}"));
    let arrays = doubled("#a0 = 1", |n, m| format!("#a{n} = [#a{m}, #a{m}]"));
    let dictionaries = doubled("#a0 = 1", |n, m| format!("#a{n} = {{x = #a{m}, y = #a{m}}}"));
    let mixed = doubled("!t0 = f32", |n, m| {
        format!("#e{n} = [!t{m}, !t{m}]\n!t{n} = tensor<4x!t{m}, #e{n}>")
    });
    let attribute = format!("module attributes {{x = #a{last}}} {{}}\n");
    let tensor = "tensor<4xf32>";
    let calls = |verb: fn(usize) -> String| {
        let body = |n: usize, m: usize| {
            format!(
                "func.func private @f{n}(%a: {tensor}) -> {tensor} {{\n%0 = {}\n%1 = {}\nreturn %1 : {tensor} }}",
                verb(m).replace("ARG", "%a"),
                verb(m).replace("ARG", "%0"),
            )
        };
        let first = format!(
            "func.func private @f0(%a: {tensor}) -> {tensor} {{ %0 = stablehlo.tanh %a : {tensor}\nreturn %0 : {tensor} }}"
        );
        let main = format!(
            "func.func public @main(%a: {tensor}) -> {tensor} {{ %0 = {}\nreturn %0 : {tensor} }}",
            verb(last).replace("ARG", "%a")
        );
        format!("module {{\n{main}\n{}}}\n", doubled(&first, body))
    };
    let long = format!("#a = \"{}\"\n", "x".repeat(400_000));
    let uses: String = (0..5_000)
        .map(|n| {
            format!("%{n} = stablehlo.custom_call @x(%a) {{b = #a}} : ({tensor}) -> {tensor}\n")
        })
        .collect();
    let uses = format!(
        "module {{ func.func @main(%a: {tensor}) -> {tensor} {{\n{uses}return %a : {tensor} }} }}\n"
    );
    let wide = format!("!t = tuple<{}f32>\n", "f32, ".repeat(60_000));
    let barriers: String = (0..3_000)
        .map(|n| format!("%{n} = \"stablehlo.optimization_barrier\"(%a) : (!t) -> !t\n"))
        .collect();
    let barriers =
        format!("module {{ func.func @main(%a: !t) -> !t {{\n{barriers}return %a : !t }} }}\n");
    let called = calls(|n| format!("func.call @f{n}(ARG) : (tensor<4xf32>) -> tensor<4xf32>"));
    let composed = calls(|n| {
        format!(
            "stablehlo.composite \"x.f\" ARG {{decomposition = @f{n}}} : (tensor<4xf32>) -> tensor<4xf32>"
        )
    });
    vec![
        of("tuples.mlir", tuples, main(&format!("!t{last}"))),
        of("functions.mlir", functions, main(&format!("!t{last}"))),
        of("arrays.mlir", arrays, attribute.clone()),
        of("dictionaries.mlir", dictionaries, attribute),
        of("encodings.mlir", mixed, main(&format!("!t{last}"))),
        of("calls.mlir", String::new(), called),
        of("composites.mlir", String::new(), composed),
        of("long-text.mlir", long, uses),
        of("wide-type.mlir", wide, barriers),
    ]
}

fn headers() -> Vec<Bomb> {
    let of = |name: &str, text: String| Bomb::new(name, text, HEADER);
    vec![
        of(
            "by-value.h",
            doubled("struct S0 { int x; };", |n, m| {
                format!(
                    "struct S{n} {{ struct S{m} a, b; union {{ struct S{m} c; struct S{m} d; }}; }};"
                )
            }),
        ),
        of(
            "by-pointer.h",
            doubled("typedef struct { int x; } T0;", |n, m| {
                format!("typedef struct {{ T{m} *a, *b; }} T{n};")
            }),
        ),
        of(
            "callbacks.h",
            doubled("typedef int (*T0)(int);", |n, m| format!("typedef T{m} (*T{n})(T{m}, T{m});")),
        ),
        of(
            "macros.h",
            doubled("#define A0 1", |n, m| format!("#define A{n} (A{m} + A{m})"))
                + "enum E { X = A60 };\nstruct T { char a[A60]; };\n",
        ),
        of(
            "macro-calls.h",
            doubled("#define F0(x) x x", |n, m| format!("#define F{n}(x) F{m}(F{m}(x))"))
                + "enum E { X = F60(1) };\n",
        ),
        of(
            "constants.h",
            "enum E { A0 = 1,\n".to_owned()
                + &doubled("", |n, m| format!("A{n} = A{m} + A{m},"))
                + "};\n",
        ),
    ]
}

fn protobuf() -> Vec<Bomb> {
    let head = "syntax = \"proto3\";\n";
    let fields = doubled("message A0 { int32 x = 1; }", |n, m| {
        format!("message A{n} {{ A{m} a = 1; map<string, A{m}> b = 2; }}")
    });
    let service = "service S { rpc F(A60) returns (stream A60); }\n";
    vec![Bomb::new("messages.proto", format!("{head}{fields}{service}"), PROTO)]
}

fn locks() -> Vec<Bomb> {
    let yaml = doubled("a0: &a0 [x]", |n, m| format!("a{n}: &a{n} [*a{m}, *a{m}]"));
    let merged = doubled("b0: &b0 {x: 1}", |n, m| {
        format!("b{n}: &b{n}\n  <<: [*b{m}, *b{m}]\n  y{n}: *b{m}")
    });
    vec![
        Bomb::new("conda-lock.yml", format!("version: 1\n{yaml}package: *a60\n"), LOCK),
        Bomb::new("pixi.lock", format!("version: 6\n{merged}packages: *b60\n"), LOCK),
    ]
}
