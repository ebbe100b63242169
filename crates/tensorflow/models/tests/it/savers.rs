//! What a session restores, what a signature reads, and objects that only newer releases revive.

use std::sync::Arc;

use unskew_core::Severity;
use unskew_source::{BytesSource, Source};
use unskew_tensorflow::read::{TensorFlowFileKind, transcode_whole};
use unskew_tensorflow::{GraphFile, TensorFlowFile, findings, read_file};

use crate::graphs;

/// A SavedModel with a saver, a restoring node of its own, and one of the user's that reads another file.
fn model(signature: &str, objects: &str) -> Arc<dyn Source> {
    let constant = |name: &str, text: &str| {
        format!(
            r#"node {{ name: "{name}" op: "Const" attr {{ key: "dtype" value {{ type: DT_STRING }} }} attr {{ key: "value" value {{ tensor {{ dtype: DT_STRING tensor_shape {{ dim {{ size: 1 }} }} string_val: "{text}" }} }} }} }} "#
        )
    };
    let restore = |name: &str, names: &str| {
        format!(
            r#"node {{ name: "{name}" op: "RestoreV2" input: "file" input: "{names}" input: "slices" attr {{ key: "dtypes" value {{ list {{ type: DT_FLOAT }} }} }} }} "#
        )
    };
    let variable = |name: &str| {
        format!(
            r#"node {{ name: "{name}" op: "VarHandleOp" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} attr {{ key: "shape" value {{ shape {{ }} }} }} attr {{ key: "shared_name" value {{ s: "{name}" }} }} }} node {{ name: "read_{name}" op: "ReadVariableOp" input: "{name}" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }} "#
        )
    };
    let text = [
        "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: \"serve\" tensorflow_version: \"2.21.0\" } ".to_owned(),
        "graph_def { ".to_owned(),
        constant("file", "anywhere"),
        constant("slices", ""),
        constant("own_names", "w"),
        constant("other_names", "elsewhere"),
        restore("save/RestoreV2", "own_names"),
        restore("init_from_another_checkpoint", "other_names"),
        variable("w"),
        variable("copy"),
        r#"node { name: "assign" op: "AssignVariableOp" input: "w" input: "save/RestoreV2" attr { key: "dtype" value { type: DT_FLOAT } } } "#.to_owned(),
        r#"node { name: "restore_all" op: "NoOp" input: "^assign" } versions { producer: 2474 min_consumer: 12 } } "#.to_owned(),
        r#"saver_def { filename_tensor_name: "file:0" restore_op_name: "restore_all" version: V2 } "#.to_owned(),
        format!(r#"signature_def {{ key: "serving_default" value {{ outputs {{ key: "y" value {{ name: "{signature}:0" dtype: DT_FLOAT }} }} }} }} "#),
        objects.to_owned(),
        "}".to_owned(),
    ]
    .concat();
    let text = BytesSource::new("saved_model.pb", text.into_bytes());
    Arc::new(transcode_whole(&text, TensorFlowFileKind::SavedModel).unwrap())
}

fn read(source: &Arc<dyn Source>) -> GraphFile {
    match read_file(source).unwrap() {
        Some(TensorFlowFile::Graphs(file)) => file,
        _ => panic!("no graph"),
    }
}

fn found(source: &Arc<dyn Source>, release: &str) -> Vec<(&'static str, Severity)> {
    let (file, runtime) = (read(source), graphs::runtime(release));
    let all = findings(&file.graphs[0], &file, &runtime);
    let wanted = ["TF010", "TF011"];
    let all = all.iter().map(|it| (it.rule.code, it.severity));
    all.filter(|(code, _)| wanted.contains(code)).collect()
}

#[test]
fn only_what_the_saver_runs_is_restored_from_the_checkpoint() {
    let file = read(&model("read_w", ""));
    let names: Vec<&str> = file.restores.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["w"]);
}

#[test]
fn a_signature_that_reads_what_no_saver_restores_cannot_be_run_by_a_session() {
    let objects = r#"object_graph_def { nodes { user_object { identifier: "_generic_user_object" version { producer: 1 min_consumer: 1 } } } } "#;
    assert_eq!(found(&model("read_w", ""), "2.15.1"), []);
    assert_eq!(found(&model("read_copy", ""), "2.15.1"), [("TF011", Severity::Error)]);
    // The loader of objects restores otherwise.
    assert_eq!(found(&model("read_copy", objects), "2.15.1"), [("TF011", Severity::Warning)]);
    assert_eq!(found(&model("read_copy", objects), "1.15.0"), [("TF011", Severity::Error)]);
}

#[test]
fn captured_tensors_are_revived_from_2_5_on() {
    let objects =
        r#"object_graph_def { nodes { captured_tensor { name: "a:0" concrete_function: "f" } } } "#;
    assert_eq!(found(&model("read_w", objects), "2.4.4"), [("TF010", Severity::Error)]);
    assert_eq!(found(&model("read_w", objects), "2.5.3"), []);
    assert_eq!(found(&model("read_w", objects), "1.15.0"), []);
}
