//! The form that publishes a file.

use maud::html;

use crate::address::Address;
use crate::frame::{Frame, Section, heading};

/// The form for a new version, of `model` if that is known. With `token`, it asks for one: what a cookie opens changes
/// nothing.
pub fn publish(frame: &Frame<'_>, model: &str, token: bool) -> String {
    let main = html! {
        (heading(&[("Fleet", Address::overview())], &html! { "Publish a version" }))
        p {
            "The file is read and judged by a confined process, and becomes the newest version of the model. A folder, such as a "
            "SavedModel, is published by " code { "unskew fleet model add" } "."
        }
        form class="find" action=(Address::publish().path()) method="post" enctype="multipart/form-data" {
            @if token {
                label { "Token with the role publish" input type="password" name="token" size="44" autocomplete="off" required; }
            }
            label { "Model" input type="text" name="model" value=(model) size="30" required; }
            label { "File" input type="file" name="file" required; }
            button { "Publish" }
        }
    };
    frame.page(Section::Fleet, "Publish a version", main)
}
