//! `cargo xtask fuzz`: feeds the parsers of input from outside with whatever libFuzzer thinks
//! up, one parser after the other, and tells what it has found.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo_tool::CargoTool;
use crate::files::{of_file, remove_folder, write};
use crate::run;

const TOOL: CargoTool = CargoTool {
    name: "cargo-fuzz",
    version: "0.13.2",
    features: "",
    purpose: "builds and runs fuzz targets",
};

/// The workspace of the fuzz targets.
const WORKSPACE: &str = "crates/untrusted_input/fuzz";

/// What all targets together get, unless it is said.
const MINUTES: u64 = 60;

/// The longest input, in bytes.
const MAX_LENGTH: u32 = 8_192;

/// An input that takes longer is a finding, in seconds.
const MAX_SECONDS: u32 = 5;

/// An input that takes more memory is a finding, in MiB.
const MAX_MEMORY: u32 = 2_048;

/// What the repository keeps of a corpus.
const KEPT_FILES: usize = 20;
const KEPT_BYTES: usize = 15_000;

/// What a command line asks for.
struct Wanted {
    targets: Vec<String>,
    /// For each target.
    seconds: u64,
    /// Whether the repository gets the corpora.
    keeps: bool,
}

/// The folders and files of a target.
struct Target<'a> {
    name: &'a str,
    tool: &'a Path,
    root: &'a Path,
}

/// What became of a target.
struct Outcome {
    inputs: u64,
    new: u64,
    findings: Vec<PathBuf>,
}

/// Fuzzes these targets, or all.
pub(crate) fn fuzz(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    let wanted = Wanted::of(root, arguments)?;
    let tool = TOOL.install(root, cargo)?;
    println!("xtask: building the fuzz targets");
    // Without a target it builds all.
    let names: &[String] = match &*wanted.targets {
        one @ [_] => one,
        _ => &[],
    };
    run(cargo_fuzz(&tool, root, "build").args(names))?;
    let mut table =
        "| target | inputs | new in the corpus | findings |\n|---|--:|--:|--:|\n".to_owned();
    let mut findings = Vec::new();
    for (name, number) in wanted.targets.iter().zip(1..) {
        let (count, seconds) = (wanted.targets.len(), wanted.seconds);
        println!("xtask: {name} for {seconds} s, {number} of {count}");
        let (tool, root) = (&*tool, root);
        let target = Target { name, tool, root };
        let outcome = target.fuzz(seconds)?;
        let (inputs, new, found) = (outcome.inputs, outcome.new, outcome.findings.len());
        println!("xtask: {name}: {inputs} inputs, {new} new in the corpus, {found} findings");
        let _ = writeln!(table, "| {name} | {inputs} | {new} | {found} |");
        if wanted.keeps {
            target.keep()?;
        }
        findings.extend(outcome.findings);
    }
    println!("\n{table}");
    if findings.is_empty() {
        return Ok(());
    }
    let paths = findings.iter().map(|path| {
        let path = path.strip_prefix(root).unwrap_or(path);
        path.display().to_string()
    });
    let paths: Vec<_> = paths.collect();
    let count = paths.len();
    Err(format!("{count} findings:\n  {}", paths.join("\n  ")))
}

impl Wanted {
    fn of(root: &Path, arguments: &[String]) -> Result<Self, String> {
        let usage = || "usage: cargo xtask fuzz [TARGET ..] [--minutes N] [--keep]".to_owned();
        let folder = root.join(WORKSPACE).join("fuzz_targets");
        let known = entries(&folder)?.into_iter().filter_map(|path| {
            let name = path.file_stem()?;
            Some(name.to_string_lossy().into_owned())
        });
        let known: Vec<_> = known.collect();
        let (mut targets, mut minutes, mut keeps) = (Vec::new(), MINUTES, false);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--keep" => keeps = true,
                "--minutes" => {
                    let number = arguments.next().and_then(|number| number.parse().ok());
                    minutes = number.ok_or_else(usage)?;
                }
                name if known.iter().any(|target| target == name) => targets.push(name.to_owned()),
                name => return Err(format!("{name} is none of {}", known.join(", "))),
            }
        }
        if targets.is_empty() {
            targets = known;
        }
        Ok(Self {
            seconds: (60 * minutes / targets.len() as u64).max(1),
            targets,
            keeps,
        })
    }
}

impl Target<'_> {
    /// The corpus in the repository.
    fn kept(&self) -> PathBuf {
        self.root.join(WORKSPACE).join("corpus").join(self.name)
    }

    /// Whatever earlier runs have left, too.
    fn whole(&self) -> PathBuf {
        self.root.join("target/fuzz/corpus").join(self.name)
    }

    /// Feeds the target, from the corpus on. It ends early with its first finding.
    fn fuzz(&self, seconds: u64) -> Result<Outcome, String> {
        let folder = self.root.join(WORKSPACE).join("artifacts").join(self.name);
        let found = || entries(&folder).unwrap_or_default();
        let before = found();
        let (is_clean, log) = self.run(
            "fuzz",
            &[&self.whole(), &self.kept()],
            &[
                format!("-max_total_time={seconds}"),
                format!("-timeout={MAX_SECONDS}"),
                format!("-rss_limit_mb={MAX_MEMORY}"),
                "-print_final_stats=1".to_owned(),
            ],
        )?;
        let mut findings = found();
        findings.retain(|path| !before.contains(path));
        let text = fs::read(&log).map_err(of_file(&log))?;
        let text = String::from_utf8_lossy(&text);
        let statistic = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
            lines.next().and_then(|number| number.trim().parse().ok())
        };
        let inputs = statistic("stat::number_of_executed_units:");
        match inputs.filter(|_| is_clean || !findings.is_empty()) {
            Some(inputs) => Ok(Outcome {
                inputs,
                new: statistic("stat::new_units_added:").unwrap_or(0),
                findings,
            }),
            None => Err(format!("{} failed: see {}", self.name, log.display())),
        }
    }

    /// Leaves out of the corpus what adds no coverage to shorter inputs, and puts those inputs
    /// that add the most into the repository, beside its seeds.
    fn keep(&self) -> Result<(), String> {
        let (whole, kept) = (self.whole(), self.kept());
        let control = whole.with_extension("control");
        let merged = whole.with_extension("merged");
        remove_folder(&merged)?;
        let _ = fs::remove_file(&control);
        // It goes through all inputs from the shortest on, and writes down what each adds.
        let options = [
            "-merge=1".to_owned(),
            format!("-merge_control_file={}", control.display()),
        ];
        let (is_merged, log) = self.run("merge", &[&merged, &whole, &kept], &options)?;
        if !is_merged {
            return Err(format!("can't merge {}: see {}", self.name, log.display()));
        }
        let text = fs::read_to_string(&control).map_err(of_file(&control))?;
        let of_kept = entries(&kept)?.into_iter();
        let (seeds, earlier): (Vec<_>, Vec<_>) = of_kept.partition(|path| is_seed(path));
        let read = |path: &Path| fs::read(path).map_err(of_file(path));
        let seeds = seeds.iter().map(|path| read(path));
        let seeds: Vec<_> = seeds.collect::<Result<_, _>>()?;
        let inputs = most_coverage_first(&text).into_iter();
        let inputs = inputs.map(|path| read(path.as_ref()));
        let chosen = beside_seeds(&seeds, inputs.collect::<Result<_, _>>()?);
        for path in earlier {
            fs::remove_file(&path).map_err(of_file(&path))?;
        }
        for (input, number) in chosen.iter().zip(1..) {
            write(&kept.join(format!("{number:02}")), input)?;
        }
        remove_folder(&whole)?;
        fs::rename(&merged, &whole).map_err(of_file(&merged))?;
        println!("xtask: kept {} inputs of {}", chosen.len(), self.name);
        Ok(())
    }

    /// Runs the target with corpora, of which it changes the first, and options of libFuzzer.
    /// Returns whether it has ended well, and its log.
    fn run(
        &self,
        what: &str,
        corpora: &[&Path],
        options: &[String],
    ) -> Result<(bool, PathBuf), String> {
        for folder in corpora {
            fs::create_dir_all(folder).map_err(of_file(folder))?;
        }
        let log = self.root.join("target/fuzz");
        let log = log.join(format!("{}.{what}.log", self.name));
        let output = File::create(&log).map_err(of_file(&log))?;
        let errors = output.try_clone().map_err(of_file(&log))?;
        let mut fuzz = cargo_fuzz(self.tool, self.root, "run");
        fuzz.arg(self.name).args(corpora);
        fuzz.args(["--", &format!("-max_len={MAX_LENGTH}")]);
        fuzz.args(options).stdin(Stdio::null());
        let status = fuzz.stdout(output).stderr(errors).status();
        let status = status.map_err(|error| format!("{} can't be started: {error}", TOOL.name))?;
        Ok((status.success(), log))
    }
}

/// A subcommand of cargo-fuzz. Without a sanitizer, because nearly all of our code forbids
/// `unsafe`: it finds more in the same time.
fn cargo_fuzz(tool: &Path, root: &Path, subcommand: &str) -> Command {
    let mut fuzz = Command::new(tool);
    fuzz.args(["fuzz", subcommand, "--fuzz-dir", WORKSPACE]);
    fuzz.args(["--sanitizer", "none", "--codegen-units", "16"]);
    // A stable compiler doesn't instrument otherwise.
    fuzz.env("RUSTC_BOOTSTRAP", "1").current_dir(root);
    fuzz
}

/// The inputs in a control file of libFuzzer's merging, first those that add most coverage to
/// what the inputs before them have.
fn most_coverage_first(control: &str) -> Vec<&str> {
    let mut lines = control.lines();
    let count = lines
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0);
    let paths: Vec<_> = lines.by_ref().skip(1).take(count).collect();
    let mut added = Vec::new();
    for line in lines {
        // `FT`, the number of the input, and the features that it adds.
        let mut words = line.split(' ');
        if words.next() == Some("FT")
            && let Some(number) = words.next().and_then(|number| number.parse::<usize>().ok())
            && let Some(path) = paths.get(number)
        {
            added.push((words.count(), *path));
        }
    }
    added.retain(|(features, _)| *features > 0);
    added.sort_by_key(|&(features, _)| std::cmp::Reverse(features));
    added.into_iter().map(|(_, path)| path).collect()
}

/// Those inputs, the first ones first, that the repository keeps beside these seeds.
fn beside_seeds(seeds: &[Vec<u8>], inputs: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let taken: usize = seeds.iter().map(Vec::len).sum();
    let mut room = KEPT_BYTES.saturating_sub(taken);
    let places = KEPT_FILES.saturating_sub(seeds.len());
    let mut chosen = Vec::new();
    for input in inputs {
        // The seeds are merged with the rest.
        if chosen.len() < places && input.len() <= room && !seeds.contains(&input) {
            room -= input.len();
            chosen.push(input);
        }
    }
    chosen
}

/// Whether an input of the repository was made by hand, because what adds the most coverage is
/// all refused.
fn is_seed(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("seed")
}

/// What is in a folder, in the order of the names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(of_file(folder))?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_ordered_by_what_they_add() {
        let control = "3\n0\na\nb\nc\nSTARTED 0 1\nFT 0 5\nCOV 0 1 2\nSTARTED 1 2\nFT 1\nCOV 1\n\
                       STARTED 2 9\nFT 2 6 7 8\nCOV 2 3\n";
        assert_eq!(most_coverage_first(control), ["c", "a"]);
    }

    #[test]
    fn seeds_count_as_what_is_kept() {
        let seeds = [vec![0; KEPT_BYTES - 10], vec![1]];
        // The first has no room, and the second is there already.
        let inputs = vec![vec![2; 10], vec![1], vec![3; 5], vec![4; 5], vec![5; 4]];
        assert_eq!(beside_seeds(&seeds, inputs), [vec![3; 5], vec![5; 4]]);
        let many: Vec<_> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        let chosen = beside_seeds(&many[..3], many.clone());
        assert_eq!(chosen, many[3..KEPT_FILES]);
        assert!(beside_seeds(&[vec![0; KEPT_BYTES + 1]], many).is_empty());
    }
}
