//! The example, compiled by the system's compiler and watched for mistakes with memory.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where cargo has put the libraries for C: beside this test.
fn library(extension: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libopen_ttt_c") && name.ends_with(extension)
    };
    let files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    let modified = |path: &PathBuf| path.metadata().unwrap().modified().unwrap();
    files.filter(is_library).max_by_key(modified).unwrap()
}

/// Compiles the example with one of the libraries.
fn compile(library: &Path, name: &str) -> PathBuf {
    let program = library.with_file_name(name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compile = Command::new("cc");
    compile.args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-g"]);
    compile.arg("-I").arg(here.join("include"));
    compile.arg(here.join("examples/perfect.c")).arg(library);
    compile
        .args(["-lm", "-lpthread", "-ldl", "-o"])
        .arg(&program);
    assert!(compile.status().unwrap().success());
    program
}

fn check(mut run: Command) {
    let output = run.output().unwrap();
    let (stdout, stderr) = (output.stdout, output.stderr);
    let said = String::from_utf8_lossy(&stderr);
    assert!(output.status.success(), "{said}");
    let told = String::from_utf8_lossy(&stdout);
    assert!(told.contains("a3 stops X from winning there"), "{told}");
    assert!(told.contains("that place is already taken"), "{told}");
}

#[test]
fn the_example_runs_with_the_shared_library() {
    let library = library(".so");
    let program = compile(&library, "perfect_shared");
    let mut run = Command::new(program);
    run.env("LD_LIBRARY_PATH", library.parent().unwrap());
    check(run);
}

#[test]
#[ignore = "needs valgrind; `cargo xtask test` installs it"]
fn the_example_neither_leaks_nor_reads_what_is_not_its_own() {
    let program = compile(&library(".a"), "perfect_static");
    let valgrind = env::var_os("OPEN_TTT_VALGRIND").unwrap();
    let mut run = Command::new(valgrind);
    run.args(["--quiet", "--leak-check=full", "--error-exitcode=9"]);
    run.args(["--show-leak-kinds=definite,indirect,possible"]);
    run.arg("--errors-for-leak-kinds=definite,indirect,possible");
    run.arg(program).arg("ttt");
    check(run);
}
