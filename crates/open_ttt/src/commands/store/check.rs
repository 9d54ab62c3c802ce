use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use open_ttt_catalog::Catalog;
use open_ttt_net::MatchId;
use open_ttt_net::log::{LogError, SqliteFile};
use open_ttt_net::server::check_match;
use serde::Serialize;

use crate::commands::{print_json, progress_bar};
use crate::failure::{Failure, path_text};

/// Check the file, the checksums of its matches, and every move by the rules
///
/// Also while a server uses the file. Nothing is changed. The exit status is 1 if
/// something is damaged.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// What a file contains, and its damage; in `--json` a stable format.
#[derive(Debug, Default, Serialize)]
pub(super) struct Contents {
    matches: u64,
    entries: u64,
    /// The damage to the file.
    damage: Vec<String>,
    damaged_matches: Vec<DamagedMatch>,
}

#[derive(Debug, Serialize)]
struct DamagedMatch {
    #[serde(rename = "match")]
    id: MatchId,
    cause: String,
}

/// The output of `--json`; a stable format.
#[derive(Serialize)]
struct CheckReport<'a> {
    file: String,
    #[serde(flatten)]
    contents: &'a Contents,
}

/// Number of matches per read.
const PAGE: usize = 1000;

pub(super) fn run(args: &CheckArgs, catalog: &Catalog) -> Result<(), Failure> {
    let file = SqliteFile::open(&args.file).map_err(Failure::failed)?;
    let contents = Contents::of(&file, catalog)?;
    if args.json {
        print_json(&CheckReport {
            file: args.file.display().to_string(),
            contents: &contents,
        })?;
    } else {
        contents.print(&args.file)?;
    }
    contents.verdict(&args.file)
}

impl Contents {
    /// Checks a file. Shows its progress.
    pub(super) fn of(file: &SqliteFile, catalog: &Catalog) -> Result<Self, Failure> {
        let mut contents = Self::default();
        let count = file.match_count().map_err(Failure::failed)?;
        let bar = progress_bar(count, "checking {wide_bar} {pos}/{len} matches");
        bar.tick();
        match file.check() {
            Ok(damage) => contents.damage = damage,
            Err(error) => contents.damage.push(error.to_string()),
        }
        if let Err(error) = contents.check_matches(file, catalog, &bar) {
            contents.damage.push(error.to_string());
        }
        bar.finish_and_clear();
        Ok(contents)
    }

    fn check_matches(
        &mut self,
        file: &SqliteFile,
        catalog: &Catalog,
        bar: &ProgressBar,
    ) -> Result<(), LogError> {
        let mut last = None;
        loop {
            let page = file.matches(last.as_ref(), PAGE)?;
            for id in &page {
                let checked = file.entries(id).and_then(|entries| {
                    if !id.is_reserved() {
                        self.matches += 1;
                        self.entries += entries.len() as u64;
                    }
                    check_match(catalog, id, &entries)
                });
                if let Err(error) = checked {
                    self.damaged_matches.push(DamagedMatch {
                        id: id.clone(),
                        cause: error.to_string(),
                    });
                }
                bar.inc(1);
            }
            match page.last() {
                Some(id) => last = Some(id.clone()),
                None => return Ok(()),
            }
        }
    }

    fn print(&self, path: &Path) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        let causes = self.damaged_matches.iter().map(|damaged| &damaged.cause);
        for cause in self.damage.iter().chain(causes) {
            writeln!(output, "{cause}")?;
        }
        let (path, amount) = (path_text(path), self.amount());
        if self.is_damaged() {
            writeln!(output, "{path} has {amount}")?;
        } else {
            writeln!(output, "{path} has {amount}, and no damage was found")?;
        }
        Ok(output.flush()?)
    }

    /// The number of matches and entries, as text.
    pub(super) fn amount(&self) -> String {
        let plural = |count: u64, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let matches = plural(self.matches, "match", "matches");
        format!("{matches} ({})", plural(self.entries, "entry", "entries"))
    }

    fn is_damaged(&self) -> bool {
        !self.damage.is_empty() || !self.damaged_matches.is_empty()
    }

    /// A failure if something is damaged.
    pub(super) fn verdict(&self, path: &Path) -> Result<(), Failure> {
        let path = path_text(path);
        if let Some(cause) = self.damage.first() {
            return Err(Failure::failed(format_args!("{path} is damaged: {cause}")));
        }
        match &*self.damaged_matches {
            [] => Ok(()),
            [one] => Err(Failure::failed(format_args!(
                "1 of {} matches in {path} is damaged: {}",
                self.matches, one.cause
            ))),
            [first, ..] => Err(Failure::failed(format_args!(
                "{} of {} matches in {path} are damaged, the first one: {}",
                self.damaged_matches.len(),
                self.matches,
                first.cause
            ))),
        }
    }
}
