//! Long lists: what they are searched for, and which page of them is shown.

use maud::{Markup, html};

use crate::address::Address;
use crate::amount;

/// Which part of a list is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPage {
    /// What names must contain.
    pub contains: String,
    /// The page, from 1.
    pub page: u64,
    /// How many stand on a page.
    pub size: u64,
    /// How many there are on all pages.
    pub all: u64,
}

impl ListPage {
    /// How many are left out before this page.
    pub fn skip(&self) -> u64 {
        self.page.saturating_sub(1).saturating_mul(self.size)
    }

    /// How many pages there are.
    pub fn pages(&self) -> u64 {
        self.all.div_ceil(self.size.max(1)).max(1)
    }

    /// The form to search with. Whatever else stands in the address stays.
    pub(crate) fn search(&self, label: &str, address: &Address) -> Markup {
        html! {
            form class="find" role="search" action=(address.path()) method="get" {
                @for (key, value) in address.query() { input type="hidden" name=(key) value=(value); }
                label { (label) input type="search" name="contains" value=(self.contains) size="28"; }
                button { "Search" }
            }
        }
    }

    /// Where one is, and the ways to the other pages.
    pub(crate) fn pager(&self, of: &str, address: &Address) -> Markup {
        let pages = self.pages();
        let to = |page: u64| {
            let address = address.clone().with_some("contains", &self.contains);
            if page == 1 { address } else { address.with("page", page) }
        };
        let first = self.skip() + 1;
        let last = (self.skip() + self.size).min(self.all);
        html! {
            nav class="pager" aria-label={ "Pages of " (of) "s" } {
                span {
                    @if self.all == 0 { "No " (of) "s" }
                    @else if pages == 1 { (amount::counted(self.all, of)) }
                    @else { (amount::count(first)) " to " (amount::count(last)) " of " (amount::counted(self.all, of)) }
                    @if !self.contains.is_empty() {
                        " with " q { (self.contains) } " in the name; " a href=(address) { "all" }
                    }
                }
                @if self.page > 2 { a href=(to(1)) { "First" } }
                @if self.page > 1 { a rel="prev" href=(to(self.page - 1)) { "Previous" } }
                @if self.page < pages { a rel="next" href=(to(self.page + 1)) { "Next" } }
                @if self.page + 1 < pages { a href=(to(pages)) { "Last" } }
            }
        }
    }
}
