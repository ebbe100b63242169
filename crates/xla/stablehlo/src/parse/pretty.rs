//! Operations in the form that their dialect has for them: `stablehlo.slice %0 [0:2] : ...`.

use unskew_source::ReadError;

use super::attributes::{self, Attr};
use super::dialects;
use super::operations::{Parsed, TextReader};
use super::scanner::Scanner;
use super::shardings::{self, Sharded};
use super::types::{self, Type};

/// What stands behind the operands, with its keyword.
#[derive(Clone, Copy)]
enum Clause {
    /// `dims = [0, 1]`
    Numbers,
    /// `dim = 0`
    Number,
    /// `lower = true`
    Attribute,
    /// A value of a list, such as `type = FFT`.
    Choice(&'static str),
    /// `precision = [DEFAULT, HIGH]`
    Precisions,
    /// `batching_dims = [0] x [1]`, as two parts of `dot_dimension_numbers`.
    Pair(&'static str, &'static str),
    /// `algorithm = <...>`
    Algorithm,
    /// `format = e8m10`
    Bits,
}

/// The clauses of operations: keyword, attribute, what stands there.
type Clauses = &'static [(&'static str, &'static str, Clause)];

const CLAUSES: [(&str, Clauses); 23] = [
    ("broadcast", &[("sizes", "broadcast_sizes", Clause::Numbers)]),
    ("broadcast_in_dim", &[("dims", "broadcast_dimensions", Clause::Numbers)]),
    ("cholesky", &[("lower", "lower", Clause::Attribute)]),
    ("concatenate", &[("dim", "dimension", Clause::Number)]),
    ("dot", &[("precision", "precision_config", Clause::Precisions)]),
    (
        "dot_general",
        &[
            (
                "batching_dims",
                "",
                Clause::Pair("lhs_batching_dimensions", "rhs_batching_dimensions"),
            ),
            (
                "contracting_dims",
                "",
                Clause::Pair("lhs_contracting_dimensions", "rhs_contracting_dimensions"),
            ),
            ("precision", "precision_config", Clause::Precisions),
            ("algorithm", "algorithm", Clause::Algorithm),
        ],
    ),
    ("dynamic_broadcast_in_dim", &[("dims", "broadcast_dimensions", Clause::Numbers)]),
    ("dynamic_iota", &[("dim", "iota_dimension", Clause::Number)]),
    ("dynamic_slice", &[("sizes", "slice_sizes", Clause::Numbers)]),
    ("einsum", &[("config", "einsum_config", Clause::Attribute)]),
    (
        "fft",
        &[
            ("type", "fft_type", Clause::Choice("fft_type")),
            ("length", "fft_length", Clause::Numbers),
        ],
    ),
    ("get_dimension_size", &[("dim", "dimension", Clause::Number)]),
    ("iota", &[("dim", "iota_dimension", Clause::Number)]),
    (
        "pad",
        &[
            ("low", "edge_padding_low", Clause::Numbers),
            ("high", "edge_padding_high", Clause::Numbers),
            ("interior", "interior_padding", Clause::Numbers),
        ],
    ),
    ("reduce_precision", &[("format", "", Clause::Bits)]),
    ("reverse", &[("dims", "dimensions", Clause::Numbers)]),
    ("rng", &[("distribution", "rng_distribution", Clause::Choice("rng_distribution"))]),
    ("rng_bit_generator", &[("algorithm", "rng_algorithm", Clause::Choice("rng_algorithm"))]),
    ("set_dimension_size", &[("dim", "dimension", Clause::Number)]),
    (
        "torch_index_select",
        &[("dim", "dim", Clause::Number), ("batch_dims", "batch_dims", Clause::Number)],
    ),
    ("transpose", &[("dims", "permutation", Clause::Numbers)]),
    ("unary_einsum", &[("config", "einsum_config", Clause::Attribute)]),
    ("top_k", &[("k", "k", Clause::Number)]),
];

/// Operations of other dialects that have operands, attributes and types, and nothing else. Those of CHLO have an arrow.
const PLAIN: [&str; 22] = [
    "arith.addf",
    "arith.addi",
    "arith.andi",
    "arith.divf",
    "arith.divsi",
    "arith.index_cast",
    "arith.maximumf",
    "arith.minimumf",
    "arith.mulf",
    "arith.muli",
    "arith.negf",
    "arith.ori",
    "arith.remf",
    "arith.shli",
    "arith.subf",
    "arith.subi",
    "arith.xori",
    "shape.broadcast",
    "shape.num_elements",
    "shape.shape_of",
    "tensor.cast",
    "tensor.from_elements",
];

impl TextReader<'_> {
    /// What stands behind the name of an operation.
    pub(super) fn pretty(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        let name = parsed.name.clone();
        match &*name {
            "stablehlo.while" => return self.of_while(parsed),
            "stablehlo.reduce" => return self.of_reduce(parsed),
            "stablehlo.constant" | "chlo.constant" | "arith.constant" => {
                return self.constant(parsed);
            }
            "stablehlo.compare" => self.compare(parsed)?,
            "stablehlo.slice" => self.slice(parsed)?,
            "stablehlo.get_tuple_element" => {
                parsed.operands = self.bare_uses()?;
                self.scanner.needs("[")?;
                let index = self.scanner.integer()?;
                self.scanner.needs("]")?;
                parsed.set("index", Attr::Number(index.cast_unsigned(), Type::scalar("i32")));
            }
            "stablehlo.custom_call" | "func.call" => {
                let key = if name == "func.call" { "callee" } else { "call_target_name" };
                let path = attributes::symbol(&mut self.scanner)?;
                parsed.set(key, Attr::Symbol(path));
                parsed.operands = self.uses("(", ")")?;
            }
            "stablehlo.composite" => {
                let target = self.scanner.text()?;
                parsed.set("name", Attr::Text(target));
                parsed.operands = self.bare_uses()?;
                if self.scanner.starts("(") {
                    self.bracketed_regions(parsed)?;
                }
            }
            "stablehlo.convolution" | "stablehlo.dynamic_conv" => self.convolution(parsed)?,
            "stablehlo.optimization_barrier" if self.scanner.takes("(") => {
                self.scanner.needs(")")?
            }
            _ if name.starts_with("sdy.") => return self.shardy(parsed),
            _ => self.clauses(parsed)?,
        }
        self.attributes_and_signature(parsed)
    }

    /// Operands, and clauses by their keywords.
    fn clauses(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        let (dialect, short) = parsed.name.split_once('.').unwrap_or(("", &parsed.name));
        let own = dialect == "stablehlo" && super::lower::form(short).is_some();
        let known = own || dialect == "func" || dialect == "chlo" || PLAIN.contains(&&*parsed.name);
        if !known {
            let what = match super::lower::is_known(dialect, short) {
                true => "is read in its generic form alone",
                false => "is not read",
            };
            let what = format!("the operation `{}` {what}", parsed.name);
            return Err(self.scanner.unknown_at(parsed.at, &what));
        }
        let clauses =
            CLAUSES.iter().find(|(name, _)| *name == short).map_or(&[][..], |(_, all)| all);
        let brackets = self.scanner.takes("(");
        parsed.operands = self.bare_uses()?;
        let mut dims = Vec::new();
        for (keyword, attribute, clause) in clauses {
            let comma = self.scanner.place();
            self.scanner.takes(",");
            if self.scanner.peek() != *keyword {
                self.scanner.back(comma);
                continue;
            }
            self.scanner.word()?;
            self.scanner.needs("=")?;
            match *clause {
                Clause::Numbers => {
                    let all = numbers(&mut self.scanner)?;
                    parsed.set(attribute, all);
                }
                Clause::Number => {
                    let number = self.scanner.integer()?;
                    let number = Attr::Number(number.cast_unsigned(), Type::scalar("i64"));
                    parsed.set(attribute, number);
                }
                Clause::Attribute => {
                    let value = attributes::read(&mut self.scanner, &self.aliases)?;
                    parsed.set(attribute, value);
                }
                Clause::Choice(list) => {
                    let value = choice(&mut self.scanner, list)?;
                    parsed.set(attribute, value);
                }
                Clause::Precisions => {
                    let all =
                        self.scanner.list("[", "]", |scanner| choice(scanner, "precision"))?;
                    parsed.set(attribute, Attr::Array(all));
                }
                Clause::Pair(left, right) => {
                    let one = numbers(&mut self.scanner)?;
                    self.scanner.needs_word("x")?;
                    let other = numbers(&mut self.scanner)?;
                    dims.extend([(left.to_owned(), one), (right.to_owned(), other)]);
                }
                Clause::Algorithm => {
                    let name = "stablehlo.dot_algorithm";
                    let value = dialects::group(&mut self.scanner, &self.aliases, name)?;
                    parsed.set(attribute, value);
                }
                Clause::Bits => self.bits(parsed)?,
            }
        }
        if brackets {
            self.scanner.needs(")")?;
        }
        if parsed.name == "stablehlo.dot_general" {
            parsed.set("dot_dimension_numbers", Attr::Group("stablehlo.dot".to_owned(), dims));
        }
        Ok(())
    }

    /// `e8m10`.
    fn bits(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        let at = self.scanner.place();
        let word = self.scanner.word()?;
        let parts = word.strip_prefix('e').and_then(|rest| rest.split_once('m'));
        let parts = parts.and_then(|(e, m)| Some((e.parse::<u32>().ok()?, m.parse::<u32>().ok()?)));
        let Some((exponent, mantissa)) = parts else {
            return Err(self.scanner.error_at(at, "a format of floats is written as `e8m10`"));
        };
        for (name, bits) in [("exponent_bits", exponent), ("mantissa_bits", mantissa)] {
            parsed.set(name, Attr::Number(bits.into(), Type::scalar("i32")));
        }
        Ok(())
    }

    /// `dense<1> : tensor<2xi32>`, behind the attributes.
    fn constant(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        // The old form is like the generic one.
        if self.scanner.takes("(") {
            self.scanner.needs(")")?;
            if self.scanner.takes("<") {
                parsed.named = attributes::dictionary(&mut self.scanner, &self.aliases)?;
                self.scanner.needs(">")?;
            }
            return self.attributes_and_signature(parsed);
        }
        if self.scanner.starts("{") {
            parsed.named.extend(attributes::dictionary(&mut self.scanner, &self.aliases)?);
        }
        let at = self.scanner.place();
        let value = attributes::read(&mut self.scanner, &self.aliases)?;
        let kind = match &value {
            Attr::Dense(kind, _) | Attr::Number(_, kind) => kind.clone(),
            Attr::Bool(_) => Type::scalar("i1"),
            _ => {
                return Err(self
                    .scanner
                    .unknown_at(at, "a constant that is no number and no tensor"));
            }
        };
        parsed.set("value", value);
        parsed.outputs.push(kind);
        // A quantized constant has the type of its numbers, and another one behind it.
        if self.scanner.takes("->") {
            parsed.outputs = vec![types::read(&mut self.scanner, &self.aliases)?];
        }
        self.scanner.location()
    }

    /// `LT, %a, %b, FLOAT`.
    fn compare(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        let direction = choice(&mut self.scanner, "comparison_direction")?;
        parsed.set("comparison_direction", direction);
        self.scanner.needs(",")?;
        parsed.operands = self.bare_uses()?;
        if self.scanner.takes(",") {
            let kind = choice(&mut self.scanner, "comparison_type")?;
            parsed.set("compare_type", kind);
        }
        Ok(())
    }

    /// `%0 [0:8:2, 1:3]`.
    fn slice(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        parsed.operands = self.bare_uses()?;
        let ranges = self.scanner.list("[", "]", |scanner| {
            let start = scanner.integer()?;
            scanner.needs(":")?;
            let end = scanner.integer()?;
            let step = if scanner.takes(":") { scanner.integer()? } else { 1 };
            Ok([start, end, step])
        })?;
        for (at, name) in ["start_indices", "limit_indices", "strides"].into_iter().enumerate() {
            let all = ranges.iter().filter_map(|range| range.get(at).copied()).collect();
            parsed.set(name, Attr::Numbers(Type::scalar("i64"), all));
        }
        Ok(())
    }

    /// `(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[0, 0]]}`.
    fn convolution(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        parsed.operands = self.uses("(", ")")?;
        self.scanner.needs_word("dim_numbers")?;
        self.scanner.needs("=")?;
        let dims = dialects::convolution(&mut self.scanner)?;
        parsed.set("dimension_numbers", dims);
        self.scanner.needs(",")?;
        self.scanner.needs_word("window")?;
        self.scanner.needs("=")?;
        self.scanner.needs("{")?;
        while !self.scanner.takes("}") {
            let at = self.scanner.place();
            let keyword = self.scanner.word()?;
            self.scanner.needs("=")?;
            let name = match keyword {
                "stride" => "window_strides",
                "lhs_dilate" => "lhs_dilation",
                "rhs_dilate" => "rhs_dilation",
                "reverse" => "window_reversal",
                "pad" => {
                    let padding = padding(&mut self.scanner)?;
                    parsed.set("padding", padding);
                    self.scanner.takes(",");
                    continue;
                }
                _ => {
                    return Err(self
                        .scanner
                        .unknown_at(at, &format!("`{keyword}` of a window is not read")));
                }
            };
            let value = attributes::read(&mut self.scanner, &self.aliases)?;
            parsed.set(name, value);
            self.scanner.takes(",");
        }
        Ok(())
    }

    /// Operations of the dialect `sdy`, which have forms of their own.
    fn shardy(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        let (_, short) = parsed.name.split_once('.').unwrap_or_default();
        match short {
            "mesh" => {
                let mut path = attributes::symbol(&mut self.scanner)?;
                parsed.set("sym_name", Attr::Text(path.swap_remove(0)));
                self.scanner.needs("=")?;
                let mesh = shardings::mesh(&mut self.scanner)?;
                parsed.set("mesh", Attr::Sharded(Sharded::Mesh(mesh)));
                if self.scanner.starts("{") {
                    parsed.named.extend(attributes::dictionary(&mut self.scanner, &self.aliases)?);
                }
                self.scanner.location()
            }
            "return" => {
                parsed.operands = self.bare_uses()?;
                self.attributes_and_signature(parsed)
            }
            "sharding_constraint" | "reshard" => {
                parsed.operands = self.bare_uses()?;
                let sharding = shardings::sharding(&mut self.scanner)?;
                parsed.set("sharding", Attr::Sharded(Sharded::Sharding(sharding)));
                self.attributes_and_signature(parsed)
            }
            "sharding_group" => {
                parsed.operands = self.bare_uses()?;
                self.scanner.needs_word("group_id")?;
                self.scanner.needs("=")?;
                let group = self.scanner.integer()?;
                let group = Attr::Number(group.cast_unsigned(), Type::scalar("i64"));
                parsed.set("group_id", group);
                self.attributes_and_signature(parsed)
            }
            "manual_computation" => self.manual_computation(parsed),
            _ => {
                let what = format!("the operation `{}` is not read in this form", parsed.name);
                Err(self.scanner.unknown_at(parsed.at, &what))
            }
        }
    }

    /// `(%0) in_shardings=[...] out_shardings=[...] manual_axes={"x"} (%a: t) { ... } : (t) -> t`.
    fn manual_computation(&mut self, parsed: &mut Parsed) -> Result<(), ReadError> {
        parsed.operands = self.uses("(", ")")?;
        for name in ["in_shardings", "out_shardings"] {
            self.scanner.needs_word(name)?;
            self.scanner.needs("=")?;
            let all = shardings::per_value(&mut self.scanner)?;
            parsed.set(name, all);
        }
        self.scanner.needs_word("manual_axes")?;
        self.scanner.needs("=")?;
        let axes = shardings::manual_axes(&mut self.scanner)?;
        parsed.set("manual_axes", axes);
        let arguments = self.arguments()?;
        let region = self.region(super::lower::World::Plain, false, &arguments)?;
        parsed.regions.push(region);
        self.attributes_and_signature(parsed)
    }
}

/// `[0, 1]`, also as an array that says what it is made of.
fn numbers(scanner: &mut Scanner<'_>) -> Result<Attr, ReadError> {
    Ok(Attr::Numbers(Type::scalar("i64"), scanner.list("[", "]", Scanner::integer)?))
}

/// `[[0, 1], [2, 3]]`.
fn padding(scanner: &mut Scanner<'_>) -> Result<Attr, ReadError> {
    let rows = scanner.list("[", "]", |scanner| {
        let pair = scanner.list("[", "]", Scanner::integer)?;
        <[i64; 2]>::try_from(pair).map_err(|_| scanner.error("padding is two numbers"))
    })?;
    let shape = Type::Tensor {
        dims: Some(vec![i64::try_from(rows.len()).ok(), Some(2)]),
        element: Type::scalar("i64"),
        encoding: None,
    };
    let all: Vec<i64> = rows.into_iter().flatten().collect();
    let same = all.iter().all(|one| Some(one) == all.first());
    let written = if same { all.get(..1).unwrap_or_default() } else { &all };
    let bytes: Vec<u8> = written.iter().flat_map(|one| one.to_le_bytes()).collect();
    Ok(Attr::Dense(shape.into(), bytes.into()))
}

/// A value of a list of StableHLO.
fn choice(scanner: &mut Scanner<'_>, list: &str) -> Result<Attr, ReadError> {
    let at = scanner.place();
    let word = scanner.word()?;
    dialects::choice("stablehlo", list, word).ok_or_else(|| {
        scanner.unknown_at(at, &format!("`{word}` is no {}", list.replace('_', " ")))
    })
}
