//! Functions with one call each and inputs of their own, on which the rows are tried: written by one release, judged and
//! converted for another, and run there.

use std::io;
use std::path::Path;
use std::time::Duration;

use unskew_peers::{ProcessEnd, run_probe};

use super::{ArgumentPassing, CallForm, ParameterRole};
use crate::TorchHost;
use crate::differential::CompiledModule;

/// A simple generator of numbers: the same seed gives the same battery.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % n.max(1)
    }
}

/// The types that data are tried with, the usual ones more often, and their numbers in code.
const TYPES: [(&str, u8); 10] = [
    ("float32", 6),
    ("float32", 6),
    ("float32", 6),
    ("float32", 6),
    ("int64", 4),
    ("int64", 4),
    ("float64", 7),
    ("int32", 3),
    ("uint8", 0),
    ("bool", 11),
];

/// Calls chosen at random from these, each with one run on values that no measurement used. Half of them show the types of
/// their tensors in the code.
pub fn battery(forms: &[CallForm], count: usize, seed: u64) -> Vec<CallForm> {
    let mut random = Random(seed);
    let usable = |form: &&CallForm| {
        let tensors =
            form.params.iter().any(|one| one.ends_with("Tensor") || one.contains("List[Tensor]"));
        !form.has_out && form.runs.len() > 3 && tensors && !form.name.starts_with("aten::_")
    };
    let all: Vec<&CallForm> = forms.iter().filter(usable).collect();
    let mut chosen = Vec::new();
    while chosen.len() < count && !all.is_empty() {
        let mut form = all[random.below(all.len())].clone();
        let Some(first) = form.runs.first().cloned() else { continue };
        let shows = random.below(2) == 0;
        let mixed = random.below(3) == 0;
        let same = TYPES[random.below(TYPES.len())];
        let mut inputs = first;
        for (_, how) in &form.given {
            let ArgumentPassing::Param(at, ParameterRole::Data) = how else { continue };
            let (dtype, code) = if mixed { TYPES[random.below(TYPES.len())] } else { same };
            let Some(shape) = inputs[*at].split(':').nth(1).map(str::to_owned) else { continue };
            inputs[*at] = format!("{dtype}:{shape}:rand{}", random.below(1000));
            // What is written in place is not copied before.
            if shows && !form.body.contains("_(") {
                let name = format!("a{at}");
                form.body =
                    renamed(&form.body, &name, &format!("torch.to({name}, {code}, False, False)"));
            }
        }
        form.runs = vec![inputs];
        chosen.push(form);
    }
    chosen
}

/// A text with a name in the place of another, where that stands as a word.
fn renamed(text: &str, name: &str, to: &str) -> String {
    let mut parts = text.split_inclusive([' ', '(', ')', ',', '=', '[', ']']).map(|part| {
        let bare = part.trim_end_matches([' ', '(', ')', ',', '=', '[', ']']);
        if bare == name { part.replacen(name, to, 1) } else { part.to_owned() }
    });
    let mut out = String::new();
    parts.by_ref().for_each(|part| out.push_str(&part));
    out
}

impl TorchHost {
    /// Has this release write an archive of each call, and say what it gave.
    ///
    /// # Errors
    /// If the release cannot be started, or ended before it was through.
    pub fn write_calls(
        &self,
        folder: &Path,
        forms: &[CallForm],
        limit: Duration,
    ) -> io::Result<Vec<CompiledModule>> {
        let list = folder.join("forms.jsonl");
        super::measure::write(forms, &list)?;
        let mut command = self.command();
        command.arg(unskew_peers::root().join("lab/torch/probes/torch_operators.py"));
        command.env("PYTHONPATH", unskew_peers::root().join(unskew_changes::NUMBERS));
        command.arg(&list).arg(folder).arg("1").arg("write");
        let outcome = run_probe(&mut command, limit)?;
        if outcome.end != ProcessEnd::Finished {
            let words = outcome.errors.lines().rev().take(5).collect::<Vec<_>>().join("\n");
            return Err(io::Error::other(format!("{}: {words}", outcome.end)));
        }
        let steps = outcome.steps.iter().filter(|step| step.ok);
        steps.map(|step| serde_json::from_str(&step.detail).map_err(io::Error::other)).collect()
    }
}
