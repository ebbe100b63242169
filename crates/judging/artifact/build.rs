//! Makes the rules of this crate from the files in `rules/`.

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
}
