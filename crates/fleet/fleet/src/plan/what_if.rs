//! What-if plans: the fleet as another one.

use std::fmt;
use std::str::FromStr;

use crate::store::KeptRuntime;
use crate::{Digest, FleetError, RuntimeProfile};

/// A hypothetical change of the fleet.
///
/// | written | means |
/// | --- | --- |
/// | `add=torch@2.15,500` | a release arrives on 500 devices |
/// | `move=camera-7,torch@2.15` | the devices of a runtime get another release |
/// | `drop=camera-7` | a runtime goes |
/// | `devices=camera-7,10` | so many devices have it |
/// | `without=aten::gelu` | an operator is removed from every runtime that has it; with `,camera-7` from one |
/// | `window=torch.file_format,3,10` | a range of versions moves in every runtime that has it; with `,camera-7` in one |
///
/// ```
/// use unskew_fleet::WhatIf;
/// let what_if: WhatIf = "add=torch@2.15,500".parse().unwrap();
/// assert_eq!(what_if.to_string(), "add=torch@2.15,500");
/// assert!("add=torch@2.15".parse::<WhatIf>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhatIf {
    /// A runtime of this release is added, with so many devices.
    Add(String, u64),
    /// The devices of a runtime get another release.
    Move(String, String),
    /// The runtime of this name is removed.
    Drop(String),
    /// So many devices have a runtime.
    Devices(String, u64),
    /// An operator is removed, from one runtime or all that have it.
    Without(String, Option<String>),
    /// A range of versions moves, in one runtime or all that have it.
    Window(String, [String; 2], Option<String>),
}

impl FromStr for WhatIf {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<Self, FleetError> {
        let wrong = || {
            FleetError::WhatIf(format!(
                "no what-if (add=RELEASE,DEVICES; move=RUNTIME,RELEASE; drop=RUNTIME; \
                 devices=RUNTIME,N; without=OPERATOR[,RUNTIME]; window=AXIS,FIRST,LAST[,RUNTIME]): {text}"
            ))
        };
        let (verb, rest) = text.split_once('=').ok_or_else(wrong)?;
        let words: Vec<&str> = rest.split(',').map(str::trim).collect();
        let own = |word: &str| word.to_owned();
        let number = |word: &str| word.parse::<u64>().map_err(|_| wrong());
        Ok(match (verb, words.as_slice()) {
            _ if words.iter().any(|word| word.is_empty()) => return Err(wrong()),
            ("add", [release, devices]) => Self::Add(own(release), number(devices)?),
            ("move", [runtime, release]) => Self::Move(own(runtime), own(release)),
            ("drop", [runtime]) => Self::Drop(own(runtime)),
            ("devices", [runtime, devices]) => Self::Devices(own(runtime), number(devices)?),
            ("without", [operator]) => Self::Without(own(operator), None),
            ("without", [operator, runtime]) => Self::Without(own(operator), Some(own(runtime))),
            ("window", [axis, first, last]) => {
                Self::Window(own(axis), [own(first), own(last)], None)
            }
            ("window", [axis, first, last, runtime]) => {
                Self::Window(own(axis), [own(first), own(last)], Some(own(runtime)))
            }
            _ => return Err(wrong()),
        })
    }
}

impl fmt::Display for WhatIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |runtime: &Option<String>| match runtime {
            Some(runtime) => format!(",{runtime}"),
            None => String::new(),
        };
        match self {
            Self::Add(release, devices) => write!(f, "add={release},{devices}"),
            Self::Move(runtime, release) => write!(f, "move={runtime},{release}"),
            Self::Drop(runtime) => write!(f, "drop={runtime}"),
            Self::Devices(runtime, devices) => write!(f, "devices={runtime},{devices}"),
            Self::Without(operator, runtime) => write!(f, "without={operator}{}", one(runtime)),
            Self::Window(axis, [first, last], runtime) => {
                write!(f, "window={axis},{first},{last}{}", one(runtime))
            }
        }
    }
}

impl WhatIf {
    /// The fleet as it would be.
    ///
    /// # Errors
    /// If it names a runtime, a release, an operator or an axis that is not there.
    pub fn apply(&self, runtimes: &mut Vec<KeptRuntime>) -> Result<(), FleetError> {
        match self {
            Self::Add(release, devices) => {
                let mut profile = of_release(release)?;
                profile.devices = *devices;
                let known = runtimes.iter_mut().find(|runtime| runtime.name == profile.name);
                match known {
                    Some(known) => known.devices = known.devices.saturating_add(*devices),
                    None => runtimes.push(kept(&profile)),
                }
                runtimes.sort_by(|a, b| a.name.cmp(&b.name));
            }
            Self::Move(runtime, release) => {
                let at = place(runtimes, runtime)?;
                let mut profile = of_release(release)?;
                profile.name.clone_from(&runtimes[at].name);
                profile.devices = runtimes[at].devices;
                runtimes[at] = kept(&profile);
            }
            Self::Drop(runtime) => {
                let at = place(runtimes, runtime)?;
                runtimes.remove(at);
            }
            Self::Devices(runtime, devices) => {
                let at = place(runtimes, runtime)?;
                runtimes[at].devices = *devices;
            }
            Self::Without(operator, one) => {
                let change = |profile: &mut RuntimeProfile| profile.without.push(operator.clone());
                self.change(runtimes, one.as_deref(), change)?;
            }
            Self::Window(axis, range, one) => {
                let change = |profile: &mut RuntimeProfile| {
                    profile.versions.insert(axis.clone(), range.clone());
                };
                self.change(runtimes, one.as_deref(), change)?;
            }
        }
        Ok(())
    }

    /// Changes one profile, or every one that can be changed so.
    fn change(
        &self,
        runtimes: &mut [KeptRuntime],
        one: Option<&str>,
        change: impl Fn(&mut RuntimeProfile),
    ) -> Result<(), FleetError> {
        if let Some(name) = one {
            place(runtimes, name)?;
        }
        let mut last = None;
        let mut changed = 0;
        for runtime in runtimes.iter_mut().filter(|r| one.is_none_or(|name| r.name == name)) {
            let mut profile = RuntimeProfile::read(&runtime.profile)?;
            change(&mut profile);
            profile.devices = runtime.devices;
            match profile.runtime() {
                Ok(_) => {
                    *runtime = kept(&profile);
                    changed += 1;
                }
                Err(error) => last = Some(error),
            }
        }
        match last {
            Some(error) if changed == 0 => Err(FleetError::Profile(error)),
            _ => Ok(()),
        }
    }
}

fn of_release(name: &str) -> Result<RuntimeProfile, FleetError> {
    let release = unskew_releases::find(name);
    Ok(RuntimeProfile::of_release(release.map_err(|error| FleetError::WhatIf(error.to_string()))?))
}

fn place(runtimes: &[KeptRuntime], name: &str) -> Result<usize, FleetError> {
    let known = || runtimes.iter().take(6).map(|runtime| runtime.name.clone()).collect();
    let found = runtimes.iter().position(|runtime| runtime.name == name);
    found.ok_or_else(|| FleetError::NoRuntime { name: name.to_owned(), known: known() })
}

fn kept(profile: &RuntimeProfile) -> KeptRuntime {
    let digest: Digest = profile.digest();
    KeptRuntime {
        name: profile.name.clone(),
        profile: profile.to_json(),
        digest,
        devices: profile.devices,
        since: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fleet() -> Vec<KeptRuntime> {
        ["torch@1.10", "torch@2.1", "tensorflow@2.15"]
            .map(|name| kept(&of_release(name).unwrap()))
            .to_vec()
    }

    #[test]
    fn an_operator_is_removed_where_it_is() {
        let mut runtimes = fleet();
        let before = runtimes.clone();
        let what_if: WhatIf = "without=aten::gelu".parse().unwrap();
        what_if.apply(&mut runtimes).unwrap();
        let changed: Vec<bool> =
            runtimes.iter().zip(&before).map(|(now, was)| now.digest != was.digest).collect();
        assert_eq!(changed, [true, true, false]);
        let what_if: WhatIf = "without=aten::no_such".parse().unwrap();
        assert!(what_if.apply(&mut runtimes).is_err());
    }

    #[test]
    fn a_move_keeps_the_name_and_the_devices() {
        let mut runtimes = fleet();
        "devices=torch@1.10.2,7".parse::<WhatIf>().unwrap().apply(&mut runtimes).unwrap();
        "move=torch@1.10.2,torch@2.15".parse::<WhatIf>().unwrap().apply(&mut runtimes).unwrap();
        assert_eq!((runtimes[0].name.as_str(), runtimes[0].devices), ("torch@1.10.2", 7));
        let plain = of_release("torch@2.15").unwrap().digest();
        assert_eq!(runtimes[0].digest, plain);
    }

    #[test]
    fn what_is_no_what_if_says_what_one_is() {
        for text in ["", "add", "add=torch@2.1", "add=torch@2.1,x", "drop=", "fly=x", "window=a,1"]
        {
            assert!(text.parse::<WhatIf>().is_err(), "{text}");
        }
        let text = "window=torch.file_format,3,10,camera-7";
        assert_eq!(text.parse::<WhatIf>().unwrap().to_string(), text);
    }
}
