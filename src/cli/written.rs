//! Options written as a command line again: for a client's configuration, and for a second process that is to do the same.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use tracing_subscriber::filter::LevelFilter;

use super::Options;
use super::values::MEBIBYTE;
use crate::notes::Settings;

impl Options {
    /// The command line that means these options: the folder, then what differs from the defaults.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments = vec![self.notes_dir.clone().into_os_string()];
        arguments.extend(self.given().into_iter().map(OsString::from));
        arguments
    }

    /// What differs from the defaults, as it would be typed.
    pub fn given(&self) -> Vec<String> {
        let defaults = Settings::of(&self.notes_dir);
        let mut given = Vec::new();
        let mut say = |name: &str, value: String| {
            if value.starts_with('-') {
                given.push(format!("{name}={value}")); // else it would be read as an option of its own
            } else {
                given.extend([name.to_owned(), value]);
            }
        };
        if self.extensions != defaults.extensions {
            say("--ext", self.extensions.join(","));
        }
        for pattern in &self.exclude {
            say("--exclude", pattern.clone());
        }
        if self.max_file_bytes != defaults.max_file_bytes {
            let whole = self.max_file_bytes.is_multiple_of(MEBIBYTE);
            let bytes = self.max_file_bytes;
            say("--max-file-size", if whole { format!("{}MiB", bytes / MEBIBYTE) } else { bytes.to_string() });
        }
        if self.search_timeout != defaults.search_timeout {
            say("--search-timeout", self.search_timeout.as_secs_f64().to_string());
        }
        if self.cache_bytes != defaults.cache_bytes {
            say("--cache-mb", (self.cache_bytes / MEBIBYTE).to_string());
        }
        if let Some(about) = &self.about {
            say("--about", about.clone());
        }
        if self.log != LevelFilter::WARN {
            say("--log", self.log.to_string());
        }
        if self.follow_links {
            given.push("--follow-links".to_owned());
        }
        given
    }

    /// The same with the folder's absolute path, since a client starts servers from a folder of its own choice.
    ///
    /// # Errors
    /// There is no current folder.
    pub fn with_absolute_folder(self) -> io::Result<Self> {
        Ok(Self { notes_dir: absolute(&self.notes_dir)?, ..self })
    }
}

/// Links stay as they are written, unless a `..` asks where they lead.
fn absolute(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let climbs = path.components().any(|part| part == Component::ParentDir);
    Ok(if climbs { path.canonicalize().unwrap_or(path) } else { path })
}

impl From<&Options> for Settings {
    fn from(options: &Options) -> Self {
        Self {
            folder: options.notes_dir.clone(),
            extensions: options.extensions.clone(),
            exclude: options.exclude.clone(),
            follow_links: options.follow_links,
            max_file_bytes: options.max_file_bytes,
            search_timeout: options.search_timeout,
            cache_bytes: options.cache_bytes,
        }
    }
}
