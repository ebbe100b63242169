//! What comes after the registration of a platform: kernels, graph optimizer, profiler, each on trial by itself.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::made::{self, build_with, found, judge, party, trial};
use unskew_core::{Party, Severity};
use unskew_stream_executor::preflight::{PluginEntry, TrialEnd};

/// A plug-in without a fault but for what stands in `more`.
fn plugin(more: &str) -> Option<Party> {
    build_with("", more).map(|made| party(&made))
}

/// Codes and messages that one release finds.
fn told(plugin: &Party, release: &str) -> Vec<String> {
    let verdict = judge(plugin, release);
    found(&verdict).iter().map(|(code, message)| format!("{code} {message}")).collect()
}

fn fact<'a>(party: &'a Party, label: &str) -> &'a str {
    let fact = party.facts.iter().find(|fact| fact.label == label);
    fact.map_or("", |fact| fact.value.as_str())
}

/// A graph optimizer of the newest headers; `SET` comes last.
const GRAPH: &str = "
static void *optimize(void) { return 0; }
void TF_InitGraph(u64 *params, void *status) {
  u64 *configs = (u64 *)params[5], *optimizer = (u64 *)params[6];
  params[4] = (u64)\"RUSTDEV\"; configs[0] = 92; optimizer[0] = 40;
  ((int *)configs)[22] = 1;
  optimizer[2] = (u64)optimize; optimizer[3] = (u64)optimize; optimizer[4] = (u64)nothing;
  SET
}";

const PROFILER: &str = "
void TF_InitProfiler(u64 *params, void *status) {
  u64 *profiler = (u64 *)params[4], *fns = (u64 *)params[5];
  profiler[0] = 24; profiler[2] = (u64)\"RUSTDEV\"; fns[0] = 40;
  fns[2] = (u64)nothing; fns[3] = (u64)nothing; fns[4] = (u64)nothing;
  params[6] = (u64)nothing; params[7] = (u64)nothing;
  SET
}";

fn with(template: &str, set: &str) -> String {
    template.replace("SET\n", &format!("{set}\n"))
}

#[test]
fn a_plug_in_without_faults_registers_everything_and_is_counted() {
    let kernels = "void *TF_NewKernelBuilder(); void TF_RegisterKernelBuilder();
        void TF_InitKernel(void) { for (int i = 0; i < 3; i++) {
          void *builder = TF_NewKernelBuilder(\"Add\", \"RUSTDEV\", 0, nothing, 0);
          if (!builder) abort();
          TF_RegisterKernelBuilder(\"Add\", builder, TF_NewStatus()); } }";
    let more = format!("{kernels}{}{}", with(GRAPH, ""), with(PROFILER, ""));
    let Some(party) = plugin(&more) else { return };
    for release in ["2.10.1", "2.15.1", "2.21.0"] {
        assert_eq!(told(&party, release), Vec::<String>::new(), "{release}");
        let gaps = judge(&party, release).unjudged;
        assert!(gaps.iter().all(|gap| gap.aspect != "se.entries"), "{gaps:?}");
    }
    assert_eq!(fact(&party, "TF_InitKernel"), "registers 3 kernels");
    assert_eq!(fact(&party, "TF_InitProfiler"), "registers a profiler for RUSTDEV");
    let newest = "registers a graph optimizer for RUSTDEV";
    assert_eq!(fact(&party, "TF_InitGraph: TensorFlow 2.10 to 2.21"), newest);
}

#[test]
fn a_crash_in_each_entry_is_a_finding_of_its_own_and_registration_stays_what_it_was() {
    for (entry, parameters) in [
        (PluginEntry::Kernels, "void"),
        (PluginEntry::Graph, "u64 *params, void *status"),
        (PluginEntry::Profiler, "u64 *params, void *status"),
    ] {
        let function = entry.function();
        let dies = format!(
            "void {function}({parameters}) {{ fputs(\"no driver\\n\", stderr); abort(); }}"
        );
        let Some(made) = build_with("", &dies) else { return };
        let trials = trial(&made.path, 20);
        assert!(trials.of_release(21).unwrap().is_accepted(), "{function}");
        let died = trials.entered(entry, 21).unwrap();
        assert_eq!(
            (&died.end, &*died.stage),
            (&TrialEnd::Died("abort (SIGABRT)".to_owned()), function)
        );
        let verdict = judge(&party(&made), "2.21.0");
        let words =
            format!("ends the process of a TensorFlow 2.21.0 host in {function}: abort (SIGABRT)");
        assert_eq!(found(&verdict), [("SE007", words.as_str())]);
        assert_eq!(verdict.findings[0].severity, Severity::Error);
        assert_eq!(verdict.findings[0].symptom.as_deref(), Some("no driver"));
        assert!(!verdict.works());
    }
}

#[test]
fn a_release_without_the_entry_does_not_find_its_faults() {
    let Some(party) = plugin("void TF_InitProfiler(void) { abort(); }") else { return };
    let codes = |release| -> Vec<String> {
        told(&party, release).iter().map(|told| told[..5].to_owned()).collect()
    };
    // TensorFlow asks for profilers since 2.7; what is left there is about the headers of the plug-in.
    assert_eq!(codes("2.6.5"), ["SE014", "SE015"]);
    assert_eq!(codes("2.8.4"), ["SE007", "SE015"]);
}

#[test]
fn faults_of_a_graph_optimizer_are_named() {
    for (set, words) in [
        (
            "optimizer[3] = 0;",
            "SE011 TensorFlow 2.21.0 requires a field that the plug-in leaves null: TP_Optimizer.optimize_func",
        ),
        (
            "optimizer[0] = 0;",
            "SE013 the plug-in sets struct_size to 0, which TensorFlow 2.21.0 refuses: TP_Optimizer",
        ),
        (
            "TF_SetStatus(status, 12, \"no\");",
            "SE009 TF_InitGraph refuses a TensorFlow 2.21.0 host: no",
        ),
        (
            "params[4] = 8;",
            "SE007 ends the process of a TensorFlow 2.21.0 host in reading TP_OptimizerRegistrationParams.device_type: segmentation fault (SIGSEGV)",
        ),
    ] {
        let Some(party) = plugin(&with(GRAPH, set)) else { return };
        assert_eq!(told(&party, "2.21.0"), [words], "{set}");
    }
}

#[test]
fn a_graph_optimizer_of_the_newest_headers_writes_past_the_switches_of_older_hosts() {
    let Some(party) = plugin(&with(GRAPH, "")) else { return };
    assert_eq!(told(&party, "2.10.1"), Vec::<String>::new());
    let words = "SE014 TF_InitGraph writes 4 bytes past the end of a struct that has 88 in TensorFlow 2.9.3: \
        TP_OptimizerConfigs";
    assert_eq!(told(&party, "2.9.3"), [words]);
}

#[test]
fn faults_of_a_profiler_are_named() {
    for (set, words) in [
        (
            "fns[4] = 0;",
            "SE011 TensorFlow 2.21.0 requires a field that the plug-in leaves null: TP_ProfilerFns.collect_data_xspace",
        ),
        (
            "profiler[2] = 0;",
            "SE011 TensorFlow 2.21.0 requires a field that the plug-in leaves null: TP_Profiler.device_type",
        ),
        (
            "fns[0] = 0;",
            "SE013 the plug-in sets struct_size to 0, which TensorFlow 2.21.0 refuses: TP_ProfilerFns",
        ),
        (
            "TF_SetStatus(status, 9, \"old\");",
            "SE009 TF_InitProfiler refuses a TensorFlow 2.21.0 host: old",
        ),
    ] {
        let Some(party) = plugin(&with(PROFILER, set)) else { return };
        assert_eq!(told(&party, "2.21.0"), [words], "{set}");
    }
}

#[test]
fn an_entry_that_blocks_is_told_and_costs_its_limit_once() {
    let Some(made) = build_with("", "void TF_InitKernel(void) { for (;;) pause(); }") else {
        return;
    };
    let trials = trial(&made.path, 1);
    assert_eq!(trials.entered(PluginEntry::Kernels, 21).unwrap().end, TrialEnd::Late(1));
    assert!(matches!(trials.entered(PluginEntry::Kernels, 6).unwrap().end, TrialEnd::NotMade(_)));
    let party = unskew_stream_executor::asked("plugin.so", &made::object(&made.path), trials);
    let words = "SE008 a TensorFlow 2.21.0 host has no answer from TF_InitKernel within 1 s";
    assert_eq!(told(&party, "2.21.0"), [words]);
    let gaps = judge(&party, "2.6.5").unjudged;
    assert!(gaps.iter().any(|gap| gap.aspect == "se.entries"), "{gaps:?}");
}

#[test]
fn a_crash_of_an_entry_after_a_function_that_is_not_here_is_not_judged() {
    let asks = "int *TF_NumInputs(void);
        void TF_InitKernel(void) { *TF_NumInputs() = 1; }";
    let Some(party) = plugin(asks) else { return };
    let verdict = judge(&party, "2.21.0");
    assert_eq!(found(&verdict), []);
    assert!(verdict.unjudged.iter().any(|gap| gap.aspect == "se.entries"));
}
