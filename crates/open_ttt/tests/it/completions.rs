//! Completions for shells, and the man page.

use std::fs;

use crate::program::run;
use crate::scratch::Scratch;

#[test]
fn completions_of_every_shell_have_commands_and_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(["completions", shell], "");
        for part in ["open_ttt", "analyze", "second", "no-save"] {
            assert!(script.contains(part), "{part} for {shell}");
        }
    }
}

#[test]
fn bash_takes_its_completions() {
    // Without bash there is nothing to test.
    let script = run(["completions", "bash"], "");
    let test = format!(
        "{script}\nCOMP_WORDS=(open_ttt ana) COMP_CWORD=1\n_open_ttt open_ttt ana open_ttt\necho ${{COMPREPLY[@]}}"
    );
    let ran = std::process::Command::new("bash")
        .args(["-c", &test])
        .output();
    if let Ok(ran) = ran {
        assert_eq!(String::from_utf8(ran.stdout).unwrap(), "analyze\n");
    }
}

#[test]
fn the_man_page_lists_the_commands() {
    let page = run(["man"], "");
    assert!(page.contains(".TH open_ttt 1"), "{page}");
    assert!(page.contains("open_ttt\\-analyze(1)"), "{page}");
    let scratch = Scratch::new("man pages");
    let folder = scratch.path("man1");
    assert_eq!(run(["man", "--dir", &folder], ""), "");
    let page = fs::read_to_string(format!("{folder}/open_ttt-analyze.1")).unwrap();
    for part in ["\\-\\-values", "Examples:", "analyze \\-\\-game ttt"] {
        assert!(page.contains(part), "{part} in {page}");
    }
}
