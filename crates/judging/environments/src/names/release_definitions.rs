//! What a release defines: the classes and functions at the top of its modules, which pickles look up by module and name.

use std::collections::BTreeSet;

use unskew_python_source::Step;

use super::finder::Location;
use super::namespace::Value;
use super::release_sources::ReleaseSources;

/// What a module of a release defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleDefinitions {
    /// `ultralytics.nn.modules.block`.
    pub module: String,
    /// Its classes and functions, by name; of a module with modules inside, all public names that it binds; of an extension module,
    /// those that were found in it. None if that was not read.
    pub names: Option<BTreeSet<String>>,
    /// Whether it is an extension module.
    pub is_extension: bool,
}

impl ReleaseSources {
    /// What each of its modules defines. All of them are imported for that.
    pub fn definitions(&mut self) -> Vec<ModuleDefinitions> {
        let extension = |(module, names): (&String, &BTreeSet<String>)| ModuleDefinitions {
            module: module.clone(),
            names: Some(names.clone()).filter(|names| !names.is_empty()),
            is_extension: true,
        };
        let mut found: Vec<ModuleDefinitions> =
            self.extension_modules.iter().map(extension).collect();
        for module in self.modules.clone() {
            let _ = self.importer.import(&module, (&module, 0));
            let location = self.importer.finder.find(&module);
            let is_package =
                matches!(location, Location::Source(_, folders) if !folders.is_empty());
            let Some(loaded) = self.importer.modules.get(&module) else { continue };
            let Some(source) = &loaded.source else { continue };
            let mut names = source.definitions.clone();
            if is_package {
                // A star import of a module that computes `__all__` binds private names only here.
                let is_public = |(name, value): &(&String, &Value)| {
                    !matches!(value, Value::Module(_)) && !name.starts_with('_')
                };
                let bound = loaded.names.iter().filter(is_public);
                let mut bound: BTreeSet<String> = bound.map(|(name, _)| name.clone()).collect();
                remove_imported(&source.steps, &mut bound);
                names.extend(bound);
            }
            names.retain(|name| !is_special(name));
            found.push(ModuleDefinitions { module, names: Some(names), is_extension: false });
        }
        found
    }
}

/// Whether a name is one that Python gives to every module.
fn is_special(name: &str) -> bool {
    ["__getattr__", "__dir__", "__all__", "__version__"].contains(&name)
}

/// Takes out what `import` binds: modules of other packages, of which no more is known.
fn remove_imported(steps: &[Step], names: &mut BTreeSet<String>) {
    for step in steps {
        if let Some(name) = step.imported_module() {
            names.remove(name);
        }
        step.blocks().into_iter().for_each(|block| remove_imported(block, names));
    }
}
