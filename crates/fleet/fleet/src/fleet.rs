//! A fleet: its database, its depot, and who judges.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use unskew_artifact::{Content, ConvertOptions};
use unskew_core::Context;

use crate::answer::{ArtifactAnswer, StandIn};
use crate::decision::{Considered, Decision, DeliveryPolicy, For, conclude};
use crate::examine::{Examined, Given};
use crate::store::{KeptAnswer, KeptRuntime, Made, PublishedVersion, Store, StoreError};
use crate::{
    BlobStore, Digest, FleetError, Inspectors, JudgeIdentity, Runtime, RuntimeProfile,
    StoredArtifact, name,
};

/// How many names a message shows.
const SHOWN: usize = 6;

/// How often something is added that is taken away at the same time.
const TRIES: u32 = 4;

/// What adding a runtime did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationResult {
    /// There was none of this name.
    Added,
    /// It stands in place of another of the same name.
    Replaced,
    /// It was there already.
    Unchanged,
}

/// The result of publishing a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishResult {
    /// The version that the artifact is.
    pub version: i64,
    /// The content address (SHA-256) of the artifact.
    pub artifact: Digest,
    /// Whether it is a new version: the newest one again is none.
    pub new: bool,
}

/// In which ways a runtime is asked about an artifact. The numbers stand in the keys of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueryMode {
    AsIs = 0,
    /// Or converted, without a loss.
    Exact = 1,
    /// Or converted, with a loss if there is no other way.
    Lossy = 2,
}

impl QueryMode {
    /// Those that a policy allows.
    fn for_policy(policy: &DeliveryPolicy) -> Self {
        if policy.accept_lossy { Self::Lossy } else { Self::Exact }
    }

    fn options(self) -> Option<ConvertOptions> {
        match self {
            Self::AsIs => None,
            Self::Exact => Some(ConvertOptions::default()),
            Self::Lossy => Some(ConvertOptions::default().lossy()),
        }
    }
}

/// An artifact of the depot, opened.
#[derive(Clone)]
enum Opened {
    /// It was read in this process.
    Read(Arc<Examined>),
    /// It is read by others.
    Unread(Arc<Content>, Arc<Inspectors>),
}

/// The runtimes and models of a fleet, in a folder: `fleet.db` and `artifacts/`.
pub struct Fleet {
    store: Store,
    depot: BlobStore,
    judge: JudgeIdentity,
    /// Runtimes that were built, by the digest of their profile.
    built: HashMap<Digest, Arc<Runtime>>,
    /// The artifact that was opened last.
    opened: Option<(Digest, String, Opened)>,
    /// Who reads artifacts; nobody, if this process may.
    inspectors: Option<Arc<Inspectors>>,
}

impl Fleet {
    /// The fleet in `folder`, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made, or is that of a newer Unskew.
    pub fn open(folder: &Path) -> Result<Self, FleetError> {
        Self::at(folder, None, None)
    }

    /// A fleet whose database and artifacts may lie elsewhere than in its folder, which is then not needed:
    /// [`Store::open`] and [`BlobStore::at`] say where.
    ///
    /// # Errors
    /// If something is not there and cannot be made, or is that of a newer Unskew.
    pub fn at(
        folder: &Path,
        database: Option<&str>,
        artifacts: Option<&str>,
    ) -> Result<Self, FleetError> {
        let depot = match artifacts {
            Some(address) => BlobStore::at(address)?,
            None => BlobStore::open(&folder.join("artifacts"))?,
        };
        let store = match database {
            Some(address) => Store::open(address)?,
            None => {
                let made = std::fs::create_dir_all(folder);
                made.map_err(|source| FleetError::Io { path: folder.to_owned(), source })?;
                Store::sqlite(&folder.join("fleet.db"))?
            }
        };
        Ok(Self::over(store, depot))
    }

    /// A fleet over any database.
    pub fn over(mut store: Store, depot: BlobStore) -> Self {
        let shelf = depot.clone();
        store.ask_of_artifacts(Arc::new(move |digest| {
            shelf.has(digest).map_err(|error| StoreError::Database(error.into()))
        }));
        let judge = JudgeIdentity::of_this_program();
        Self { store, depot, judge, built: HashMap::new(), opened: None, inspectors: None }
    }

    /// The same, where artifacts are read in processes of their own.
    #[must_use]
    pub fn inspected_by(mut self, inspectors: Arc<Inspectors>) -> Self {
        self.inspectors = Some(inspectors);
        self
    }

    /// Reads something that may become an artifact, without a verdict.
    ///
    /// # Errors
    /// If it cannot be read, or is of no kind that Unskew knows.
    pub fn look(&self, content: &Content) -> Result<(), FleetError> {
        match &self.inspectors {
            Some(inspectors) => inspectors.look(content),
            None => Ok(content.parties(&unskew_artifact::OpenOptions::default()).map(|_| ())?),
        }
    }

    /// Where its artifacts lie.
    pub fn depot(&self) -> &BlobStore {
        &self.depot
    }

    /// The database in which the fleet is kept.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The judge, which has the built-in database of releases.
    pub fn judge(&self) -> &JudgeIdentity {
        &self.judge
    }

    /// Adds a runtime, or puts it in place of the one of the same name.
    ///
    /// # Errors
    /// If the profile describes none, or the database cannot be written.
    pub fn put_runtime(
        &mut self,
        profile: &RuntimeProfile,
        day: &str,
    ) -> Result<RegistrationResult, FleetError> {
        name::check(&profile.name)?;
        profile.runtime()?;
        let known = self.store.runtime(&profile.name)?;
        let text = profile.to_json();
        let change = match &known {
            Some(known) if known.profile == text => return Ok(RegistrationResult::Unchanged),
            Some(_) => RegistrationResult::Replaced,
            None => RegistrationResult::Added,
        };
        self.store.put_runtime(&KeptRuntime {
            name: profile.name.clone(),
            profile: text,
            digest: profile.digest(),
            devices: profile.devices,
            since: day.to_owned(),
        })?;
        Ok(change)
    }

    /// Takes a runtime out from a day on.
    ///
    /// # Errors
    /// [`FleetError::NoRuntime`] if it is not there.
    pub fn remove_runtime(&mut self, name: &str, day: &str) -> Result<(), FleetError> {
        match self.store.remove_runtime(name, day)? {
            true => Ok(()),
            false => Err(self.no_runtime(name)?),
        }
    }

    /// All runtimes, by name.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn runtimes(&mut self) -> Result<Vec<KeptRuntime>, FleetError> {
        Ok(self.store.runtimes()?)
    }

    /// One runtime.
    ///
    /// # Errors
    /// [`FleetError::NoRuntime`] if it is not there.
    pub fn runtime(&mut self, name: &str) -> Result<KeptRuntime, FleetError> {
        match self.store.runtime(name)? {
            Some(runtime) => Ok(runtime),
            None => Err(self.no_runtime(name)?),
        }
    }

    /// All runtimes as they were on a day, by name.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn runtimes_on(&mut self, day: &str) -> Result<Vec<KeptRuntime>, FleetError> {
        Ok(self.store.runtimes_on(day)?)
    }

    /// One runtime as it was on a day; before its first day, as it was on that.
    ///
    /// # Errors
    /// [`FleetError::NoRuntime`] if it is not there on that day.
    pub fn runtime_on(&mut self, name: &str, day: &str) -> Result<KeptRuntime, FleetError> {
        match self.store.runtime_on(name, day)? {
            Some(runtime) => Ok(runtime),
            None => Err(self.no_runtime(name)?),
        }
    }

    /// The runtime of a kept profile, as models are held against it.
    ///
    /// # Errors
    /// If the database of releases no longer has what the profile names.
    pub fn built(&mut self, kept: &KeptRuntime) -> Result<Arc<Runtime>, FleetError> {
        if let Some(runtime) = self.built.get(&kept.digest) {
            return Ok(runtime.clone());
        }
        let runtime = Arc::new(RuntimeProfile::read(&kept.profile)?.runtime()?);
        self.built.insert(kept.digest, runtime.clone());
        Ok(runtime)
    }

    /// Publishes what lies at `path` as the next version of a model. The artifact is in the depot before the
    /// database knows of it; what is published twice in a row is one version.
    ///
    /// # Errors
    /// If it cannot be read, is of no kind that Unskew knows, or cannot be kept.
    pub fn publish(
        &mut self,
        model: &str,
        path: &Path,
        day: &str,
    ) -> Result<PublishResult, FleetError> {
        name::check(model)?;
        let whole = path.canonicalize();
        let whole = whole.map_err(|source| FleetError::Io { path: path.to_owned(), source })?;
        let file = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let content = Content::at(path)?;
        self.look(&content)?;
        let mut tries = 1..TRIES;
        loop {
            let StoredArtifact { digest: artifact, size, .. } = self.depot.add(&content)?;
            match self.store.publish(model, &artifact, &file, size, day) {
                // It was there, and was taken away before the database could name it.
                Err(StoreError::Absent(_)) if tries.next().is_some() => {}
                done => {
                    return Ok(done.map(|(version, new)| PublishResult {
                        version,
                        artifact,
                        new,
                    })?);
                }
            }
        }
    }

    /// The models, with their numbers of versions.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn models(&mut self) -> Result<Vec<(String, u64)>, FleetError> {
        Ok(self.store.models()?)
    }

    /// The versions of a model that were published by a day, newest first.
    ///
    /// # Errors
    /// [`FleetError::NoModel`] if there is no such model.
    pub fn versions(
        &mut self,
        model: &str,
        day: &str,
    ) -> Result<Vec<PublishedVersion>, FleetError> {
        let versions = self.store.versions(model, day)?;
        if versions.is_empty() {
            let known = self.store.models()?;
            if known.iter().all(|(name, _)| name != model) {
                let known = known.into_iter().take(SHOWN).map(|(name, _)| name).collect();
                return Err(FleetError::NoModel { name: model.to_owned(), known });
            }
        }
        Ok(versions)
    }

    /// Decides what a runtime of the fleet gets of a model.
    ///
    /// # Errors
    /// If there is no such model or runtime, or something cannot be read.
    pub fn decide(
        &mut self,
        model: &str,
        runtime: &str,
        policy: &DeliveryPolicy,
    ) -> Result<Decision, FleetError> {
        let kept = self.runtime_on(runtime, &policy.as_of.to_string())?;
        self.decide_for(model, &kept, policy)
    }

    /// Decides what a runtime gets of a model.
    ///
    /// # Errors
    /// As [`Fleet::decide`].
    pub fn decide_for(
        &mut self,
        model: &str,
        runtime: &KeptRuntime,
        policy: &DeliveryPolicy,
    ) -> Result<Decision, FleetError> {
        let answer =
            |fleet: &mut Self, version: &PublishedVersion| fleet.answer(version, runtime, policy);
        self.decision(model, runtime, policy, answer)
    }

    /// The same decision, if everything that it needs was asked before: no artifact is opened for it.
    ///
    /// # Errors
    /// As [`Fleet::decide`].
    pub fn known_decision(
        &mut self,
        model: &str,
        runtime: &KeptRuntime,
        policy: &DeliveryPolicy,
    ) -> Result<Option<Decision>, FleetError> {
        let known = |fleet: &mut Self, version: &PublishedVersion| {
            let PublishedVersion { artifact, file, .. } = version;
            let known =
                fleet.known(artifact, file, &runtime.digest, policy, QueryMode::for_policy(policy));
            known.and_then(|known| known.ok_or(FleetError::NotAsked))
        };
        match self.decision(model, runtime, policy, known) {
            Ok(decision) => Ok(Some(decision)),
            Err(FleetError::NotAsked) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn decision(
        &mut self,
        model: &str,
        runtime: &KeptRuntime,
        policy: &DeliveryPolicy,
        mut ask: impl FnMut(&mut Self, &PublishedVersion) -> Result<ArtifactAnswer, FleetError>,
    ) -> Result<Decision, FleetError> {
        let day = policy.as_of.to_string();
        let versions = self.versions(model, &day)?;
        let mut considered = Vec::new();
        let mut size = 0;
        for version in versions {
            let answer = ask(self, &version)?;
            let fits = policy.way(&answer);
            size = version.size;
            considered.push(Considered {
                version: version.number,
                published: version.published,
                file: version.file,
                artifact: version.artifact,
                fits,
                answer,
            });
            if fits.is_some() {
                break;
            }
        }
        let (decision, mut deliver) = conclude(&considered);
        if let Some(delivery) = &mut deliver
            && delivery.made_from.is_none()
        {
            delivery.size = size;
        }
        Ok(Decision {
            schema: "unskew.fleet.decision".to_owned(),
            schema_version: 1,
            judge: self.judge.clone(),
            as_of: day,
            policy: policy.into(),
            model: model.to_owned(),
            runtime: For {
                name: runtime.name.clone(),
                profile: runtime.digest,
                since: runtime.since.clone(),
                devices: runtime.devices,
            },
            decision,
            deliver,
            considered,
        })
    }

    /// What a runtime says to a version of a model, and to what can be made of it.
    ///
    /// # Errors
    /// If the artifact or the profile cannot be read, or the answer cannot be kept.
    pub fn answer(
        &mut self,
        version: &PublishedVersion,
        runtime: &KeptRuntime,
        policy: &DeliveryPolicy,
    ) -> Result<ArtifactAnswer, FleetError> {
        self.ask(&version.artifact, &version.file, runtime, policy, QueryMode::for_policy(policy))
    }

    /// What a runtime says to an artifact as it is.
    ///
    /// # Errors
    /// As [`Fleet::answer`].
    pub fn answer_as_is(
        &mut self,
        artifact: &Digest,
        file: &str,
        runtime: &KeptRuntime,
        policy: &DeliveryPolicy,
    ) -> Result<ArtifactAnswer, FleetError> {
        self.ask(artifact, file, runtime, policy, QueryMode::AsIs)
    }

    /// From the database if it was asked before, else from the artifact.
    fn ask(
        &mut self,
        artifact: &Digest,
        file: &str,
        runtime: &KeptRuntime,
        policy: &DeliveryPolicy,
        ways: QueryMode,
    ) -> Result<ArtifactAnswer, FleetError> {
        if let Some(answer) = self.known(artifact, file, &runtime.digest, policy, ways)? {
            return Ok(answer);
        }
        let key = self.key(artifact, file, &runtime.digest, ways);
        let options = ways.options();
        let mut tries = 1..TRIES;
        loop {
            let Given { answer, day } = match self.opened(artifact, file)? {
                Opened::Unread(content, inspectors) => {
                    let conversion =
                        options.as_ref().map(|_| (&self.depot, ways == QueryMode::Lossy));
                    inspectors.answer(&content, artifact, runtime, policy.as_of, conversion)?
                }
                Opened::Read(examined) => {
                    let built = self.built(runtime)?;
                    let conversion = options.as_ref().map(|options| (&self.depot, options));
                    examined.answer(&built, &Context::on(policy.as_of), conversion)?
                }
            };
            let attempt = answer.converted.as_ref();
            let made = attempt.and_then(|attempt| attempt.result.zip(attempt.size));
            let made = made.map(|(result, size)| Made {
                source: *artifact,
                profile: runtime.digest,
                judge: self.judge.fingerprint.clone(),
                result,
                size,
            });
            let kept = KeptAnswer { day: day.map(|day| day.to_string()), body: answer.pack() };
            match self.store.put_answer(&key, &kept, made.as_ref()) {
                // The result was there, and was taken away before the database could name it.
                Err(StoreError::Absent(_)) if tries.next().is_some() => {}
                // Shown as it will be from the database.
                done => {
                    return Ok(
                        done.map(|()| ArtifactAnswer::unpack(&kept.body, file).unwrap_or(answer))?
                    );
                }
            }
        }
    }

    /// What was said before and still holds.
    fn known(
        &mut self,
        artifact: &Digest,
        file: &str,
        profile: &Digest,
        policy: &DeliveryPolicy,
        ways: QueryMode,
    ) -> Result<Option<ArtifactAnswer>, FleetError> {
        let kept = self.store.answer(&self.key(artifact, file, profile, ways))?;
        let day = policy.as_of.to_string();
        let holds = kept.filter(|kept| kept.day.as_ref().is_none_or(|known| *known == day));
        Ok(holds.and_then(|kept| ArtifactAnswer::unpack(&kept.body, file)))
    }

    /// The key under which the answer to a version is kept: for whoever brings answers from elsewhere.
    pub fn answer_key(
        &self,
        artifact: &Digest,
        file: &str,
        profile: &Digest,
        policy: &DeliveryPolicy,
    ) -> Vec<u8> {
        self.key(artifact, file, profile, QueryMode::for_policy(policy))
    }

    /// The key of an answer. The ending of the file has a say in what it is.
    fn key(&self, artifact: &Digest, file: &str, profile: &Digest, ways: QueryMode) -> Vec<u8> {
        let mut hasher = Sha256::new();
        hasher.update(artifact.as_bytes());
        hasher.update(profile.as_bytes());
        hasher.update(self.judge.fingerprint.as_bytes());
        hasher.update([ways as u8]);
        hasher.update(StandIn::for_name(file).as_bytes());
        Digest::finish(hasher).as_bytes()[..16].to_vec()
    }

    /// An artifact of the depot, opened; the last one stays open for the next runtime.
    fn opened(&mut self, artifact: &Digest, file: &str) -> Result<Opened, FleetError> {
        if let Some((digest, name, opened)) = &self.opened
            && (digest, name.as_str()) == (artifact, file)
        {
            return Ok(opened.clone());
        }
        let opened = match &self.inspectors {
            Some(inspectors) => {
                let content = self.depot.content(artifact, &StandIn::for_name(file))?;
                Opened::Unread(Arc::new(content), inspectors.clone())
            }
            None => Opened::Read(Arc::new(Examined::open(&self.depot, artifact, file)?)),
        };
        self.opened = Some((*artifact, file.to_owned(), opened.clone()));
        Ok(opened)
    }

    fn no_runtime(&mut self, name: &str) -> Result<FleetError, FleetError> {
        let known = self.store.runtimes()?.into_iter().take(SHOWN).map(|runtime| runtime.name);
        Ok(FleetError::NoRuntime { name: name.to_owned(), known: known.collect() })
    }
}
