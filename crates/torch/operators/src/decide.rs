//! Decision on one call, for one release.

use unskew_core::Version;
use unskew_script::FunctionDefinition;
use unskew_torch_schemas::OperatorTable;

use crate::block_reason::BlockReason;
use crate::condition::ArgumentCondition;
use crate::functions::FunctionTexts;
use crate::operator_call::{CallFit, OperatorCall};
use crate::registry::OperatorRegistry;
use crate::registry_change::{Bridge, ChangeStart, RegistryChange, minor};

/// What is known of whoever wrote a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileWriter {
    /// The operator version that the file carries.
    pub operator_version: u32,
    /// The first minor release that can have written it.
    pub since: Option<Version>,
    /// The last minor release that can have written it.
    pub until: Option<Version>,
}

/// Where a call shall run.
#[derive(Clone, Copy, Debug)]
pub struct CallTarget<'t> {
    /// The operators of the release.
    pub table: &'t OperatorTable,
    /// The operator version that the converted file will carry. A release that applies its own upgraders
    /// needs none of ours as long as the file keeps its version.
    pub operator_version: u32,
}

/// What becomes of a call.
#[derive(Debug)]
pub enum CallDecision<'r> {
    /// It stays as it is.
    Keep,
    /// It stays in another form, which means the same.
    Fitted(CallFit),
    /// The function takes its place: today's operators for what the call meant.
    Upgrade(BridgeStep<'r>),
    /// The function takes its place: older operators for what the call means.
    Downgrade(BridgeStep<'r>),
    /// There is no exact form.
    Blocked(BlockReason),
}

/// A function that takes the place of a call.
#[derive(Clone, Copy, Debug)]
pub struct BridgeStep<'r> {
    /// Its body. It takes the arguments of [`Bridge::schema`], each of which may be given by name.
    pub function: &'r FunctionDefinition,
    /// The schema that it stands for, and where it runs.
    pub bridge: &'r Bridge,
    /// The change that it bridges.
    pub change: &'r RegistryChange,
}

/// On which side of a change something lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BridgeDirection {
    /// The call means what was before, the target does what is since.
    Up,
    /// The other way round.
    Down,
    /// Both on one side.
    Level,
}

impl OperatorRegistry {
    /// What becomes of a call that `writer` wrote, in `target`.
    ///
    /// The changes of the operator that lie between the two are asked in their order; the first one that
    /// concerns the call decides, of those on the way down the first one of meaning. If none does, the call
    /// stays if the target takes it.
    pub fn decide(
        &self,
        call: OperatorCall<'_>,
        writer: &FileWriter,
        target: CallTarget<'_>,
    ) -> CallDecision<'_> {
        let fit = call.fit(target.table);
        let mut older: Option<&RegistryChange> = None;
        for change in self.changes_of(&call.schema.full_name()) {
            match way(change, writer, target, fit.is_ok()) {
                _ if change.means_the_same(call) => {}
                Ok(BridgeDirection::Level) => {}
                Ok(BridgeDirection::Up) => {
                    if let Some(decision) = self.up(change, call, target) {
                        return decision;
                    }
                }
                Ok(BridgeDirection::Down) => match change.since {
                    ChangeStart::Version(_) | ChangeStart::Meaning(_) => {
                        return self.down(change, call, target);
                    }
                    // What is newer and means something else goes before what was not there yet; and of changes of several forms
                    // of the operator that of the call counts.
                    _ if older.is_none_or(|known| !known.is_of(call) && change.is_of(call)) => {
                        older = Some(change);
                    }
                    _ => {}
                },
                // Whatever it means, a release that does not take it does not run it.
                Err(unknown) => return CallDecision::Blocked(fit.err().unwrap_or(unknown)),
            }
        }
        if let Some(change) = older {
            return self.down(change, call, target);
        }
        match fit {
            Ok(fit) if fit == CallFit::default() => CallDecision::Keep,
            Ok(fit) => CallDecision::Fitted(fit),
            Err(blocked) => CallDecision::Blocked(blocked),
        }
    }

    /// The lowest operator version in which a call of a file of version `version` means what it means
    /// there: 0 for an operator that never changed.
    pub fn needs(&self, call: OperatorCall<'_>, version: u32) -> u32 {
        let changes = self.changes_of(&call.schema.full_name()).iter();
        let concerned = changes.filter(|change| !change.means_the_same(call));
        concerned
            .filter_map(|change| change.since.version())
            .filter(|v| *v <= version)
            .max()
            .unwrap_or(0)
    }

    /// None if the change is of another form of the operator.
    fn up<'r>(
        &'r self,
        change: &'r RegistryChange,
        call: OperatorCall<'_>,
        target: CallTarget<'_>,
    ) -> Option<CallDecision<'r>> {
        let release = target.table.release();
        if change.gone_in.is_some_and(|gone| gone <= minor(release)) {
            return None;
        }
        let Some(bridge) = &change.upgrader else {
            let why = change.note.clone();
            let no_form = BlockReason::NoForm { change: change.since.to_string(), why };
            return change.compatible.is_none().then_some(CallDecision::Blocked(no_form));
        };
        if !call.is_of(&bridge.schema) {
            return None;
        }
        Some(match self.step(&self.upgraders, change, bridge, call, release) {
            Ok(step) => CallDecision::Upgrade(step),
            Err(blocked) => CallDecision::Blocked(blocked),
        })
    }

    fn down<'r>(
        &'r self,
        change: &'r RegistryChange,
        call: OperatorCall<'_>,
        target: CallTarget<'_>,
    ) -> CallDecision<'r> {
        let why = change.note.clone().filter(|_| change.downgraders.is_empty());
        let mut blocked = BlockReason::NoForm { change: change.since.to_string(), why };
        let release = target.table.release();
        let known = change.downgraders.iter().filter(|bridge| bridge.on.contains(release));
        for bridge in known.filter(|bridge| call.is_of(&bridge.schema)) {
            match self.step(&self.downgraders, change, bridge, call, release) {
                Ok(step) => return CallDecision::Downgrade(step),
                Err(why) => blocked = why,
            }
        }
        CallDecision::Blocked(blocked)
    }

    fn step<'r>(
        &self,
        functions: &'r FunctionTexts,
        change: &'r RegistryChange,
        bridge: &'r Bridge,
        call: OperatorCall<'_>,
        release: Version,
    ) -> Result<BridgeStep<'r>, BlockReason> {
        let none =
            || BlockReason::NoForm { change: change.since.to_string(), why: change.note.clone() };
        if !bridge.on.contains(release) {
            return Err(none());
        }
        for condition in &bridge.only {
            let given = call.value(&condition.argument);
            if condition.holds(given) != Some(true) {
                let needs = condition.to_string();
                return Err(BlockReason::Value { needs, given: given.map(str::to_owned) });
            }
        }
        let function = functions.get(&bridge.function).ok_or_else(none)?;
        Ok(BridgeStep { function, bridge, change })
    }
}

/// Which way a change lies between a writer and a target. A form that the target takes has not gone.
fn way(
    change: &RegistryChange,
    writer: &FileWriter,
    target: CallTarget<'_>,
    fits: bool,
) -> Result<BridgeDirection, BlockReason> {
    let new = |release: Version| minor(target.table.release()) >= release;
    Ok(match change.since {
        ChangeStart::Version(bump) => {
            match (writer.operator_version < bump, target.operator_version < bump) {
                (true, false) => BridgeDirection::Up,
                (false, true) => BridgeDirection::Down,
                _ => BridgeDirection::Level,
            }
        }
        ChangeStart::Removed(release) | ChangeStart::Broken(release) if new(release) && !fits => {
            BridgeDirection::Up
        }
        ChangeStart::Broken(release) | ChangeStart::Added(release) if !new(release) && !fits => {
            BridgeDirection::Down
        }
        ChangeStart::Removed(_) | ChangeStart::Broken(_) | ChangeStart::Added(_) => {
            BridgeDirection::Level
        }
        ChangeStart::Meaning(changed_in) => {
            let old_file = writer.until.is_some_and(|until| until < changed_in);
            let new_file = writer.since.is_some_and(|since| since >= changed_in);
            match (old_file, new_file, new(changed_in)) {
                // Nobody meant what was before.
                (false, false, true) if change.compatible.is_some() => BridgeDirection::Level,
                (false, false, false) if change.compatible.is_some() => BridgeDirection::Down,
                (false, false, _) => return Err(BlockReason::WriterUnknown { changed_in }),
                (true, _, true) => BridgeDirection::Up,
                (_, true, false) => BridgeDirection::Down,
                _ => BridgeDirection::Level,
            }
        }
    })
}

impl RegistryChange {
    /// Whether a downgrader is for calls of this form.
    fn is_of(&self, call: OperatorCall<'_>) -> bool {
        self.downgraders.iter().any(|bridge| call.is_of(&bridge.schema))
    }

    /// Whether a call is one that means the same on both sides of the change.
    fn means_the_same(&self, call: OperatorCall<'_>) -> bool {
        let holds = |c: &ArgumentCondition| {
            let is_something = !c.equal && c.value == "None" && call.gives_something(&c.argument);
            is_something || c.holds(call.value(&c.argument)) == Some(true)
        };
        self.same.as_ref().is_some_and(|all| all.iter().all(holds))
    }
}
