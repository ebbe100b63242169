//! Statements.

use std::fmt;

use unskew_torch_schemas::matching::{Literal, ScriptType, converts};

use super::walker::{BlockEnd, Walker};
use crate::typing::annotation;
use crate::typing::scope::{Binding, Frame};
use crate::{Expression, Statement, TextSpan};

impl<'p> Walker<'p, '_> {
    /// Walks statements; what stands behind the end of the function cannot run.
    pub(super) fn block(&mut self, body: &'p [Statement]) {
        let live = self.live;
        for statement in body {
            self.live &= self.end == BlockEnd::None;
            self.statement(statement);
        }
        self.live = live;
    }

    fn statement(&mut self, statement: &'p Statement) {
        match statement {
            Statement::Assign { target, value, .. } => {
                let thing = self.value(value);
                self.assign(target, thing);
            }
            Statement::Annotated { target, annotation, value, .. } => {
                let declared = annotation::type_of(annotation).unwrap_or(ScriptType::Unknown);
                let thing = match value {
                    Some(value) => {
                        let thing = self.value(value);
                        self.hold(&thing.ty(), &declared, value.span(), "the value");
                        Binding::Value(declared, thing.literal().cloned())
                    }
                    None => Binding::from_type(declared),
                };
                self.assign(target, thing);
            }
            Statement::Expression { value, .. } => {
                self.value(value);
                if raises(value) {
                    self.end = self.end.max(BlockEnd::Raised);
                }
            }
            Statement::Return { value, span } => {
                let ty = value.as_ref().map_or(ScriptType::None, |value| self.value(value).ty());
                if let Some(routine) = self.program.routines().get(self.function) {
                    self.hold(&ty, &routine.returns, *span, "what is returned");
                }
                self.end = BlockEnd::Returned;
            }
            Statement::If { test, then, otherwise, span } => {
                self.branch(test, then, otherwise, *span)
            }
            Statement::While { test, body, .. } => self.repeat(body, |walker| {
                walker.value(test);
            }),
            Statement::For { target, items, body, .. } => {
                let items = self.items(items);
                self.repeat(body, |walker| walker.assign(target, Binding::from_type(items)));
            }
            Statement::With { items, body, .. } => {
                for (entered, name) in items {
                    let thing = self.value(entered);
                    if let Some(name) = name {
                        self.assign(name, thing);
                    }
                }
                self.block(body);
            }
            Statement::Class(_) | Statement::Function(_) | Statement::Pass { .. } => {}
        }
    }

    /// Faults a value that is not of the type that is wanted.
    pub(super) fn hold(
        &mut self,
        has: &ScriptType,
        wants: &ScriptType,
        span: TextSpan,
        what: impl fmt::Display,
    ) {
        let interface = |name: &str| {
            self.program.class_of(name).is_none_or(|(_, class)| class.base.ends_with("Interface"))
        };
        // Which classes have the methods of an interface is not looked at.
        let classes = matches!((has, wants), (ScriptType::Class(_), ScriptType::Class(name)) if interface(name));
        if !classes && !converts(has, wants, true) {
            self.fault(span, format!("{what} is {has} where {wants} is wanted"));
        }
    }

    fn assign(&mut self, target: &'p Expression, thing: Binding) {
        match target {
            Expression::Name(name) => self.scope.set(&name.text, thing),
            Expression::Tuple { items, .. } | Expression::List { items, .. } => {
                match thing.ty() {
                    ScriptType::Tuple(_) => {
                        self.implied("prim::TupleUnpack", &thing, target.span());
                    }
                    ScriptType::List(_) => {
                        self.implied("prim::ListUnpack", &thing, target.span());
                    }
                    _ => {}
                }
                let parts = parts(&thing, items.len());
                if parts.is_none() {
                    let what = format!("{} names for the parts of {}", items.len(), thing.ty());
                    self.fault(target.span(), what);
                }
                let mut parts = parts.unwrap_or_default().into_iter();
                for item in items {
                    let part = parts.next().unwrap_or(Binding::from_type(ScriptType::Unknown));
                    self.assign(item, part);
                }
            }
            Expression::Attribute { of, name, span } => {
                if let ScriptType::Class(class) = self.value(of).ty()
                    && let Some((_, described)) = self.program.class_of(&class)
                    && described.attribute(&name.text).is_some()
                {
                    self.uses(&class, &name.text, *span, true);
                }
            }
            Expression::Subscript { of, index, span } => self.assign_item(of, index, thing, *span),
            _ => self.fault(target.span(), "nothing can be assigned to this"),
        }
    }

    fn branch(
        &mut self,
        test: &'p Expression,
        then: &'p [Statement],
        otherwise: &'p [Statement],
        span: TextSpan,
    ) {
        let decided = self.decided(test);
        let holds = self.value(test).literal().and_then(Literal::truth);
        if let Some(taken) = decided {
            // The loader leaves out the other branch as it reads it.
            self.refine(test, taken);
            self.block(if taken { then } else { otherwise });
            return;
        }
        self.condition(span, holds);
        let (one, one_end) = self.one_of_two(test, then, true, holds);
        let (other, other_end) = self.one_of_two(test, otherwise, false, holds);
        match (one_end, other_end) {
            (BlockEnd::Returned, BlockEnd::None | BlockEnd::Raised) => self.scope.take(other),
            (BlockEnd::None | BlockEnd::Raised, BlockEnd::Returned) => self.scope.take(one),
            // Values are those of the block behind which something runs.
            (BlockEnd::Raised, BlockEnd::None) => self.scope.join(one, other, Some(false)),
            (BlockEnd::None, BlockEnd::Raised) => self.scope.join(one, other, Some(true)),
            _ => self.scope.join(one, other, holds),
        }
        let end = match (holds, one_end.min(other_end)) {
            // The loader does not know which one runs.
            (Some(true), least) => least.max(one_end.min(BlockEnd::Raised)),
            (Some(false), least) => least.max(other_end.min(BlockEnd::Raised)),
            (None, least) => least,
        };
        self.end = self.end.max(end);
    }

    fn one_of_two(
        &mut self,
        test: &'p Expression,
        body: &'p [Statement],
        taken: bool,
        holds: Option<bool>,
    ) -> (Frame<'p>, BlockEnd) {
        let live = self.live;
        self.live &= holds != Some(!taken);
        self.branches += 1;
        self.scope.enter();
        self.refine(test, taken);
        self.block(body);
        self.branches -= 1;
        self.live = live;
        (self.scope.leave(), std::mem::take(&mut self.end))
    }

    fn repeat(&mut self, body: &'p [Statement], begin: impl FnOnce(&mut Self)) {
        let mut assigned = Vec::new();
        names(body, &mut assigned);
        self.scope.forget(&assigned);
        begin(self);
        self.branches += 1;
        self.scope.enter();
        self.block(body);
        self.branches -= 1;
        self.end = BlockEnd::None;
        let frame = self.scope.leave();
        self.scope.join(frame, Frame::default(), None);
        self.scope.forget(&assigned);
    }
}

/// Whether an expression is the exception that ends a function.
fn raises(value: &Expression) -> bool {
    let Expression::Call(call) = value else { return false };
    call.function.path().as_deref() == Some("ops.prim.RaiseException")
}

/// The parts of a value that is taken apart.
fn parts(thing: &Binding, count: usize) -> Option<Vec<Binding>> {
    let ty = match thing.ty() {
        ScriptType::Tuple(types) => {
            return (types.len() == count)
                .then(|| types.iter().map(|ty| Binding::from_type(ty.clone())).collect());
        }
        ScriptType::List(item) => (*item).clone(),
        ScriptType::Tensor => ScriptType::Tensor,
        // Which may be a named tuple.
        ScriptType::Unknown | ScriptType::Class(_) => ScriptType::Unknown,
        _ => return None,
    };
    Some(vec![Binding::from_type(ty); count])
}

fn names<'p>(body: &'p [Statement], found: &mut Vec<&'p str>) {
    let mut target = |target: &'p Expression| match target {
        Expression::Name(name) => found.push(&name.text),
        Expression::Tuple { items, .. } => {
            for item in items {
                if let Expression::Name(name) = item {
                    found.push(&name.text);
                }
            }
        }
        _ => {}
    };
    for statement in body {
        match statement {
            Statement::Assign { target: to, .. } | Statement::Annotated { target: to, .. } => {
                target(to)
            }
            Statement::For { target: to, .. } => target(to),
            _ => {}
        }
    }
    for statement in body {
        match statement {
            Statement::If { then, otherwise, .. } => {
                names(then, found);
                names(otherwise, found);
            }
            Statement::While { body, .. }
            | Statement::For { body, .. }
            | Statement::With { body, .. } => names(body, found),
            _ => {}
        }
    }
}
