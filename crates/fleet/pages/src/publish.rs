//! The form that publishes a file.

use maud::html;

use crate::address::Address;
use crate::frame::{Frame, Section, heading};

/// The form for a new version, of `model` if that is known. Without `may`, who looks at it has to sign in as somebody else.
pub fn publish(frame: &Frame<'_>, model: &str, may: bool) -> String {
    let main = html! {
        (heading(&[("Fleet", Address::overview())], &html! { "Publish a version" }))
        p {
            "The file is read and judged by a confined process, and becomes the newest version of the model. A folder, such as a "
            "SavedModel, is published by " code { "unskew fleet model add" } "."
        }
        @if may {
            form class="find" action=(Address::publish().path()) method="post" enctype="multipart/form-data" {
                label { "Model" input type="text" name="model" value=(model) size="30" required; }
                label { "File" input type="file" name="file" required; }
                button { "Publish" }
            }
        } @else {
            p {
                "Your token does not have the role " code { "publish" } ". "
                a href=(Address::login().with("next", Address::publish().with_some("model", model))) { "Sign in with one that has it" }
                "."
            }
        }
    };
    frame.page(Section::Fleet, "Publish a version", main)
}
