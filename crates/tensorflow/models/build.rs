//! Makes the rules of this crate from `rules/*.toml`, and from the table of what ops do their names in order.

fn main() {
    unskew_rules_build::generate("rules", "unskew_core");
    unskew_rules_build::index("data/behaviour.tsv");
}
