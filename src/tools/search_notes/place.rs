//! The cursor of `search_notes`: the place of the last hit shown, and the counts its scores were made of, so that unchanged
//! notes keep their place on the next page.

use jiff::civil::Date;

use super::SearchNotes;
use crate::notes::query::MAX_WORDS;
use crate::notes::rank::{Counts, NoteKey, Place};
use crate::tools::Tool;
use crate::tools::cursor::{Damaged, Reader, Writer};

/// The cursor after a place. `bound_to` stands for the arguments it belongs to.
pub(super) fn write_cursor(bound_to: u64, place: &Place, counts: &Counts) -> String {
    let mut writer = Writer::new(SearchNotes::NAME);
    writer.number(bound_to);
    writer.number(counts.notes);
    writer.number(counts.characters);
    writer.number(counts.notes_with.len() as u64);
    counts.notes_with.iter().for_each(|count| writer.number(*count));
    writer.number(u64::from(place.round));
    writer.number(u64::from(place.note.is_exact));
    writer.number(place.note.score.to_bits());
    let date = place.note.date;
    writer.number(
        u64::from(date.year().unsigned_abs()) << 9
            | u64::from(date.month().unsigned_abs()) << 5
            | u64::from(date.day().unsigned_abs()),
    );
    writer.number(u64::from(place.words));
    writer.number(u64::from(place.line));
    writer.text(&place.note.mark());
    writer.finish()
}

/// What it is bound to, the place, and the counts.
pub(super) fn read_cursor(cursor: &str) -> Result<(u64, Place, Counts), Damaged> {
    let mut reader = Reader::new(SearchNotes::NAME, cursor)?;
    let bound_to = reader.number()?;
    let (notes, characters) = (reader.number()?, reader.number()?);
    let words: usize = reader.small()?;
    if words > MAX_WORDS {
        return Err(Damaged);
    }
    let notes_with = (0..words).map(|_| reader.number()).collect::<Result<_, _>>()?;
    let round = reader.small()?;
    let is_exact = reader.number()? != 0;
    let score = f64::from_bits(reader.number()?);
    let day = reader.number()?;
    let part = |shift: u32, mask: u64| (day >> shift) & mask;
    let date = Date::new(
        i16::try_from(part(9, 0xFFFF)).map_err(|_| Damaged)?,
        i8::try_from(part(5, 0xF)).map_err(|_| Damaged)?,
        i8::try_from(part(0, 0x1F)).map_err(|_| Damaged)?,
    )
    .map_err(|_| Damaged)?;
    let (words, line) = (reader.small()?, reader.small()?);
    let note = NoteKey { is_exact, score, date, path: reader.text()? };
    Ok((bound_to, Place { round, note, words, line }, Counts { notes, characters, notes_with }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_gives_back_its_place() {
        let note = NoteKey {
            is_exact: true,
            score: 1.0 / 3.0,
            date: jiff::civil::date(2026, 11, 30),
            path: "a/笔记.md".into(),
        };
        let place = Place { round: 2, note, words: 3, line: 77 };
        let counts = Counts { notes: 12_345, characters: 6_789_000, notes_with: vec![1, 0, 99] };
        assert_eq!(read_cursor(&write_cursor(42, &place, &counts)), Ok((42, place, counts)));
    }
}
