use std::io::{self, Write};

use open_ttt_catalog::{Catalog, GameEntry};
use open_ttt_lib::rules::AllowedValues;
use serde::Serialize;

use super::print_json;
use crate::failure::Failure;

/// List the games
#[derive(Debug, clap::Args)]
pub(crate) struct GamesArgs {
    /// Print a JSON object for each game
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct GameReport {
    key: &'static str,
    title: &'static str,
    rules: &'static str,
    parameters: Vec<ParameterReport>,
}

#[derive(Serialize)]
struct ParameterReport {
    name: &'static str,
    meaning: &'static str,
    allowed: AllowedReport,
    default: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum AllowedReport {
    Range([u32; 2]),
    OneOf(&'static [u32]),
}

pub(crate) fn run(args: &GamesArgs, catalog: &Catalog) -> Result<(), Failure> {
    let games = catalog.games();
    if args.json {
        return games
            .iter()
            .map(report)
            .try_for_each(|game| print_json(&game));
    }
    let mut output = io::stdout().lock();
    for entry in games {
        writeln!(output, "{:<10} {}", entry.key, entry.title)?;
        for parameter in entry.parameters {
            let (name, meaning) = (parameter.name, parameter.meaning);
            let (allowed, default) = (&parameter.allowed, parameter.default);
            write!(output, "{:<10}   {name}={allowed} ", "")?;
            writeln!(output, "(default {default}): {meaning}")?;
        }
    }
    Ok(())
}

fn report(entry: &GameEntry) -> GameReport {
    let parameters = entry.parameters.iter().map(|parameter| ParameterReport {
        name: parameter.name,
        meaning: parameter.meaning,
        allowed: match &parameter.allowed {
            AllowedValues::Range(range) => AllowedReport::Range([*range.start(), *range.end()]),
            AllowedValues::OneOf(values) => AllowedReport::OneOf(values),
        },
        default: parameter.default,
    });
    GameReport {
        key: entry.key,
        title: entry.title,
        rules: entry.rules,
        parameters: parameters.collect(),
    }
}
