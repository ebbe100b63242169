//! The way in, and the way out of what went wrong.

use maud::html;

use crate::address::Address;
use crate::frame::{Frame, Section};

/// The page on which a token is given. `next` is where the way goes on; `wrong` says what was wrong with the last one.
pub fn login(frame: &Frame<'_>, next: &str, wrong: Option<&str>) -> String {
    let main = html! {
        h1 { "Sign in" }
        p { "This fleet is shown to those who have a token. A token with the role " code { "read" } " is enough; it is kept in a cookie of this browser until you sign out." }
        @if let Some(wrong) = wrong { div class="banner bad" role="alert" { p { (wrong) } } }
        form class="find" action=(Address::login().path()) method="post" {
            input type="hidden" name="next" value=(next);
            label { "Token" input type="password" name="token" size="44" autocomplete="off" required autofocus; }
            button { "Sign in" }
        }
    };
    frame.page(Section::Other, "Sign in", main)
}

/// The page for what is not there or could not be done.
pub fn problem(frame: &Frame<'_>, title: &str, message: &str) -> String {
    let main = html! {
        h1 { (title) }
        p { (message) }
        p { a href=(Address::overview()) { "To the fleet" } }
    };
    frame.page(Section::Other, title, main)
}
