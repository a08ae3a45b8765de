//! A network file with what it imports. Text comes from the caller; nothing is read here.

use super::codes::expansion::{IMPORT, IMPORT_CYCLE, LIMIT};
use cnnc_grammar::ast::{File, Import, Item};
use cnnc_grammar::{Diagnostic, Sources, Span, parse_at};
use std::collections::BTreeMap;

/// Files of one compilation.
const MOST_FILES: usize = 256;

/// Gives the text of a file, or says why it cannot be had.
pub type Resolve<'r> = dyn Fn(&str) -> Result<String, String> + 'r;

/// A network file and the files it imports, all of them parsed.
#[derive(Clone, Debug)]
pub struct Files {
    /// The texts; the network file comes first.
    pub sources: Sources,
    pub(super) files: Vec<Loaded>,
    /// Imports that could not be followed.
    pub(super) errors: Vec<Diagnostic>,
}

/// One of the files.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub ast: File,
    /// Indices of the files it imports, with the imports.
    pub imports: Vec<(usize, Span)>,
    /// Whether an import of it could not be followed, so that names may be missing.
    pub incomplete: bool,
}

/// Errors, and the texts they point into.
#[derive(Clone, Debug)]
pub struct SourceErrors {
    /// The texts.
    pub sources: Sources,
    /// The errors in order of place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Files {
    /// Parses `text`, which is called `name`, and what it imports. Paths of imports are
    /// relative to the file they stand in; `resolve` gets them joined to its folder.
    ///
    /// # Errors
    /// Those of the grammar, of all files. Imports that cannot be read are kept for
    /// [`super::build`].
    pub fn load(name: &str, text: &str, resolve: &Resolve) -> Result<Self, SourceErrors> {
        let mut loader = Loader {
            sources: Sources::new(name, text),
            files: Vec::new(),
            known: BTreeMap::new(),
            open: Vec::new(),
            errors: Vec::new(),
            broken: false,
            resolve,
        };
        loader.file(name, text, 0);
        let Loader {
            sources,
            files,
            mut errors,
            broken,
            ..
        } = loader;
        if broken {
            errors.sort_by_key(|error| error.span().map(|span| span.start));
            return Err(SourceErrors {
                sources,
                diagnostics: errors,
            });
        }
        Ok(Self {
            sources,
            files,
            errors,
        })
    }

    /// A file that imports nothing, or whose imports are all refused.
    ///
    /// # Errors
    /// As [`Files::load`].
    pub fn alone(name: &str, text: &str) -> Result<Self, SourceErrors> {
        Self::load(name, text, &|_| {
            Err("there are no other files here".to_owned())
        })
    }

    /// The syntax tree of the network file.
    pub fn root(&self) -> Option<&File> {
        self.files.first().map(|file| &file.ast)
    }
}

struct Loader<'r> {
    sources: Sources,
    /// In the order of `sources`.
    files: Vec<Loaded>,
    /// Indices by path.
    known: BTreeMap<String, usize>,
    /// The files being read, each but the first with the import that led to it.
    open: Vec<(usize, Option<Span>)>,
    errors: Vec<Diagnostic>,
    /// Whether a text does not parse.
    broken: bool,
    resolve: &'r Resolve<'r>,
}

impl Loader<'_> {
    /// Reads the file that `sources` has at `start`, and what it imports.
    fn file(&mut self, name: &str, text: &str, start: usize) {
        let index = self.files.len();
        self.known.insert(normalised(name), index);
        let ast = parse_at(text, start).unwrap_or_else(|errors| {
            self.errors.extend(errors);
            self.broken = true;
            File {
                items: Vec::new(),
                comments: Vec::new(),
                span: Span::new(start, start + text.len()),
            }
        });
        let imports: Vec<Import> = ast
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Import(import) => Some(import.clone()),
                _ => None,
            })
            .collect();
        self.files.push(Loaded {
            ast,
            imports: Vec::new(),
            incomplete: false,
        });
        if self.open.is_empty() {
            self.open.push((index, None));
        }
        for import in imports {
            let found = self.import(name, &import);
            if let Some(file) = self.files.get_mut(index) {
                match found {
                    Some(found) => file.imports.push((found, import.span)),
                    None => file.incomplete = true,
                }
            }
        }
    }

    /// The index of what `import` of the file `from` brings in.
    fn import(&mut self, from: &str, import: &Import) -> Option<usize> {
        let path = joined(from, &import.path);
        if let Some(index) = self.known.get(&path).copied() {
            let open = self.open.iter().position(|(open, _)| *open == index);
            return match open {
                Some(depth) => {
                    self.report_cycle(depth, import, &path);
                    None
                }
                None => Some(index),
            };
        }
        if self.files.len() >= MOST_FILES {
            let message = format!("more than {MOST_FILES} files are imported");
            let error = Diagnostic::new(LIMIT, message, import.path_span, "one too many");
            self.errors.push(error);
            return None;
        }
        match (self.resolve)(&path) {
            Ok(text) => {
                let start = self.sources.add(path.as_str(), text.as_str());
                let index = self.files.len();
                self.open.push((index, Some(import.span)));
                self.file(&path, &text, start);
                self.open.pop();
                Some(index)
            }
            Err(reason) => {
                let remark = match path == import.path {
                    true => "cannot be read".to_owned(),
                    false => format!("looked for `{path}`"),
                };
                self.errors.push(
                    Diagnostic::new(
                        IMPORT,
                        format!("`{}` cannot be imported: {reason}", import.path),
                        import.path_span,
                        remark,
                    )
                    .with_hint("paths are relative to the file with the `import`"),
                );
                None
            }
        }
    }

    fn report_cycle(&mut self, depth: usize, import: &Import, path: &str) {
        let cycle = self.open.get(depth..).unwrap_or(&[]);
        let mut names: Vec<&str> = cycle
            .iter()
            .filter_map(|(index, _)| self.sources.files().get(*index))
            .map(|file| file.name.as_str())
            .collect();
        names.push(path);
        let mut error = Diagnostic::new(
            IMPORT_CYCLE,
            format!("files import each other: {}", names.join(" -> ")),
            import.path_span,
            "is being read already",
        );
        for (_, span) in cycle.iter().skip(1) {
            if let Some(span) = span {
                error = error.with_place(*span, "by way of this import");
            }
        }
        let error = error.with_hint("move what both need to a file of its own");
        self.errors.push(error);
    }
}

/// `path`, as the file `from` writes it, relative to where `from` is relative to.
fn joined(from: &str, path: &str) -> String {
    match from.rsplit_once('/') {
        Some((folder, _)) if !path.starts_with('/') => normalised(&format!("{folder}/{path}")),
        _ => normalised(path),
    }
}

/// Without `.`, and without `..` where a folder is before it.
fn normalised(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if path.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_their_file() {
        for (from, path, expected) in [
            ("model.net", "blocks.net", "blocks.net"),
            ("<stdin>", "zoo/blocks.net", "zoo/blocks.net"),
            ("zoo/model.net", "blocks.net", "zoo/blocks.net"),
            ("zoo/model.net", "./blocks.net", "zoo/blocks.net"),
            ("zoo/model.net", "../blocks.net", "blocks.net"),
            ("zoo/model.net", "../../blocks.net", "../blocks.net"),
            ("../zoo/model.net", "../blocks.net", "../blocks.net"),
            ("/a/model.net", "b/blocks.net", "/a/b/blocks.net"),
            ("/a/model.net", "../../../blocks.net", "/blocks.net"),
            ("zoo/model.net", "/blocks.net", "/blocks.net"),
        ] {
            assert_eq!(joined(from, path), expected, "{path} in {from}");
        }
    }
}
