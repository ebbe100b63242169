//! Makes the rules of this crate from their files.

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
}
