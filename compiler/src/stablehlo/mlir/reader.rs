//! A reader of the attribute syntax that MLIR prints.

use super::attribute::Attribute;

/// A cursor over attribute text.
pub(super) struct Reader<'a> {
    rest: &'a str,
}

/// What was found where something else was expected.
type Result<T> = std::result::Result<T, String>;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Reader {
            rest: text.trim_start(),
        }
    }

    fn expected(&self, what: &str) -> String {
        let found: String = self.rest.chars().take(20).collect();
        if found.is_empty() {
            format!("expected {what}, found the end")
        } else {
            format!("expected {what}, found `{found}`")
        }
    }

    /// Skips `token` if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    pub(super) fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{token}`")))
        }
    }

    pub(super) fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.expected("the end"))
        }
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    pub(super) fn word(&mut self) -> Result<&'a str> {
        let word = self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
        if word.is_empty() {
            Err(self.expected("a name"))
        } else {
            Ok(word)
        }
    }

    pub(super) fn int(&mut self) -> Result<i64> {
        let text = self.take_while(|c| c.is_ascii_digit() || c == '-');
        text.parse().map_err(|_| self.expected("an integer"))
    }

    /// `open item, item, ... close`
    pub(super) fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// A scalar of a dense constant: its text, without sign handling.
    pub(super) fn scalar(&mut self) -> Result<&'a str> {
        let text = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'));
        if text.is_empty() {
            Err(self.expected("a number"))
        } else {
            Ok(text)
        }
    }

    pub(super) fn string(&mut self) -> Result<String> {
        let Some(body) = self.rest.strip_prefix('"') else {
            return Err(self.expected("a string"));
        };
        let mut bytes = Vec::new();
        let mut input = body.bytes().enumerate();
        while let Some((at, byte)) = input.next() {
            match byte {
                b'"' => {
                    self.rest = body.get(at + 1..).unwrap_or_default().trim_start();
                    return String::from_utf8(bytes).map_err(|_| "string is not UTF-8".to_owned());
                }
                b'\\' => {
                    let escape = body.get(at + 1..at + 3).unwrap_or_default();
                    if let Ok(value) = u8::from_str_radix(escape, 16) {
                        bytes.push(value);
                        input.nth(1);
                    } else {
                        let single = match escape.bytes().next() {
                            Some(b'n') => b'\n',
                            Some(b't') => b'\t',
                            Some(c @ (b'"' | b'\\')) => c,
                            _ => return Err(format!("unknown escape in string: `\\{escape}`")),
                        };
                        bytes.push(single);
                        input.next();
                    }
                }
                _ => bytes.push(byte),
            }
        }
        Err("string without end".to_owned())
    }

    /// Drops a trailing `: type`.
    fn type_suffix(&mut self) -> Option<&'a str> {
        if self.eat(":") {
            self.word().ok()
        } else {
            None
        }
    }

    pub(super) fn attribute(&mut self) -> Result<Attribute> {
        if self.rest.starts_with('"') {
            return self.string().map(Attribute::String);
        }
        if self.rest.starts_with('[') {
            return self.list("[", "]", Self::attribute).map(Attribute::Array);
        }
        if self.rest.starts_with('{') {
            return self.list("{", "}", Self::entry).map(Attribute::Dict);
        }
        if self
            .rest
            .starts_with(|c: char| c.is_ascii_digit() || c == '-')
        {
            return self.number();
        }
        if self.eat("array<") {
            return self.ints();
        }
        for (word, attribute) in [
            ("true", Attribute::Bool(true)),
            ("false", Attribute::Bool(false)),
            ("unit", Attribute::Unit),
        ] {
            if self.eat(word) {
                return Ok(attribute);
            }
        }
        Err(self.expected("an attribute"))
    }

    fn entry(&mut self) -> Result<(String, Attribute)> {
        let key = if self.rest.starts_with('"') {
            self.string()?
        } else {
            self.word()?.to_owned()
        };
        let value = if self.eat("=") {
            self.attribute()?
        } else {
            Attribute::Unit
        };
        Ok((key, value))
    }

    fn number(&mut self) -> Result<Attribute> {
        let text = self.scalar()?;
        let ty = self.type_suffix();
        if let Some(hex) = text.strip_prefix("0x") {
            let bits = u64::from_str_radix(hex, 16).map_err(|e| e.to_string())?;
            return Ok(match ty {
                Some("f64") => Attribute::Float(f64::from_bits(bits)),
                _ => Attribute::Int(bits as i64),
            });
        }
        if text.contains(['.', 'e', 'E']) {
            text.parse()
                .map(Attribute::Float)
                .map_err(|_| format!("`{text}` is no number"))
        } else {
            text.parse()
                .map(Attribute::Int)
                .map_err(|_| format!("`{text}` is no 64-bit integer"))
        }
    }

    /// The rest of `array<i64: 1, 2>` or `array<i1: true>`.
    pub(super) fn ints(&mut self) -> Result<Attribute> {
        self.word()?;
        if self.eat(">") {
            return Ok(Attribute::Ints(Vec::new()));
        }
        self.list(":", ">", |r| {
            if r.eat("true") {
                Ok(1)
            } else if r.eat("false") {
                Ok(0)
            } else {
                r.int()
            }
        })
        .map(Attribute::Ints)
    }
}
