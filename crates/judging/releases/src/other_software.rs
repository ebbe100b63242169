//! Software that people name as the other side of a file, and that is none: what judges it instead.

use crate::{PythonNames, declared_requirements};

const GPU: &str = "`unskew env --gpu sm_90 --driver 550` judges the CUDA code of what is installed";

const SERVER: &str = "it loads model folders by the transformers in it, and its own list of architectures is not known; `--with transformers@VERSION` judges the folder";

const EMBEDS: &str = "it has a llama.cpp inside; `--with llama.cpp@BUILD` judges a GGUF file, and its release notes name the build";

/// By names in small letters.
const KNOWN: [(&str, &str); 13] = [
    ("python", "`unskew env` judges packages against the Python that they are installed for"),
    ("cuda", GPU),
    ("cudnn", GPU),
    ("nvidia", GPU),
    ("driver", GPU),
    ("safetensors", "the format has one version, which every release reads"),
    ("tgi", SERVER),
    ("text-generation-inference", SERVER),
    ("ollama", EMBEDS),
    ("lmstudio", EMBEDS),
    ("lm-studio", EMBEDS),
    ("gguf", "`--with llama.cpp@BUILD` or `--with llama-cpp-python@VERSION` judges a GGUF file"),
    ("coremltools", NOT_YET),
];

const NOT_YET: &str = "models of it are not judged yet";

const PACKAGE: &str = "`unskew env` and `unskew lock` judge it beside the packages that need it";

/// What judges something of this name; none if nothing is known of it.
pub(crate) fn judged_by(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase().replace(['_', '.'], "-");
    let known = KNOWN.iter().find(|(one, _)| *one == name).map(|(_, what)| *what);
    known.or_else(|| {
        let is_package = declared_requirements(&name).is_some()
            || PythonNames::packages().any(|package| package == name);
        is_package.then_some(PACKAGE)
    })
}

#[cfg(test)]
mod tests {
    use super::judged_by;

    #[test]
    fn what_is_no_family_leads_to_what_judges_it() {
        for (name, word) in [
            ("numpy", "unskew env"),
            ("huggingface_hub", "unskew env"),
            ("CUDA", "--gpu"),
            ("tgi", "transformers@"),
            ("ollama", "llama.cpp@"),
        ] {
            assert!(judged_by(name).is_some_and(|text| text.contains(word)), "{name}");
        }
        assert_eq!(judged_by("torhc"), None);
    }
}
