//! What `cargo lab torch-differential` found and filed: the verdict says today what the real release did.

use unskew_torch_matrix::differential::filed;

#[test]
fn verdicts_hold_on_every_case_that_was_filed() {
    let all = filed().unwrap();
    assert!(!all.is_empty(), "no cases");
    let mut wrong = Vec::new();
    for case in &all {
        let Some(cell) = case.cell().unwrap() else { continue };
        if !cell.agrees() {
            wrong.push(format!("{}: said {:?}, really {:?}", cell.file, cell.said, cell.real));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
