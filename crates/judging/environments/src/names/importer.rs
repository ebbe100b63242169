//! Imports of modules without running them: each once, after those that it lies in.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use unskew_python_source::{Openness, PythonModule};
use unskew_source::read_text;

use super::extension_names::ExtensionNames;
use super::finder::{Location, ModuleFinder};
use super::missing::{Asked, ImportFailure};
use super::namespace::{LoadedModule, Value};
use super::recorder::{Cover, Recorder};
use super::source_cache::SourceCache;
use super::steps::{Flow, Frame, MODULE_NOT_FOUND};

/// How deep imports nest that are followed; Python itself ends at 1,000 frames.
const DEPTH: usize = 250;

/// The most modules that are read, and the most bytes of all their sources.
const MODULES: usize = 50_000;
const BYTES: usize = 1 << 30;

/// What is known of an environment while imports are followed. Its steps are in `steps`, its names in `namespace`.
pub(super) struct Importer<'a> {
    pub(super) finder: ModuleFinder,
    pub(super) python: Option<(u32, u32)>,
    /// `sys.platform` and `os.name`.
    pub(super) platform: Option<[&'static str; 2]>,
    /// The versions of packages by the modules at their top.
    pub(super) versions: &'a BTreeMap<String, String>,
    /// Whether what one module asks of another is not judged.
    pub(super) is_trusted: &'a dyn Fn(&str, &str) -> bool,
    pub(super) modules: HashMap<String, LoadedModule>,
    /// The functions and classes of which it is known which keywords they take: module and name.
    pub(super) callables: Vec<(String, String)>,
    /// The modules that are imported now.
    pub(super) chain: Vec<String>,
    /// The modules whose versions decided that the steps that are taken now are taken.
    pub(super) compared: Vec<String>,
    /// Names of functions while one is followed.
    pub(super) locals: Vec<HashMap<String, Value>>,
    /// How many steps were taken, and how deep those nest that are taken now.
    pub(super) taken: usize,
    pub(super) nesting: usize,
    /// How many `try` are open whose handlers catch a module that is not there.
    pub(super) open_handlers: usize,
    /// Imports of modules that are not there, under conditions that are not known and below no such `try`.
    pub(super) conditional_failures: Vec<ImportFailure>,
    /// Whether there was more than is followed.
    pub(super) is_cut: bool,
    /// What is asked of packages that are not there, where that is recorded; see `recorder`.
    pub(super) recorder: Option<Recorder>,
    /// The modules at the top of packages that change `sys.path`.
    path_changers: HashSet<String>,
    /// The modules at the top of packages whose modules are loaded by a loader of their own.
    finder_installers: HashSet<String>,
    /// How many bytes of sources were read.
    bytes: usize,
    /// What extension modules were asked for.
    pub(super) extensions: ExtensionNames,
    /// What was read of sources before.
    pub(super) cache: SourceCache,
}

impl<'a> Importer<'a> {
    pub(super) fn new(
        finder: ModuleFinder,
        python: Option<(u32, u32)>,
        platform: Option<[&'static str; 2]>,
        versions: &'a BTreeMap<String, String>,
        is_trusted: &'a dyn Fn(&str, &str) -> bool,
    ) -> Self {
        Self {
            finder,
            python,
            platform,
            versions,
            is_trusted,
            modules: HashMap::new(),
            callables: Vec::new(),
            chain: Vec::new(),
            compared: Vec::new(),
            locals: Vec::new(),
            taken: 0,
            nesting: 0,
            open_handlers: 0,
            conditional_failures: Vec::new(),
            is_cut: false,
            recorder: None,
            path_changers: HashSet::new(),
            finder_installers: HashSet::new(),
            bytes: 0,
            extensions: ExtensionNames::default(),
            cache: SourceCache::default(),
        }
    }

    /// How many modules were read.
    pub(super) fn count(&self) -> usize {
        self.modules.len()
    }

    /// Whether a module is missing in folders that several packages share, each of which may be installed or not.
    pub(super) fn is_in_namespace(&mut self, module: &str) -> bool {
        module.rsplit_once('.').is_some_and(|(parent, _)| {
            matches!(self.finder.find(parent), Location::Namespace(_) | Location::Nowhere)
        })
    }

    /// Whether a module that was imported has no source that says what it imports: it cannot be read, or is a folder alone.
    pub(super) fn is_unreadable(&mut self, module: &str) -> bool {
        let is_folder = matches!(self.finder.find(module), Location::Namespace(_));
        is_folder || self.modules.get(module).is_some_and(|loaded| loaded.source.is_none())
    }

    /// The source of a module that was read.
    pub(super) fn source(&self, module: &str) -> Option<Arc<PythonModule>> {
        self.modules.get(module)?.source.clone()
    }

    /// The modules that were imported.
    pub(super) fn imported(&self) -> Vec<String> {
        let mut all: Vec<String> = self.modules.keys().cloned().collect();
        all.sort_unstable();
        all
    }

    /// Imports a module by its whole name, after those that it lies in.
    pub(super) fn import(
        &mut self,
        module: &str,
        by: (&str, u32),
    ) -> Result<(), Box<ImportFailure>> {
        let ends = module.match_indices('.').map(|(at, _)| at).chain([module.len()]);
        for end in ends.collect::<Vec<_>>() {
            self.import_one(&module[..end], by)?;
        }
        Ok(())
    }

    pub(super) fn import_one(
        &mut self,
        module: &str,
        by: (&str, u32),
    ) -> Result<(), Box<ImportFailure>> {
        if let Some(recorder) = &mut self.recorder {
            recorder.import(by.0, module);
        }
        if let Some(loaded) = self.modules.get(module) {
            return loaded.result.clone().unwrap_or(Ok(()));
        }
        let location = self.finder.find(module);
        if location == Location::Nowhere && self.takes_as_there(module) {
            return Ok(());
        }
        if location == Location::Nowhere {
            let may_exist = self.may_be_registered(module) || self.has_other_path(by.0);
            return match may_exist || (self.is_trusted)(by.0, module) {
                true => Ok(()),
                false => Err(self.failure(Asked::Module(module.to_owned()), MODULE_NOT_FOUND, by)),
            };
        }
        if self.chain.len() >= DEPTH || self.modules.len() >= MODULES || self.bytes >= BYTES {
            self.is_cut = true;
            return Ok(());
        }
        let source = match &location {
            Location::Source(path, _) => self.read(path).map(Arc::new),
            Location::Namespace(_) => Some(Arc::new(PythonModule::default())),
            _ => None,
        };
        let mut names = HashMap::new();
        let lazy = source.iter().flat_map(|source| &source.lazy_names);
        names.extend(lazy.map(|name| (name.clone(), Value::Object)));
        let is_open = match &source {
            Some(source) => source.is_open,
            None => Some(Openness::NoSource),
        };
        if source.as_ref().is_some_and(|source| source.changes_path) {
            self.path_changers.insert(top_module(module).to_owned());
        }
        if source.as_ref().is_some_and(|source| source.installs_finder) {
            self.finder_installers.insert(top_module(module).to_owned());
        }
        let registers_modules = source.as_ref().is_none_or(|source| source.registers_modules);
        let extension = match location {
            Location::Extension(path, _) => Some(path),
            _ => None,
        };
        let loaded = LoadedModule {
            source: source.clone(),
            names,
            is_open,
            extension,
            star_extensions: Vec::new(),
            registers_modules,
            result: None,
        };
        self.modules.insert(module.to_owned(), loaded);
        self.chain.push(module.to_owned());
        let compared = std::mem::take(&mut self.compared);
        let cover = self.recorder.as_mut().map(|one| std::mem::take(&mut one.cover));
        let flow = match &source {
            Some(source) => self.run(&source.steps, Frame::body(module)),
            None => Flow::GoesOn,
        };
        self.chain.pop();
        self.compared = compared;
        if let (Some(recorder), Some(cover)) = (&mut self.recorder, cover) {
            recorder.cover = cover;
        }
        let result = match flow {
            Flow::Fails(failure) if failure.is_explained() => Err(failure),
            _ => Ok(()),
        };
        drop(source);
        if let Some(loaded) = self.modules.get_mut(module) {
            loaded.result = Some(result.clone());
            if let Some(source) = loaded.source.as_mut().and_then(Arc::get_mut) {
                source.forget_body();
            }
        }
        if let Some((parent, name)) = module.rsplit_once('.')
            && let Some(parent) = self.modules.get_mut(parent)
        {
            parent.names.entry(name.to_owned()).or_insert_with(|| Value::Module(module.to_owned()));
        }
        result
    }

    /// Takes a module of a package that is not there as one that has every name, if what is asked of it is recorded.
    fn takes_as_there(&mut self, module: &str) -> bool {
        let is_assumed = self.recorder.as_ref().is_some_and(|one| one.is_of_others(module));
        if is_assumed {
            let loaded = LoadedModule {
                source: None,
                names: HashMap::new(),
                is_open: Some(Openness::NoSource),
                extension: None,
                star_extensions: Vec::new(),
                registers_modules: true,
                result: Some(Ok(())),
            };
            self.modules.insert(module.to_owned(), loaded);
        }
        is_assumed
    }

    /// Whether what is asked of a module is recorded, and not judged.
    fn is_recorded(&self, module: &str) -> bool {
        let is_there = self.modules.get(module).is_some_and(|one| one.source.is_none());
        is_there && self.recorder.as_ref().is_some_and(|one| one.is_of_others(module))
    }

    /// Records that a module is imported.
    pub(super) fn record_import(&mut self, module: &str, by: &str) {
        if self.is_recorded(module)
            && let Some(recorder) = &mut self.recorder
        {
            recorder.ask(by, (module.to_owned(), false), MODULE_NOT_FOUND);
        }
    }

    /// Records that a name of a module is asked for.
    pub(super) fn record_name(&mut self, module: &str, name: &str, is_attribute: bool, by: &str) {
        // Python binds these itself.
        let is_special = name.starts_with("__") && name.ends_with("__");
        if !is_special
            && self.is_recorded(module)
            && let Some(recorder) = &mut self.recorder
        {
            let exception = if is_attribute { "AttributeError" } else { "ImportError" };
            recorder.ask(by, (format!("{module}:{name}"), is_attribute), exception);
        }
    }

    /// Whether what is recorded from now on is asked for by functions that nobody called yet.
    pub(super) fn set_recording_functions(&mut self, is_in_function: bool) {
        if let Some(recorder) = &mut self.recorder {
            recorder.is_in_function = is_in_function;
        }
    }

    /// What steps are under from now on, if they are recorded.
    pub(super) fn cover(&mut self) -> Option<&mut Cover> {
        self.recorder.as_mut().map(|one| &mut one.cover)
    }

    /// Reads a source; none if it cannot be read.
    fn read(&mut self, path: &Path) -> Option<PythonModule> {
        let text = read_text(path, unskew_python_source::LARGEST as u64).ok()?;
        self.bytes += text.len();
        self.cache.read(&text)
    }

    /// Whether a module without a file may exist, because one above it registers modules or is not read, or its package has a
    /// loader of its own.
    pub(super) fn may_be_registered(&self, module: &str) -> bool {
        if self.has_own_loader(module) {
            return true;
        }
        let mut above = module;
        while let Some((parent, _)) = above.rsplit_once('.') {
            if self.modules.get(parent).is_some_and(|loaded| {
                loaded.registers_modules || loaded.is_open == Some(Openness::NoSource)
            }) {
                return true;
            }
            above = parent;
        }
        false
    }

    /// Whether the package of a module adds folders to `sys.path`.
    pub(super) fn has_other_path(&self, module: &str) -> bool {
        self.path_changers.contains(top_module(module))
    }

    /// Whether the modules of a module's package are loaded by a loader of its own, as those of `tlz` are.
    pub(super) fn has_own_loader(&self, module: &str) -> bool {
        self.finder_installers.contains(top_module(module))
    }

    pub(super) fn failure(
        &self,
        asked: Asked,
        exception: &str,
        by: (&str, u32),
    ) -> Box<ImportFailure> {
        let exception = exception.to_owned();
        let (by, line) = (by.0.to_owned(), by.1);
        Box::new(ImportFailure { asked, exception, by, line, chain: self.chain.clone() })
    }
}

/// The module at the top of the package that a module lies in.
fn top_module(module: &str) -> &str {
    module.split('.').next().unwrap_or_default()
}
