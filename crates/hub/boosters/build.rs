//! Makes the rules of this crate from `rules/*.toml`.

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
}
