//! Models against releases.

use std::sync::Arc;

use unskew_boosters::{BoosterModel, BoosterRelease, judge};
use unskew_core::{Judgement, Phase, aspect};
use unskew_source::{BytesSource, Source};

const TABLE: &str = "= lightgbm 2.3.1 3.0.0 3.0.4 3.2.1\n\
                     objective=rank_xendcg => load: Unknown objective type name\t2.3.1\n\
                     trees=linear => differs\t2.3.1..3.0.4\n\
                     objective=binary => same\t2.3.1..\n";

fn judged(rest: &str, version: &str) -> Judgement {
    let text = format!("tree\nversion=v3\n{rest}\nend of trees\n");
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("model.txt", text.into_bytes()));
    let model = BoosterModel::read(&source).unwrap().unwrap();
    judge(&model, &BoosterRelease::select(TABLE, version).unwrap()).unwrap()
}

#[test]
fn what_does_not_load_is_an_error_with_the_releases_that_load_it() {
    let judgement = judged("objective=rank_xendcg lambdarank\n", "2.3.1");
    let [finding] = judgement.findings.as_slice() else { panic!("{judgement:?}") };
    assert_eq!((finding.rule.code, finding.phase), ("BO001", Some(Phase::Load)));
    assert_eq!(finding.fix.as_deref(), Some("Install lightgbm 3.0.0 or later."));
    assert!(finding.message.contains("objective rank_xendcg"), "{}", finding.message);
}

#[test]
fn what_answers_otherwise_is_silent() {
    let judgement = judged("objective=binary\n\nTree=0\nis_linear=1\n", "3.0.0");
    assert_eq!(judgement.findings[0].rule.code, "BO002");
    assert_eq!(judgement.findings[0].phase, Some(Phase::Silent));
    assert!(judged("objective=binary\n\nTree=0\nis_linear=1\n", "3.2.1").findings.is_empty());
}

#[test]
fn what_was_not_measured_is_said() {
    let aspects = |judgement: &Judgement| -> Vec<String> {
        judgement.unjudged.iter().map(|one| one.aspect.clone().into()).collect()
    };
    assert_eq!(aspects(&judged("objective=binary\n", "3.0.0")), [aspect::BEHAVIOUR]);
    let own = judged("objective=mine\n", "3.0.0");
    assert_eq!(aspects(&own), [aspect::CONTENTS, aspect::BEHAVIOUR]);
    // Between two that do the same, a release does that.
    assert_eq!(aspects(&judged("objective=binary\n", "3.0.2")), [aspect::BEHAVIOUR]);
    // Else the newest of the same minor before it stands for it.
    let near = judged("objective=binary\n", "3.2.2");
    assert_eq!(aspects(&near), [aspect::VERSION, aspect::BEHAVIOUR]);
    assert!(near.unjudged[0].reason.contains("judged as 3.2.1"), "{:?}", near.unjudged);
    assert!(BoosterRelease::select(TABLE, "3.1.0").is_none());
}
