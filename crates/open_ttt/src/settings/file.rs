use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;

use serde::de::IgnoredAny;
use toml::Spanned;

use super::Settings;

/// The most bytes that are read.
const MAX_BYTES: u64 = 64 * 1024;

/// The file with a person's settings.
#[derive(Debug)]
pub(super) struct SettingsFile {
    path: PathBuf,
}

impl SettingsFile {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The settings; the defaults if there is no file.
    ///
    /// # Errors
    ///
    /// If it can't be read or understood: a sentence without its full stop.
    pub(super) fn read(&self) -> Result<Settings, String> {
        parse(&self.text()?)
    }

    fn text(&self) -> Result<String, String> {
        let file = match fs::File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
            file => file.map_err(|error| error.to_string())?,
        };
        let mut text = String::new();
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
        read.map_err(|error| error.to_string())?;
        if text.len() as u64 > MAX_BYTES {
            return Err(format!("it has more than {MAX_BYTES} bytes"));
        }
        Ok(text)
    }

    /// Sets some of the settings, each by its name and its value in TOML. The rest of the file
    /// stays as it is, also what other programs and people have changed meanwhile.
    ///
    /// # Errors
    ///
    /// If the file can't be read, understood or written. It is as before then.
    pub(super) fn change(&self, changes: &[(&str, String)]) -> Result<(), String> {
        let mut text = self.text()?;
        parse(&text)?;
        for (name, value) in changes {
            text = with_setting(&text, name, value).map_err(|error| error.to_string())?;
        }
        parse(&text)?;
        self.write(&text).map_err(|error| error.to_string())
    }

    /// Replaces the file at once, so that nobody reads a part of it.
    fn write(&self, text: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A link stays one.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let new = path.with_extension(format!("{}.new", process::id()));
        fs::write(&new, text)?;
        fs::rename(&new, &path).inspect_err(|_| {
            let _ = fs::remove_file(&new);
        })
    }
}

fn parse(text: &str) -> Result<Settings, String> {
    toml::from_str(text).map_err(|error| {
        let line = error
            .span()
            .map(|span| text[..span.start].matches('\n').count() + 1);
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        let message = error.message().trim().replace('\n', "; ");
        format!("{line}{message}")
    })
}

/// A text of settings with another value of one of them. All are at the top level.
fn with_setting(text: &str, name: &str, value: &str) -> Result<String, toml::de::Error> {
    let settings: BTreeMap<String, Spanned<IgnoredAny>> = toml::from_str(text)?;
    let mut text = text.to_owned();
    if let Some(old) = settings.get(name) {
        text.replace_range(old.span(), value);
    } else {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.extend([name, " = ", value, "\n"]);
    }
    Ok(text)
}
