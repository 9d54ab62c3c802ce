//! What the machine reports, line by line, with tabs between the parts of a line.

/// The checks so far.
#[derive(Default)]
pub(super) struct Report {
    checks: Vec<Check>,
    has_ended: bool,
}

struct Check {
    has_passed: bool,
    name: String,
    /// What was seen.
    seen: String,
}

impl Report {
    /// Takes a line and shows it.
    pub(super) fn hear(&mut self, line: &str) {
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        match parts[..] {
            ["step", what] => println!("xtask: {what}"),
            [verdict @ ("passed" | "failed"), name, seen] => {
                println!("    {verdict}: {name}: {seen}");
                self.checks.push(Check {
                    has_passed: verdict == "passed",
                    name: name.to_owned(),
                    seen: seen.to_owned(),
                });
            }
            ["end"] => self.has_ended = true,
            // A complaint of the machine's own.
            _ => println!("    {line}"),
        }
    }

    /// Prints all checks as a table.
    pub(super) fn print(&self) {
        let width = self.checks.iter().map(|check| check.name.chars().count());
        let width = width.max().unwrap_or_default();
        println!();
        for check in &self.checks {
            let verdict = if check.has_passed { "passed" } else { "FAILED" };
            println!("{verdict}  {:width$}  {}", check.name, check.seen);
        }
        let failed = self.failed();
        println!("\n{} passed, {failed} failed", self.checks.len() - failed);
    }

    fn failed(&self) -> usize {
        self.checks.iter().filter(|check| !check.has_passed).count()
    }

    /// Whether everything was checked and has passed.
    pub(super) fn result(&self) -> Result<(), String> {
        if !self.has_ended {
            return Err("the machine was switched off before the last check".to_owned());
        }
        match self.failed() {
            0 => Ok(()),
            failed => Err(format!("{failed} checks of the deployment failed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    fn result(lines: &[&str]) -> Result<(), String> {
        let mut report = Report::default();
        for line in lines {
            report.hear(line);
        }
        report.result()
    }

    #[test]
    fn a_failed_check_and_a_missing_end_are_errors() {
        let passed = "passed\tit runs\tactive";
        assert_eq!(result(&["step\tfirst", passed, "end"]), Ok(()));
        assert!(result(&[passed]).is_err());
        let failed = "failed\tit answers\tnothing\tat all";
        assert!(result(&[passed, failed, "end"]).is_err());
    }
}
