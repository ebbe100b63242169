//! Services and their methods.

use super::{Parser, Read, join};
use crate::model::{Method, ProtoService};
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn service(&mut self, scope: &str) -> Read<()> {
        let line = self.line();
        self.at += 1;
        let name = join(scope, self.name("the name of a service")?);
        self.want('{')?;
        let mut service = ProtoService { name, line, methods: Vec::new() };
        loop {
            let start = self.at;
            match self.peek() {
                None => {
                    let what = format!("the closing brace of service `{}`", service.name);
                    self.file.services.push(service);
                    return self.fault(&what);
                }
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    self.file.services.push(service);
                    return Ok(());
                }
                Some(Token::Name("rpc")) => match self.method() {
                    Ok(method) => service.methods.push(method),
                    Err(fault) => {
                        self.problem(fault);
                        self.skip(start);
                    }
                },
                _ => self.skip(start),
            }
        }
    }

    /// `rpc Name(stream In) returns (Out) { ... }`
    fn method(&mut self) -> Read<Method> {
        let line = self.line();
        self.at += 1;
        let name = self.name("the name of a method")?.to_owned();
        let (input, takes) = self.argument()?;
        if self.name("`returns`")? != "returns" {
            return self.fault("`returns`");
        }
        let (output, gives) = self.argument()?;
        self.skip(self.at);
        Ok(Method { name, line, input, output, streams: [takes, gives] })
    }

    fn argument(&mut self) -> Read<(String, bool)> {
        self.want('(')?;
        let named = matches!(
            self.tokens.list.get(self.at + 1),
            Some((Token::Name(_) | Token::Mark('.'), _))
        );
        let stream = self.word() == Some("stream") && named;
        self.at += usize::from(stream);
        let name = self.type_name()?;
        self.want(')')?;
        Ok((name, stream))
    }
}
