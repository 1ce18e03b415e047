//! A compact signature of a folded text that can prove a word absent.
//!
//! A bit array into which every stretch of three ASCII characters, and every other character with the one after it, is
//! hashed. A word all of whose stretches are there may occur; one with a stretch missing does not. Words too short to hold a
//! stretch prove nothing.

/// The signature of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Box<[u64]>);

/// The stretches of a word that is looked for, hashed once.
#[derive(Debug, Clone, Default)]
pub struct Stretches(Vec<u64>);

/// Texts differ in length; about eleven bits a stretch keep most absent words out. In 64-bit units.
const MIN_UNITS: usize = 4;
const MAX_UNITS: usize = 1024;

impl Signature {
    /// The signature of a folded text.
    pub fn of(folded: &str) -> Self {
        let units = (folded.len() / 48).next_power_of_two().clamp(MIN_UNITS, MAX_UNITS);
        let mut bits = vec![0_u64; units].into_boxed_slice();
        stretches(folded, |hash| {
            let (unit, bit) = place(hash, units);
            bits[unit] |= bit;
        });
        Self(bits)
    }

    /// Whether a word with these stretches may occur in the text; never wrongly no.
    pub fn may_hold(&self, word: &Stretches) -> bool {
        word.0.iter().all(|hash| {
            let (unit, bit) = place(*hash, self.0.len());
            self.0[unit] & bit != 0
        })
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        self.0.len() * 8
    }
}

impl Stretches {
    /// The stretches of a folded word.
    pub fn of(folded: &str) -> Self {
        let mut hashes = Vec::new();
        stretches(folded, |hash| hashes.push(hash));
        Self(hashes)
    }
}

fn place(hash: u64, units: usize) -> (usize, u64) {
    // The high bits of a multiplicative hash are the well-mixed ones.
    let index = usize::try_from(hash >> 40).unwrap_or(0);
    ((index >> 6) & (units - 1), 1 << (index & 63))
}

fn stretches(folded: &str, mut see: impl FnMut(u64)) {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let bytes = folded.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let first = bytes[at];
        if first.is_ascii() {
            if let [a, b, c, ..] = bytes[at..]
                && b.is_ascii()
                && c.is_ascii()
                && a != b'\n'
                && b != b'\n'
                && c != b'\n'
            {
                let stretch = u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16;
                see(stretch.wrapping_mul(MIX));
            }
            at += 1;
        } else {
            let length = match first {
                0xF0.. => 4,
                0xE0.. => 3,
                _ => 2,
            };
            let next = at + length;
            let mut stretch = 0_u64;
            for byte in &bytes[at..next] {
                stretch = stretch << 8 | u64::from(*byte);
            }
            see(stretch.wrapping_mul(MIX));
            if let Some(&second) = bytes.get(next)
                && !second.is_ascii()
            {
                let end = next
                    + match second {
                        0xF0.. => 4,
                        0xE0.. => 3,
                        _ => 2,
                    };
                for byte in &bytes[next..end] {
                    stretch = stretch.rotate_left(9) ^ u64::from(*byte);
                }
                see(stretch.wrapping_mul(MIX));
            }
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_absent_word_is_mostly_proved_absent() {
        let text = "the quick brown fox jumps over the lazy dog\n适者生存，生存等于正确\n".repeat(40);
        let signature = Signature::of(&text);
        for word in ["zebra", "quantum", "秋刀鱼", "存者"] {
            assert!(!signature.may_hold(&Stretches::of(word)), "{word}");
        }
    }

    proptest! {
        #[test]
        fn a_word_that_occurs_is_never_denied(before in ".{0,200}", word in "[a-c生存éß🙏 ]{1,8}", after in ".{0,200}") {
            let signature = Signature::of(&format!("{before}{word}{after}"));
            prop_assert!(signature.may_hold(&Stretches::of(&word)));
        }
    }
}
