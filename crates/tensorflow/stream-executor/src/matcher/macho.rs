//! Symbol lookup of dyld for a plug-in in a release: two-level names in the library that each is bound to, the others in
//! every image that is not local.

use unskew_abi::ObjectFormat;
use unskew_core::{Finding, Version};

use super::{instead, is_own, listed, unbound};
use crate::exports::{LoadedImage, LoadedImages, TensorFlowExports, exports, macos};
use crate::plugin::PluginImports;
use crate::rules;

/// A plug-in and what a release loads before it.
pub(super) struct MachoContext<'a> {
    plugin: &'a PluginImports,
    images: &'static LoadedImages,
    release: Version,
}

/// Where the release has a symbol that the plug-in imports.
enum SymbolLocation<'i> {
    /// Where dyld looks for it.
    Here,
    /// In this image, where dyld does not look for it.
    Elsewhere(&'i LoadedImage),
    Nowhere,
    /// In some image, but it is bound to a library that is not found.
    Unbound,
}

/// Whether nobody can install the release on the machine that the plug-in is for.
pub(super) fn has_no_wheel(plugin: &PluginImports, release: &TensorFlowExports) -> bool {
    no_wheel(plugin, release).is_some()
}

pub(super) fn no_wheel(plugin: &PluginImports, release: &TensorFlowExports) -> Option<Finding> {
    let macho = plugin.format == ObjectFormat::MachO;
    let last = macos::last_wheel(release.version(), &plugin.machine).filter(|_| macho)?;
    let rule = rules::NoWheelForMachine {
        release: &release.version(),
        machine: &plugin.machine,
        last: &last,
    };
    Some(rule.finding())
}

impl<'a> MachoContext<'a> {
    /// None if the release was not measured for the machine of the plug-in.
    pub(super) fn new(plugin: &'a PluginImports, release: &TensorFlowExports) -> Option<Self> {
        let images = release.images(&plugin.machine)?;
        Some(Self { plugin, images, release: release.version() })
    }

    /// The libraries that dyld does not find.
    pub(super) fn libraries(&self) -> Vec<Finding> {
        let finding = |library: &&String| {
            let there = self.of_same_file(library).map_or_else(
                || "no file there has that name".to_owned(),
                |image| format!("{} calls itself {}", image.file, image.install_name),
            );
            let rule = rules::LibraryUnderAnotherName {
                release: &self.release,
                library: &library,
                there: &there,
                remedy: &self.remedy(),
            };
            rule.finding().with_symptom(format!("Library not loaded: {library}"))
        };
        self.lacking().iter().map(finding).collect()
    }

    fn lacking(&self) -> Vec<&'a String> {
        let found = |path: &&String| self.images.loaded(path, &self.plugin.rpaths).is_some();
        self.plugin.libraries.iter().filter(|path| !found(path)).collect()
    }

    fn of_same_file(&self, library: &str) -> Option<&LoadedImage> {
        let file = |path: &str| path.rsplit('/').next().map(str::to_owned);
        self.images.iter().find(|image| file(image.file) == file(library))
    }

    /// The C functions that dyld does not find.
    pub(super) fn functions(&self) -> Vec<Finding> {
        let all = &self.plugin.functions;
        let nowhere = self.nowhere(all);
        let rule = rules::FunctionNotExported {
            release: &self.release,
            missing: &nowhere.len(),
            imported: &all.len(),
            names: &listed(&nowhere),
            remedy: &self.remedy(),
        };
        let missing = (!nowhere.is_empty()).then(|| unbound(self.plugin, rule.finding(), &nowhere));
        missing.into_iter().chain(self.elsewhere("C functions", all)).collect()
    }

    /// The C++ symbols that dyld does not find.
    pub(super) fn cpp(&self) -> Vec<Finding> {
        let all = &self.plugin.cpp;
        let nowhere = self.nowhere(all);
        let rule = rules::CppSymbolNotFound {
            release: &self.release,
            missing: &nowhere.len(),
            imported: &all.len(),
            names: &listed(&nowhere),
            remedy: &self.remedy(),
        };
        let missing = (!nowhere.is_empty()).then(|| unbound(self.plugin, rule.finding(), &nowhere));
        missing.into_iter().chain(self.elsewhere("C++ symbols", all)).collect()
    }

    /// Whether it is known of every C++ symbol where it is.
    pub(super) fn knows_cpp(&self) -> bool {
        let fails = |name: &String| {
            matches!(self.place(name), Some(SymbolLocation::Nowhere | SymbolLocation::Elsewhere(_)))
        };
        let names = &self.plugin.cpp;
        // One that is not found decides, whatever is known of the others.
        names.iter().any(fails) || names.iter().all(|name| self.place(name).is_some())
    }

    /// Where a symbol is; none if that is not known.
    fn place(&self, name: &str) -> Option<SymbolLocation<'_>> {
        let with: Vec<&LoadedImage> = self.images.with(name)?.collect();
        let Some(first) = with.first() else {
            // What is linked into TensorFlow may come from another library as well.
            let bound = self.plugin.bound.contains_key(name);
            let known = bound || self.plugin.alone || !name.starts_with("_Z") || is_own(name);
            return known.then_some(SymbolLocation::Nowhere);
        };
        let Some(library) = self.plugin.bound.get(name) else {
            let global = with.iter().any(|image| image.global);
            return Some(if global {
                SymbolLocation::Here
            } else {
                SymbolLocation::Elsewhere(first)
            });
        };
        Some(match self.images.loaded(library, &self.plugin.rpaths) {
            Some(image) if with.contains(&image) => SymbolLocation::Here,
            Some(_) => SymbolLocation::Elsewhere(first),
            None => SymbolLocation::Unbound,
        })
    }

    fn nowhere(&self, names: &'a [String]) -> Vec<&'a String> {
        names
            .iter()
            .filter(|name| matches!(self.place(name), Some(SymbolLocation::Nowhere)))
            .collect()
    }

    /// That dyld looks for symbols where they are not.
    fn elsewhere(&self, kind: &str, names: &'a [String]) -> Option<Finding> {
        let there = |name: &'a String| match self.place(name) {
            Some(SymbolLocation::Elsewhere(image)) => Some((name, image.file)),
            _ => None,
        };
        let symbols: Vec<(&String, &str)> = names.iter().filter_map(there).collect();
        let (first, file) = *symbols.first()?;
        let searched =
            self.plugin.bound.get(first).map_or("the images that are not local", |it| it);
        let names: Vec<&String> = symbols.into_iter().map(|(name, _)| name).collect();
        let rule = rules::SymbolInAnotherLibrary {
            release: &self.release,
            count: &names.len(),
            kind: &kind,
            searched: &searched,
            there: &file,
            names: &listed(&names),
            remedy: &self.remedy(),
        };
        Some(unbound(self.plugin, rule.finding(), &names))
    }

    /// Whether dyld finds everything, as far as that is known.
    fn is_whole(&self) -> bool {
        let here = |name: &String| matches!(self.place(name), Some(SymbolLocation::Here));
        let PluginImports { functions, cpp, .. } = self.plugin;
        self.lacking().is_empty() && functions.iter().chain(cpp).all(here)
    }

    fn remedy(&self) -> String {
        let machine = self.plugin.machine.as_str();
        let fits = |version: &Version| {
            MachoContext::new(self.plugin, &exports(version)).is_some_and(|seen| seen.is_whole())
        };
        let fits = macos::measured(machine).rev().find(fits);
        instead(fits.map(|fits| (macos::package(fits, machine), fits)), self.release)
    }
}
