//! An explanation as JSON: `schema` 1, one object.

use serde_json::{Map, Value, json};

use super::{ErrorCause, ErrorMatch, Explanation};

/// The version of the form. It is raised when a key goes away or means something else.
const SCHEMA: u32 = 1;

impl Explanation {
    /// The answer as JSON.
    pub fn json(&self) -> Value {
        let matches: Vec<Value> = self.matches.iter().map(match_json).collect();
        let elsewhere = self.elsewhere.iter();
        let elsewhere: Vec<Value> = elsewhere
            .map(|one| json!({ "about": one.about, "fix": one.fix, "code": one.code }))
            .collect();
        let here = self.here.as_ref().map(|(name, findings)| {
            let findings = findings.iter().map(|one| {
                json!({
                    "code": one.code,
                    "severity": one.severity.as_str(),
                    "message": one.message,
                    "fix": one.fix,
                })
            });
            json!({ "environment": name, "findings": findings.collect::<Vec<_>>() })
        });
        json!({ "schema": SCHEMA, "matches": matches, "not_versions": elsewhere, "here": here })
    }
}

fn match_json(one: &ErrorMatch) -> Value {
    let values: Map<String, Value> =
        one.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let causes = one.causes.iter().map(|cause| match cause {
        ErrorCause::Rule(rule) => json!({
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity.as_str(),
            "about": rule.summary,
            "fix": one.fix(cause),
        }),
        ErrorCause::Known(error) => {
            json!({ "code": null, "about": error.about, "fix": one.fix(cause) })
        }
    });
    json!({
        "said": one.said,
        "values": values,
        "facts": one.facts,
        "causes": causes.collect::<Vec<_>>(),
        "verb": one.next.verb.as_str(),
        "command": one.next.command,
    })
}
