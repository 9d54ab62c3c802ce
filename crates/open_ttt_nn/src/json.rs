use core::fmt;

/// A parser of the JSON in the header of a file: objects, strings and lists of whole
/// numbers, at most two levels deep.
pub(super) struct Json<'a> {
    rest: &'a str,
}

impl<'a> Json<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Reads an object; `value` reads the value of a key.
    pub(super) fn object(
        &mut self,
        mut value: impl FnMut(&mut Self, String) -> Option<()>,
    ) -> Option<()> {
        self.items(['{', '}'], |json| {
            let key = json.string()?;
            json.token(':')?;
            value(json, key)
        })
    }

    pub(super) fn string(&mut self) -> Option<String> {
        self.token('"')?;
        let mut text = String::new();
        loop {
            let c = self.next()?;
            match c {
                '"' => return Some(text),
                '\\' => text.push(self.escaped()?),
                '\0'..='\x1F' => return None,
                _ => text.push(c),
            }
        }
    }

    /// Reads a list of at most `most` whole numbers.
    pub(super) fn numbers(&mut self, most: usize) -> Option<Vec<u64>> {
        let mut numbers = Vec::new();
        self.items(['[', ']'], |json| {
            numbers.push(json.number()?);
            (numbers.len() <= most).then_some(())
        })?;
        Some(numbers)
    }

    /// Reads items separated by commas, between brackets.
    fn items(
        &mut self,
        [begin, end]: [char; 2],
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.token(begin)?;
        if self.token(end).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            if self.token(',').is_none() {
                return self.token(end);
            }
        }
    }

    /// Succeeds if only white space is left.
    pub(super) fn end(&mut self) -> Option<()> {
        self.skip();
        self.rest.is_empty().then_some(())
    }

    fn number(&mut self) -> Option<u64> {
        self.skip();
        let other = |c: char| !c.is_ascii_digit();
        let length = self.rest.find(other).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(length);
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        self.rest = rest;
        digits.parse().ok()
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.next()? {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\x08',
            'f' => '\x0C',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let mut units = vec![self.unit()?];
                if (0xD800..0xDC00).contains(&units[0]) {
                    self.rest = self.rest.strip_prefix("\\u")?;
                    units.push(self.unit()?);
                }
                // An unpaired surrogate is an error of the first item.
                char::decode_utf16(units).next()?.ok()?
            }
            _ => return None,
        })
    }

    /// Four hexadecimal digits: a UTF-16 code unit.
    fn unit(&mut self) -> Option<u16> {
        let digits = self.rest.get(..4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = &self.rest[4..];
        u16::from_str_radix(digits, 16).ok()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn token(&mut self, token: char) -> Option<()> {
        self.skip();
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }
}

/// A text, displayed as a JSON string.
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\0'..='\x1F' => write!(f, "\\u{:04x}", u32::from(c))?,
                _ => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
