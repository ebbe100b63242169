//! `unskew fleet token TASK`.

use std::path::Path;

use anyhow::{Context as _, bail};
use unskew_fleet::documents;
use unskew_fleet::store::{KeptToken, Signature};
use unskew_fleet_service::clock::Clock;
use unskew_fleet_service::token;
use unskew_report::Plain;

use super::columns::columns;
use crate::args::{FleetFormat, FleetPlaces, FleetToken, TokenTask};
use crate::exit::CallStatus;
use crate::print::{self, Printable};

pub fn run(args: &FleetToken, places: &FleetPlaces, folder: &Path) -> anyhow::Result<CallStatus> {
    let mut fleet = super::serve::settings(places, folder)?.open()?;
    let store = fleet.store();
    let clock = Clock::from_store(store)?;
    let moment = clock.now();
    store.sign(Some(Signature {
        who: "the command unskew".to_owned(),
        request: "-".to_owned(),
        moment: moment.clone(),
    }));
    match &args.task {
        TokenTask::Create { name, role, days } => {
            let made = token::make(name, *role, *days, &clock);
            let (secret, kept) = made.context("the system has no randomness")?;
            store.put_token(&kept)?;
            print::out(format!("{secret}\n"))?;
            let until = kept.expires.as_deref().unwrap_or("it is revoked");
            print::note(&format!(
                "token {} ({name}) has the role {role} until {until}; it is not shown again",
                kept.id
            ));
        }
        TokenTask::List { format } => list(&store.tokens()?, *format)?,
        TokenTask::Revoke { id } => {
            if !store.revoke_token(id, &moment)? {
                bail!("no token of this id that is still good: {id}");
            }
            print::out(format!("revoked: {}\n", Plain(id)))?;
        }
    }
    Ok(CallStatus::Clean)
}

fn list(tokens: &[KeptToken], format: FleetFormat) -> anyhow::Result<()> {
    if matches!(format, FleetFormat::Json) {
        let rows: Vec<documents::TokenDocument> =
            tokens.iter().map(documents::TokenDocument::from).collect();
        return print::out(Printable::json(&documents::text(&rows)?));
    }
    let head = ["id", "name", "role", "created", "expires", "revoked"].map(str::to_owned);
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let row = |one: &KeptToken| {
        let (id, role, created) = (one.id.clone(), one.role.to_string(), one.created.clone());
        vec![id, one.name.clone(), role, created, or(&one.expires), or(&one.revoked)]
    };
    let rows: Vec<Vec<String>> =
        std::iter::once(head.to_vec()).chain(tokens.iter().map(row)).collect();
    print::out(columns(&rows))
}
