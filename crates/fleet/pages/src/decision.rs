//! Page of a decision: what a runtime gets of a model, with everything that this comes from.

use maud::{Markup, html};
use unskew_core::Severity;
use unskew_fleet::{AcceptUnjudged, Considered, Decision, DecisionKind, DeliveryMode};

use crate::address::{Address, PageView};
use crate::amount;
use crate::frame::{Frame, Section, heading};
use crate::reason::{attempted, judged};
use crate::terms;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct DecisionPage {
    /// How it is looked at.
    pub view: PageView,
    /// The decision that is shown, with its reasons.
    pub decision: Decision,
    /// A version that was asked for and that the decision did not need.
    pub also: Option<Considered>,
    /// Where the decision stands as JSON.
    pub json: Option<String>,
    /// Where what is delivered can be fetched.
    pub download: Option<String>,
}

impl DecisionPage {
    /// The page as HTML, within its frame.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let Decision { model, runtime, .. } = &self.decision;
        let title = format!("{model} for {}", runtime.name);
        let way = [
            ("Fleet", Address::overview().seen(&self.view)),
            (model.as_str(), Address::model(model).seen(&self.view)),
        ];
        let main = html! {
            (heading(&way, &html! { (title) }))
            (self.delivered())
            (terms::form(&self.view, &Address::decision(model, &runtime.name)))
            h2 { "Versions that were asked" }
            @for one in &self.decision.considered { (considered(one)) }
            @if let Some(one) = &self.also {
                h2 { "A version that was not needed" }
                (considered(one))
            }
            (self.again())
        };
        frame.page(Section::Fleet, &title, main)
    }

    fn delivered(&self) -> Markup {
        let Decision { model, runtime, deliver, decision, .. } = &self.decision;
        html! {
            p class="big" {
                @match deliver {
                    Some(one) => {
                        "Gets " b { "version " (one.version) @if one.made_from.is_some() { " converted" } @else { " as it is" } }
                        @if matches!(decision, DecisionKind::Older | DecisionKind::OlderConverted) { ", because nothing newer fits" }
                        "."
                    }
                    None if *decision == DecisionKind::Unrelated => { "Has " b { "nothing in common" } " with the model." }
                    None => { b class="error" { "Nothing fits." } }
                }
            }
            dl {
                dt { "Model" } dd { a href=(Address::model(model).seen(&self.view)) { (model) } }
                dt { "Runtime" }
                dd { a href=(Address::runtime(&runtime.name).seen(&self.view)) { (runtime.name) } ", " (amount::counted(runtime.devices, "device")) }
                @if let Some(one) = deliver {
                    dt { "Artifact" } dd { code { (one.artifact) } }
                    @if let Some(from) = &one.made_from { dt { "Made from" } dd { code { (from) } } }
                    dt { "File" } dd { (one.file) ", " (amount::bytes(one.size)) ", published " (one.published) }
                    @if let Some(download) = &self.download { dt { "Fetch" } dd { a href=(download) { "the artifact" } } }
                }
            }
        }
    }

    /// All that the same decision needs to be made again.
    fn again(&self) -> Markup {
        let Decision { judge, as_of, policy, runtime, .. } = &self.decision;
        html! {
            h2 { "Made again" }
            p { "The same day, profile, policy and judge give the same bytes." }
            dl {
                dt { "As of" } dd { (as_of) }
                dt { "Kept back by" }
                dd { (policy.deny) " and above" (unjudged(policy.accept_unjudged)) @if policy.accept_lossy { "; conversions may drop something" } }
                dt { "Profile" } dd { code { (runtime.profile) } }
                dt { "Judge" } dd { "unskew " (judge.tool_version) ", " code { (judge.fingerprint) } ", database up to " (judge.newest_release) }
                dt { "Command" } dd { code { (self.command()) } }
                @if let Some(json) = &self.json { dt { "JSON" } dd { a href=(json) { "this decision" } } }
            }
        }
    }

    fn command(&self) -> String {
        let Decision { model, runtime, as_of, .. } = &self.decision;
        let mut text =
            format!("unskew fleet decide {model} --runtime {} --as-of {as_of}", runtime.name);
        if self.view.policy.deny != Severity::Error {
            text.push_str(&format!(" --deny {}", self.view.policy.deny));
        }
        let accepted = self.view.policy.accept_unjudged;
        if accepted != AcceptUnjudged::default() {
            text.push_str(&format!(" --accept-unjudged {}", accepted.as_str()));
        }
        if self.view.policy.accept_lossy {
            text.push_str(" --accept-lossy");
        }
        text
    }
}

fn considered(one: &Considered) -> Markup {
    html! {
        article id={ "version-" (one.version) } {
            h3 {
                "Version " (one.version) ": "
                @match one.fits {
                    Some(DeliveryMode::AsIs) => "fits as it is",
                    Some(DeliveryMode::Converted) => "fits converted",
                    None => { span class="error" { "does not fit" } }
                }
            }
            p class="dim" { (one.file) ", published " (one.published) ", " code { (one.artifact) } }
            article { h3 { "As it is" } (judged(&one.answer.as_is)) }
            @if let Some(attempt) = &one.answer.converted {
                article { h3 { "Converted" } (attempted(attempt)) }
            }
        }
    }
}

/// What keeps an artifact back besides findings.
fn unjudged(accepted: AcceptUnjudged) -> &'static str {
    match accepted {
        AcceptUnjudged::Nothing => "; and by whatever was not judged",
        AcceptUnjudged::Common => {
            "; and by what was not judged, but for kernels, behaviour and data"
        }
        AcceptUnjudged::All => "; what was not judged is delivered",
    }
}
