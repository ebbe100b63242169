//! Lexer, from the text to tokens: names, numbers, quoted texts, marks, and lines and blocks by their indentation.
//!
//! The words that are no names are those for which PyTorch's own reader has a token. Python keeps more of them, and
//! PyTorch writes those as names: `nn.ModuleDict({"from": ...})` becomes `self.d.from`.

use crate::TextSpan;

/// What a token is. Its text stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Name,
    Int,
    Float,
    Imaginary,
    /// A quoted text, with its prefix.
    Text,
    Mark(Mark),
    Newline,
    Indent,
    Dedent,
    End,
}

/// What is wrong with a text, and the byte at which it is.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}

/// The words that are no names, and the marks.
macro_rules! marks {
    ($($name:ident $text:literal)*) => {
        /// A word that is no name, or a mark: `if`, `**`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mark {
            $($name,)*
        }

        impl Mark {
            /// As it is written.
            pub(crate) const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            const ALL: &[Self] = &[$(Self::$name,)*];

            fn from_text(text: &str) -> Option<Self> {
                // Compiled to a comparison of the length, and then of whole words of the processor.
                match text {
                    $($text => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

marks! {
    False "False" None "None" True "True" And "and" As "as" Assert "assert" Break "break" Class "class"
    Continue "continue" Def "def" Del "del" Elif "elif" Else "else" For "for" Global "global" If "if" Import "import"
    In "in" Is "is" Not "not" Or "or" Pass "pass" Raise "raise" Return "return" While "while" With "with"
    Add "+" Subtract "-" Times "*" Divide "/" Modulo "%" Matrix "@" BitAnd "&" BitOr "|" BitXor "^" Invert "~"
    Power "**" FloorDivide "//" ShiftLeft "<<" ShiftRight ">>"
    Less "<" Greater ">" LessEqual "<=" GreaterEqual ">=" Equal "==" Unequal "!="
    Open "(" Close ")" OpenSquare "[" CloseSquare "]" OpenBrace "{" CloseBrace "}"
    Comma "," Colon ":" Dot "." Semicolon ";" Assign "=" Arrow "->" Ellipsis "..." Walrus ":="
    AssignAdd "+=" AssignSubtract "-=" AssignTimes "*=" AssignDivide "/=" AssignModulo "%=" AssignMatrix "@="
    AssignAnd "&=" AssignOr "|=" AssignXor "^=" AssignPower "**=" AssignFloor "//=" AssignLeft "<<=" AssignRight ">>="
}

/// The marks of one byte.
const SINGLE: [Option<Mark>; 256] = {
    let mut table = [None; 256];
    let mut at = 0;
    while at < Mark::ALL.len() {
        let mark = Mark::ALL[at];
        if let [byte] = mark.text().as_bytes() {
            table[*byte as usize] = Some(mark);
        }
        at += 1;
    }
    table
};

/// Whether a mark may go on with this byte.
const fn goes_on(byte: u8) -> bool {
    matches!(byte, b'*' | b'/' | b'<' | b'>' | b'=' | b'.')
}

/// The width of a tab in an indentation.
const TAB: usize = 8;

/// Gives the tokens of a text one by one.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// How many brackets are open. Lines do not count inside of them.
    open: usize,
    /// The indentations of the blocks around; the first is that of the text.
    indents: Vec<usize>,
    /// Blocks that ended, and were not told yet.
    dedents: usize,
    /// Whether the next token is the first of its line.
    fresh: bool,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        // Some editors begin a text with a byte order mark.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, open: 0, indents: vec![0], dedents: 0, fresh: true }
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next token. Behind the last one it is [`Token::End`], however often one asks.
    pub(crate) fn next(&mut self) -> Result<(Token, TextSpan), Fault> {
        if self.dedents > 0 {
            self.dedents -= 1;
            return Ok((Token::Dedent, self.here(0)));
        }
        if self.fresh
            && self.open == 0
            && let Some(block) = self.indentation()?
        {
            return Ok((block, self.here(0)));
        }
        self.skip_blanks()?;
        let rest = self.rest();
        let Some(&first) = rest.first() else { return Ok(self.end()) };
        let (token, length) = match first {
            b'(' | b'[' | b'{' => {
                self.open += 1;
                self.mark(rest)?
            }
            b')' | b']' | b'}' => {
                self.open = self.open.saturating_sub(1);
                self.mark(rest)?
            }
            b'\n' | b'\r' => {
                let span = self.here(line_break(rest));
                self.at = span.end;
                self.fresh = true;
                return Ok((Token::Newline, span));
            }
            b'0'..=b'9' => self.number(rest)?,
            b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => self.number(rest)?,
            b'"' | b'\'' => (Token::Text, self.quoted(0)?),
            _ => match word_length(rest) {
                0 => self.mark(rest)?,
                length => self.word(rest, length)?,
            },
        };
        let span = self.here(length);
        self.at = span.end;
        Ok((token, span))
    }

    fn here(&self, length: usize) -> TextSpan {
        TextSpan { start: self.at, end: self.at + length }
    }

    /// The end of the text, before which its last line and its blocks end.
    fn end(&mut self) -> (Token, TextSpan) {
        let token = if !std::mem::replace(&mut self.fresh, true) {
            Token::Newline
        } else if self.indents.len() > 1 {
            self.indents.pop();
            Token::Dedent
        } else {
            Token::End
        };
        (token, self.here(0))
    }

    /// Goes to the first token of a line, past empty ones; a block may begin or end there.
    fn indentation(&mut self) -> Result<Option<Token>, Fault> {
        loop {
            let mut column = 0;
            let blanks = self.rest().iter().take_while(|byte| {
                match byte {
                    b' ' => column += 1,
                    b'\t' => column = (column / TAB + 1) * TAB,
                    b'\x0c' => column = 0,
                    _ => return false,
                }
                true
            });
            self.at += blanks.count();
            let rest = self.rest();
            match rest.first() {
                None => return Ok(None),
                Some(b'#') => self.at += comment(rest),
                Some(b'\n' | b'\r') => self.at += line_break(rest),
                Some(_) => {
                    self.fresh = false;
                    return self.block(column);
                }
            }
        }
    }

    /// What an indentation says of the blocks around.
    fn block(&mut self, column: usize) -> Result<Option<Token>, Fault> {
        let around = self.indents.last().copied().unwrap_or_default();
        if column > around {
            self.indents.push(column);
            return Ok(Some(Token::Indent));
        }
        let blocks = self.indents.len();
        self.indents.retain(|indent| *indent <= column);
        if self.indents.last() != Some(&column) {
            return Err(Fault::new(self.at, "this indentation is that of no block around"));
        }
        self.dedents = blocks - self.indents.len();
        if self.dedents == 0 {
            return Ok(None);
        }
        self.dedents -= 1;
        Ok(Some(Token::Dedent))
    }

    /// Goes past blanks and comments, lines that go on, and inside of brackets the ends of lines.
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            match rest.first() {
                Some(b' ' | b'\t' | b'\x0c') => self.at += 1,
                Some(b'#') => self.at += comment(rest),
                Some(b'\n' | b'\r') if self.open > 0 => self.at += line_break(rest),
                Some(b'\\') => match rest.get(1) {
                    Some(b'\n' | b'\r') => {
                        let length = 1 + line_break(&rest[1..]);
                        if rest.len() == length {
                            return Err(Fault::new(
                                self.at,
                                "the text ends in the middle of a line",
                            ));
                        }
                        self.at += length;
                    }
                    _ => return Err(Fault::new(self.at, "`\\` stands at the end of a line only")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn word(&self, rest: &[u8], length: usize) -> Result<(Token, usize), Fault> {
        let word = self.text.get(self.at..self.at + length).unwrap_or_default();
        let strange = |(_, c): &(usize, char)| !(c.is_alphanumeric() || *c == '_');
        if !word.is_ascii()
            && let Some((at, strange)) = word.char_indices().find(strange)
        {
            return Err(Fault::new(self.at + at, format!("`{strange}` is no letter")));
        }
        if matches!(rest.get(length), Some(b'"' | b'\'')) && is_prefix(word) {
            return Ok((Token::Text, self.quoted(length)?));
        }
        Ok((Mark::from_text(word).map_or(Token::Name, Token::Mark), length))
    }

    fn mark(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        let single = rest.first().and_then(|first| SINGLE[usize::from(*first)]);
        // The longest counts, and few bytes stand in one behind another.
        if let Some(mark) = single
            && !rest.get(1).copied().is_some_and(goes_on)
        {
            return Ok((Token::Mark(mark), 1));
        }
        let text = |length: usize| self.text.get(self.at..self.at + length);
        let longer = [3, 2].into_iter().find_map(|length| Mark::from_text(text(length)?));
        let Some(mark) = longer.or(single) else {
            let strange = self.text.get(self.at..).and_then(|rest| rest.chars().next());
            let strange = strange.unwrap_or_default().escape_default();
            return Err(Fault::new(self.at, format!("`{strange}` begins nothing")));
        };
        Ok((Token::Mark(mark), mark.text().len()))
    }

    /// How long the quoted text is that begins `prefix` bytes from here, with that prefix.
    fn quoted(&self, prefix: usize) -> Result<usize, Fault> {
        let rest = self.rest().get(prefix..).unwrap_or_default();
        let length = text_length(rest);
        let quotes = if rest.starts_with(&[rest[0]; 3]) { 3 } else { 1 };
        let text = rest.get(..length).unwrap_or(rest);
        if length < 2 * quotes || !text.ends_with(&rest[..quotes]) {
            return Err(Fault::new(self.at, "the quotes of this text are not closed"));
        }
        Ok(prefix + length)
    }

    fn number(&self, rest: &[u8]) -> Result<(Token, usize), Fault> {
        let decimals =
            |from: usize| digits(rest.get(from..).unwrap_or_default(), u8::is_ascii_digit);
        let (mut token, mut length) = (Token::Int, 0);
        let radix: Option<fn(&u8) -> bool> = match rest.get(..2) {
            Some(b"0x" | b"0X") => Some(u8::is_ascii_hexdigit),
            Some(b"0o" | b"0O") => Some(|byte| matches!(byte, b'0'..=b'7')),
            Some(b"0b" | b"0B") => Some(|byte| matches!(byte, b'0' | b'1')),
            _ => None,
        };
        if let Some(radix) = radix {
            // Behind the letter an underscore may stand, too.
            let separator = usize::from(rest.get(2) == Some(&b'_'));
            let count = digits(&rest[2 + separator..], radix);
            length = 2 + if count > 0 { separator + count } else { 0 };
        } else {
            length += decimals(length);
            if rest.get(length) == Some(&b'.') {
                token = Token::Float;
                length += 1;
                length += decimals(length);
            }
            if matches!(rest.get(length), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
                let exponent = decimals(length + 1 + sign);
                if exponent > 0 {
                    token = Token::Float;
                    length += 1 + sign + exponent;
                }
            }
            if matches!(rest.get(length), Some(b'j' | b'J')) {
                token = Token::Imaginary;
                length += 1;
            }
        }
        let nothing = radix.is_some() && length == 2;
        let zeros = token == Token::Int && radix.is_none() && rest[0] == b'0';
        let octal = zeros && rest[..length].iter().any(|byte| matches!(byte, b'1'..=b'9'));
        // `1if a else b` is two tokens, as in Python.
        let behind = self.text.get(self.at + length..).unwrap_or_default();
        let behind = behind.get(..word_length(behind.as_bytes())).unwrap_or_default();
        let joined = !behind.is_empty() && Mark::from_text(behind).is_none();
        if nothing || octal || joined {
            return Err(Fault::new(self.at, "this is no number"));
        }
        Ok((token, length))
    }
}

const IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 0x80..);
        byte += 1;
    }
    table
};

/// How long the word is that begins here.
fn word_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| IN_WORD[usize::from(**byte)]).count()
}

/// How long the quoted text is that begins here, quotes included.
fn text_length(bytes: &[u8]) -> usize {
    let quote = bytes[0];
    let triple = bytes.starts_with(&[quote; 3]);
    let (mut at, end) = if triple { (3, 3) } else { (1, 1) };
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' {
            at += 2;
        } else if byte == quote && (!triple || bytes[at..].starts_with(&[quote; 3])) {
            return at + end;
        } else if byte == b'\n' && !triple {
            // The text is broken, which the parser will say.
            return at;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// Whether a word before quotes belongs to them.
fn is_prefix(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    matches!(&*lower, "r" | "u" | "b" | "br" | "rb" | "f" | "fr" | "rf" | "t" | "tr" | "rt")
}

/// How many bytes of digits begin here, with an underscore between two of them.
fn digits(rest: &[u8], is_digit: fn(&u8) -> bool) -> usize {
    let mut length = 0;
    while let Some(byte) = rest.get(length) {
        let joins = *byte == b'_' && length > 0 && rest.get(length + 1).is_some_and(is_digit);
        if !is_digit(byte) && !joins {
            break;
        }
        length += if joins { 2 } else { 1 };
    }
    length
}

fn comment(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count()
}

/// How many bytes the end of a line has that begins here.
fn line_break(rest: &[u8]) -> usize {
    if rest.starts_with(b"\r\n") { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<String>, Fault> {
        let mut lexer = Lexer::new(text);
        let mut found = Vec::new();
        loop {
            match lexer.next()? {
                (Token::End, _) => return Ok(found),
                (token @ (Token::Newline | Token::Indent | Token::Dedent), _) => {
                    found.push(format!("{token:?}"));
                }
                (_, span) => found.push(text[span.start..span.end].to_owned()),
            }
        }
    }

    #[test]
    fn blocks_begin_and_end_by_indentation_and_not_inside_of_brackets() {
        let text = "if a:\n  b(\nc) # d\n\n  # e\n  if f:\n\tg\nh \\\n i";
        let found = tokens(text).unwrap().join(" ");
        assert_eq!(
            found,
            "if a : Newline Indent b ( c ) Newline if f : Newline Indent g Newline Dedent Dedent h i Newline"
        );
    }

    #[test]
    fn numbers_are_told_from_what_follows_them() {
        let found = tokens("1.e-05+0xFF_0*5.-.5j//1_0").unwrap();
        assert_eq!(found[..9], ["1.e-05", "+", "0xFF_0", "*", "5.", "-", ".5j", "//", "1_0"]);
        for wrong in ["012", "1a", "0x", "0b2", "1.5e"] {
            assert!(tokens(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_begins_nothing_is_refused_where_it_stands() {
        for (text, at) in
            [("a ?", 2), ("a = \"b\nc", 4), ("a \\ b", 2), ("  a\n b", 5), ("x\u{2028}", 1)]
        {
            assert_eq!(tokens(text).unwrap_err().at, at, "{text}");
        }
    }
}
