//! What is made out of the command line's definition: completions for shells, and the manual page.

use std::io;

use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::CommandLine;

/// A script that completes the command line in a shell.
pub fn completions(shell: Shell) -> Vec<u8> {
    let mut command = CommandLine::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new(); // clap_complete panics when a pipe is closed; memory never is
    generate(shell, &mut command, name, &mut script);
    script
}

/// The manual page, in roff.
///
/// # Errors
/// None in practice: it is written to memory.
pub fn man() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(CommandLine::command()).render(&mut page)?;
    Ok(page)
}
