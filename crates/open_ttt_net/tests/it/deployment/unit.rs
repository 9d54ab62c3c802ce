//! The systemd unit.

use std::process::{Command, Output};
use std::{env, fs, process};

use super::{program, read};

/// The unit, with a program that is installed everywhere.
fn unit() -> String {
    let unit = read("open_ttt.service");
    let of_host = "ExecStart=/usr/local/bin/open_ttt serve";
    assert!(unit.contains(of_host), "{unit}");
    unit.replace(of_host, "ExecStart=/bin/true serve")
}

/// What systemd-analyze prints about a unit. `test` names the folder of the unit.
fn analyze(test: &str, arguments: &[&str], unit: &str) -> Output {
    let folder = format!("open_ttt-unit-{test}-{}", process::id());
    let folder = env::temp_dir().join(folder);
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("open_ttt.service");
    fs::write(&path, unit).expect("a file");
    let mut analyze = Command::new(program("OPEN_TTT_SYSTEMD_ANALYZE", "systemd-analyze"));
    let output = analyze.args(arguments).arg(&path).output();
    fs::remove_dir_all(&folder).expect("the folder");
    output.expect("systemd-analyze starts")
}

#[test]
#[ignore = "needs systemd-analyze: cargo xtask test installs it"]
fn systemd_understands_the_unit() {
    let verify = |unit: &str| {
        let arguments = ["verify", "--recursive-errors=no", "--man=no"];
        let output = analyze("verify", &arguments, unit);
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), complaints)
    };
    let unit = unit();
    assert_eq!(verify(&unit), (true, String::new()));
    // It does not take anything for a unit.
    let (is_good, complaints) = verify(&unit.replace("ProtectClock=", "ProtectClok="));
    assert!(
        !is_good && complaints.contains("ProtectClok"),
        "{complaints}"
    );
}

#[test]
#[ignore = "needs systemd-analyze: cargo xtask test installs it"]
fn the_unit_is_as_exposed_as_the_docs_say() {
    let exposure = |unit: &str| {
        let arguments = ["security", "--offline=true", "--no-pager"];
        let output = analyze("security", &arguments, unit);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let level = text.split("Overall exposure level for open_ttt.service: ");
        let level = level.last().and_then(|rest| rest.split(' ').next());
        level.unwrap_or_default().to_owned()
    };
    let docs = fs::read_to_string(super::folder().join("../docs/deployment.md"));
    let docs = docs.expect("the page");
    let unit = unit();
    let told = |level: &str| docs.contains(&format!("rates its exposure {level} of 10"));
    let level = exposure(&unit);
    assert!(told(&level), "{level}");
    let level = exposure(&unit.replace("\nUser=open_ttt\n", "\n"));
    assert!(!told(&level), "{level}");
}
