//! Golden conversations over the real loop: every behaviour that a client or a model can see, as it is seen.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::Runtime;

use crate::laws::hold_for_conversation;
use crate::snapshot::{difference, path};
use crate::transcript::replay;

#[test]
fn every_conversation_goes_as_it_is_written_and_keeps_the_laws() {
    let mut files: Vec<_> = fs::read_dir(path("transcripts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| {
        let name = file.file_name().unwrap().to_string_lossy();
        name.ends_with(".txt") && (cfg!(unix) || !name.ends_with(".unix.txt"))
    });
    files.sort();
    assert!(files.len() > 20, "where are the conversations? {files:?}");
    let runtime = Runtime::new().unwrap();
    let mut faults = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let replayed = runtime.block_on(replay(&text));
            let difference = difference(&file, &replayed.text);
            hold_for_conversation(&replayed.lines, replayed.folder.path().parent().unwrap());
            difference
        }));
        match outcome {
            Ok(None) => {}
            Ok(Some(difference)) => faults.push(difference),
            Err(_) => faults.push(format!("{}: a law was broken, see above", file.display())),
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n\n"));
}
