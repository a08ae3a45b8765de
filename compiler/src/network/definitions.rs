//! The blocks and nets of all files, and which of them each file sees.

use super::codes::{expansion, names};
use super::files::Files;
use super::ops;
use cnnc_grammar::ast::{self, Item};
use cnnc_grammar::{Diagnostic, Span};
use std::collections::{BTreeMap, VecDeque};

/// Index of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct DefinitionId(pub usize);

/// A block or net.
#[derive(Clone, Copy)]
pub(super) struct Defined<'a> {
    pub ast: &'a ast::Definition,
    pub is_net: bool,
    /// Index of its file.
    pub file: usize,
    /// Whether it uses itself, so that it cannot be expanded.
    pub recursive: bool,
}

/// All definitions.
pub(super) struct Definitions<'a> {
    pub all: Vec<Defined<'a>>,
    /// By file.
    visible: Vec<BTreeMap<&'a str, DefinitionId>>,
    /// By file: whether names may be missing, since an import could not be followed.
    incomplete: Vec<bool>,
}

/// A place where one definition uses another.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub user: DefinitionId,
    pub used: DefinitionId,
    pub span: Span,
}

impl<'a> Definitions<'a> {
    /// Those of `files`: a file sees its own, and the blocks of the files it imports.
    pub fn collect(files: &'a Files, errors: &mut Vec<Diagnostic>) -> Self {
        let mut definitions = Self {
            all: Vec::new(),
            visible: Vec::new(),
            incomplete: files.files.iter().map(|file| file.incomplete).collect(),
        };
        for (file, loaded) in files.files.iter().enumerate() {
            let mut own = BTreeMap::new();
            for item in &loaded.ast.items {
                let (ast, is_net) = match item {
                    Item::Block(block) => (block, false),
                    Item::Net(net) => (net, true),
                    Item::Import(_) | Item::Train(_) => continue,
                };
                definitions.define(ast, is_net, file, &mut own, errors);
            }
            definitions.visible.push(own);
        }
        for (file, loaded) in files.files.iter().enumerate() {
            for (imported, span) in &loaded.imports {
                definitions.bring_in(file, *imported, *span, errors);
            }
        }
        definitions
    }

    fn define(
        &mut self,
        ast: &'a ast::Definition,
        is_net: bool,
        file: usize,
        own: &mut BTreeMap<&'a str, DefinitionId>,
        errors: &mut Vec<Diagnostic>,
    ) {
        let name = &ast.name;
        let id = DefinitionId(self.all.len());
        self.all.push(Defined {
            ast,
            is_net,
            file,
            recursive: false,
        });
        if ops::find(&name.text).is_some() {
            errors.push(Diagnostic::new(
                names::DUPLICATE_NAME,
                format!("`{}` is an op already", name.text),
                name.span,
                "take another name",
            ));
        } else if let Some(first) = own.insert(&name.text, id)
            && let Some(first) = self.get(first)
        {
            errors.push(
                Diagnostic::new(
                    names::DUPLICATE_NAME,
                    format!("`{}` is defined twice", name.text),
                    name.span,
                    "defined again",
                )
                .with_place(first.ast.name.span, "defined first"),
            );
        }
    }

    /// Makes the blocks of `imported` visible in `file`.
    fn bring_in(
        &mut self,
        file: usize,
        imported: usize,
        import: Span,
        errors: &mut Vec<Diagnostic>,
    ) {
        let blocks: Vec<(DefinitionId, Defined<'a>)> = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, defined)| defined.file == imported && !defined.is_net)
            .map(|(index, defined)| (DefinitionId(index), *defined))
            .collect();
        for (id, block) in blocks {
            let name = &block.ast.name;
            let before = self.find(file, &name.text);
            match before.and_then(|before| self.get(before)) {
                // The last of two of one name in one file has been chosen already.
                Some(known) if known.file == imported => {}
                Some(known) => errors.push(
                    Diagnostic::new(
                        names::DUPLICATE_NAME,
                        format!("this import brings in another `{}`", name.text),
                        import,
                        "imported here",
                    )
                    .with_place(known.ast.name.span, "defined here")
                    .with_place(name.span, "and here"),
                ),
                None => {
                    if let Some(visible) = self.visible.get_mut(file) {
                        visible.insert(&name.text, id);
                    }
                }
            }
        }
    }

    pub fn get(&self, id: DefinitionId) -> Option<&Defined<'a>> {
        self.all.get(id.0)
    }

    /// What `name` is in `file`.
    pub fn find(&self, file: usize, name: &str) -> Option<DefinitionId> {
        self.visible.get(file)?.get(name).copied()
    }

    /// The names that `file` sees.
    pub fn names(&self, file: usize) -> impl Iterator<Item = &'a str> {
        self.visible
            .get(file)
            .into_iter()
            .flatten()
            .map(|(name, _)| *name)
    }

    /// Whether `file` may lack names, since an import of it could not be followed.
    pub fn incomplete(&self, file: usize) -> bool {
        self.incomplete.get(file).copied().unwrap_or(false)
    }

    /// Reports each definition that uses itself, and marks it.
    pub fn mark_recursive(&mut self, uses: &[Use], errors: &mut Vec<Diagnostic>) {
        let mut by_user: BTreeMap<DefinitionId, Vec<Use>> = BTreeMap::new();
        for step in uses {
            by_user.entry(step.user).or_default().push(*step);
        }
        for start in (0..self.all.len()).map(DefinitionId) {
            if self.get(start).is_some_and(|defined| defined.recursive) {
                continue;
            }
            let Some(cycle) = shortest_cycle(start, &by_user) else {
                continue;
            };
            let name = |id: DefinitionId| {
                let name = self.get(id).map(|defined| defined.ast.name.text.as_str());
                format!("`{}`", name.unwrap_or_default())
            };
            let by_way: Vec<String> = cycle.iter().skip(1).map(|used| name(used.user)).collect();
            let message = match by_way.as_slice() {
                [] => format!("{} uses itself", name(start)),
                names => format!("{} uses itself by way of {}", name(start), names.join(", ")),
            };
            let Some(first) = cycle.first() else {
                continue;
            };
            let mut error = Diagnostic::new(
                expansion::RECURSION,
                message,
                first.span,
                format!("{} uses {} here", name(first.user), name(first.used)),
            );
            for next in cycle.iter().skip(1) {
                let remark = format!("{} uses {} here", name(next.user), name(next.used));
                error = error.with_place(next.span, remark);
            }
            let hint = "write `repeat n { ... }` for something that is done n times";
            errors.push(error.with_hint(hint));
            for used in &cycle {
                if let Some(defined) = self.all.get_mut(used.user.0) {
                    defined.recursive = true;
                }
            }
        }
    }
}

/// The shortest way from `start` back to it.
fn shortest_cycle(
    start: DefinitionId,
    uses: &BTreeMap<DefinitionId, Vec<Use>>,
) -> Option<Vec<Use>> {
    // By which use each definition was reached first.
    let mut reached: BTreeMap<DefinitionId, Use> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(user) = next.pop_front() {
        for step in uses.get(&user).into_iter().flatten() {
            if reached.contains_key(&step.used) {
                continue;
            }
            reached.insert(step.used, *step);
            next.push_back(step.used);
        }
        if reached.contains_key(&start) {
            break;
        }
    }
    let mut way = Vec::new();
    let mut at = start;
    loop {
        let step = *reached.get(&at)?;
        way.push(step);
        at = step.user;
        if at == start {
            way.reverse();
            return Some(way);
        }
    }
}
