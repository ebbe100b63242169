//! Enumerations.

use super::{Parser, Read, join};
use crate::model::{ProtoEnum, ProtoEnumValue};
use crate::options::Options;
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn enumeration(&mut self, scope: &str) -> Read<()> {
        let line = self.line();
        self.at += 1;
        let name = join(scope, self.name("the name of an enumeration")?);
        self.want('{')?;
        let mut made =
            ProtoEnum { name, line, closed: self.features.closed, ..ProtoEnum::default() };
        loop {
            let start = self.at;
            let read = match self.peek() {
                None => {
                    let what = format!("the closing brace of enum `{}`", made.name);
                    self.file.enums.push(made);
                    return self.fault(&what);
                }
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    self.file.enums.push(made);
                    return Ok(());
                }
                Some(Token::Mark(';')) => {
                    self.at += 1;
                    Ok(())
                }
                Some(Token::Name("option")) => {
                    self.at += 1;
                    let read = Options::one(self);
                    self.skip(start);
                    read.map(|options| made.closed = self.features.with(&options).closed)
                }
                Some(Token::Name("reserved")) => {
                    self.reserved(&mut made.reserved, &mut made.reserved_names)
                }
                _ => self.value().map(|value| made.values.push(value)),
            };
            if let Err(fault) = read {
                self.problem(fault);
                self.skip(start);
            }
        }
    }

    fn value(&mut self) -> Read<ProtoEnumValue> {
        let line = self.line();
        let name = self.name("the name of a value")?.to_owned();
        self.want('=')?;
        let number = self.number()?;
        Options::list(self)?;
        self.want(';')?;
        Ok(ProtoEnumValue { name, number, line })
    }
}
