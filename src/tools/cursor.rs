//! Cursors: opaque, stateless texts that say where the next page begins and to what they belong.
//!
//! A few numbers and a path, with a check value, as base64. A damaged cursor is told from one of another search or note.

use std::hash::{DefaultHasher, Hash, Hasher};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Changes when the content of a cursor does, so that a cursor of an older server is refused and not misread.
const FORMAT: u64 = 1;

/// Collects what a cursor holds.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

/// Reads a cursor in the order in which it was written.
#[derive(Debug)]
pub struct Reader {
    bytes: Vec<u8>,
    at: usize,
}

/// The cursor is damaged, or none of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl Writer {
    /// An empty cursor of a kind (a tool's name).
    pub fn new(kind: &str) -> Self {
        let mut writer = Self::default();
        writer.number(FORMAT);
        writer.number(u64::from(check_value(kind.as_bytes())));
        writer
    }

    /// A whole number, in as few bytes as it needs (LEB128).
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(low_bits(number) | 0x80);
            number >>= 7;
        }
        self.0.push(low_bits(number));
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// The cursor's text.
    pub fn finish(mut self) -> String {
        let check = check_value(&self.0);
        self.0.extend_from_slice(&check.to_le_bytes());
        URL_SAFE_NO_PAD.encode(&self.0)
    }
}

impl Reader {
    /// A cursor of a kind.
    pub fn new(kind: &str, cursor: &str) -> Result<Self, Damaged> {
        let mut bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| Damaged)?;
        let at = bytes.len().checked_sub(4).ok_or(Damaged)?;
        let check = bytes.split_off(at);
        if check_value(&bytes).to_le_bytes() != check[..] {
            return Err(Damaged);
        }
        let mut reader = Self { bytes, at: 0 };
        let is_ours = reader.number()? == FORMAT && reader.number()? == u64::from(check_value(kind.as_bytes()));
        if is_ours { Ok(reader) } else { Err(Damaged) }
    }

    /// The next number.
    pub fn number(&mut self) -> Result<u64, Damaged> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or(Damaged)?;
            self.at += 1;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damaged)
    }

    /// The next number, which fits a smaller type.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Result<T, Damaged> {
        T::try_from(self.number()?).map_err(|_| Damaged)
    }

    /// The next text.
    pub fn text(&mut self) -> Result<String, Damaged> {
        let length: usize = self.small()?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len()).ok_or(Damaged)?;
        let text = std::str::from_utf8(&self.bytes[self.at..end]).map_err(|_| Damaged)?.to_owned();
        self.at = end;
        Ok(text)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "seven bits fit")]
fn low_bits(number: u64) -> u8 {
    (number & 0x7F) as u8
}

/// A hash of what a cursor belongs to.
pub fn binding(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn check_value(bytes: &[u8]) -> u32 {
    let hash = binding(&bytes);
    (hash >> 32) as u32 ^ (hash & 0xFFFF_FFFF) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(numbers: &[u64], text: &str) -> String {
        let mut writer = Writer::new("search_notes");
        for number in numbers {
            writer.number(*number);
        }
        writer.text(text);
        writer.finish()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers in proptest::collection::vec(any::<u64>(), 0..6), text in ".{0,40}") {
            let mut reader = Reader::new("search_notes", &written(&numbers, &text)).expect("it is whole");
            for number in &numbers {
                prop_assert_eq!(reader.number(), Ok(*number));
            }
            prop_assert_eq!(reader.text(), Ok(text));
            prop_assert_eq!(reader.number(), Err(Damaged));
        }

        #[test]
        fn any_other_text_is_damaged(text in ".{0,80}") {
            prop_assert!(Reader::new("search_notes", &text).is_err());
        }
    }

    #[test]
    fn every_change_is_noticed() {
        let cursor = written(&[7, 300], "a/笔记.md");
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("base64 is ASCII");
            assert!(Reader::new("search_notes", &changed).is_err(), "at {at}");
            assert!(Reader::new("search_notes", &cursor[..at]).is_err(), "cut at {at}");
        }
        assert!(Reader::new("read_note", &cursor).is_err());
    }
}
