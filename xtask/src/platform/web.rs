//! `cargo xtask web`: the package for JavaScript, built and tested in Node.js and Chromium, and
//! the module that the match server's page loads.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::wasm;
use crate::files::{of_file, write};
use crate::{build_messages, debian, licences, output, run};

/// A module of the package.
struct Module {
    file: &'static str,
    /// Where it is written as it is sent, without its ending.
    compressed: &'static str,
    /// Flags for the compiler beside `open_ttt_small`.
    flags: &'static str,
    features: &'static [&'static str],
    /// The most bytes that it may take with brotli.
    max_brotli: usize,
}

/// The games with values, hints and players.
const SMALL: Module = Module {
    file: "open_ttt.wasm",
    compressed: "target/npm/open_ttt.wasm",
    flags: "--cfg open_ttt_without_networks",
    features: &[],
    max_brotli: 250 * 1024,
};

/// The same with networks and puzzles, and the answers of a match server for its page.
const ALL: Module = Module {
    file: "open_ttt_all.wasm",
    compressed: "crates/open_ttt_net/module/open_ttt.wasm",
    flags: "",
    features: &["--features", "answers"],
    max_brotli: 460 * 1024,
};

/// Data that is loaded when it is asked for, by the names in the package.
const DATA: [(&str, &str); 6] = [
    (
        "crates/open_ttt_lib/src/games/connect_four/book.bin",
        "connect4.book",
    ),
    ("crates/open_ttt_lib/src/games/pegs/book.bin", "pegs.book"),
    (
        "crates/open_ttt_lib/src/games/qubic/solution.bin",
        "qubic.book",
    ),
    (
        "crates/open_ttt_catalog/networks/connect_four.safetensors",
        "connect4.safetensors",
    ),
    (
        "crates/open_ttt_catalog/networks/pegs.safetensors",
        "pegs.safetensors",
    ),
    (
        "crates/open_ttt_catalog/networks/tic_tac_toe.safetensors",
        "ttt.safetensors",
    ),
];

/// The package of `wasm-opt`.
const BINARYEN: &str = "binaryen@132.0.0";

/// The bundlers that make an application with the package, as tests/bundlers.mjs says.
const BUNDLERS: [&str; 4] = [
    "esbuild@0.28.2",
    "vite@8.4.0",
    "webpack@5.113.0",
    "webpack-cli@7.3.1",
];

/// What the compiler uses of WebAssembly.
const FEATURES: [&str; 7] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Where the page's module is kept, with the digests of what it was made from.
const MODULE: &str = "crates/open_ttt_net/module";

/// Builds the modules into the package, and one of them for the page, tests them and packs the
/// package into `target/npm`.
pub(crate) fn build(root: &Path, cargo: &str) -> Result<(), String> {
    let folder = root.join("crates/open_ttt_web");
    let package = folder.join("npm");
    build_module(root, &SMALL, &package)?;
    let (module, messages) = build_module(root, &ALL, &package)?;
    let list = root.join(MODULE).join("sources.sha256");
    write(&list, &sources(root, &module, &messages)?)?;
    for (file, name) in DATA.into_iter().chain([("LICENSE", "LICENSE")]) {
        let place = package.join(name);
        fs::copy(root.join(file), &place).map_err(of_file(&place))?;
    }
    // Of the larger module, which contains all that the smaller one does.
    let features = ["answers"];
    licences::write(
        root,
        cargo,
        "open_ttt_web",
        &features,
        &[wasm::TARGET],
        &package,
    )?;
    debian::install("chromium", &root.join("target"))?;
    let mut test = Command::new("node");
    test.args([
        "--test",
        "tests/node.mjs",
        "tests/all.mjs",
        "tests/browser.mjs",
    ]);
    run(test.current_dir(&folder))?;
    let packed = root.join("target/npm");
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]);
    let name = output(pack.arg(&packed).current_dir(&package))?;
    test_bundlers(root, &packed.join(name.trim()))
}

/// Makes applications with the packed package.
fn test_bundlers(root: &Path, packed: &Path) -> Result<(), String> {
    let folder = root.join("target/tools/bundlers");
    let names = BUNDLERS.join(", ");
    println!("xtask: fetching {names} from npm, to make applications with the package");
    fs::create_dir_all(&folder).map_err(of_file(&folder))?;
    npm_install(
        &folder,
        BUNDLERS
            .iter()
            .map(AsRef::as_ref)
            .chain([packed.as_os_str()]),
    )?;
    let mut test = Command::new("node");
    test.args(["--test", "tests/bundlers.mjs"]);
    test.env("OPEN_TTT_BUNDLERS", &folder);
    run(test.current_dir(root.join("crates/open_ttt_web")))
}

/// Installs packages from npm into a folder.
fn npm_install<'a>(
    folder: &Path,
    packages: impl IntoIterator<Item = &'a OsStr>,
) -> Result<(), String> {
    let mut install = Command::new("npm");
    install.args(["install", "--no-save", "--ignore-scripts", "--prefix"]);
    run(install.arg(folder).args(packages))
}

/// Builds a module into the package. Returns where the compiler has written it, and what cargo
/// said.
fn build_module(root: &Path, module: &Module, package: &Path) -> Result<(PathBuf, String), String> {
    let flags = format!("--cfg open_ttt_small {}", module.flags);
    let mut build = wasm::cargo(root, "build", &flags)?;
    build.args(["--package", "open_ttt_web", "--profile", "web", "--locked"]);
    let messages = build_messages(build.args(module.features))?;
    let compiled = wasm::module(&messages, "open_ttt_web");
    let compiled = PathBuf::from(compiled.ok_or("cargo does not say where the module is")?);
    let place = package.join(module.file);
    shrink(root, &compiled, &place)?;
    let (gzip, brotli) = compress(&place, &root.join(module.compressed))?;
    let plain = fs::metadata(&place).map_err(of_file(&place))?.len();
    println!(
        "xtask: {}: {plain} bytes; {gzip} with gzip, {brotli} with brotli",
        module.file
    );
    if brotli > module.max_brotli {
        let (file, max) = (module.file, module.max_brotli);
        return Err(format!("{file} is larger than {max} bytes with brotli"));
    }
    Ok((compiled, messages))
}

/// Optimizes the module once more, with a tool that is fetched once. Functions of one origin
/// come together, which are alike and so compress well; of the tool's levels the first gives the
/// smallest result then.
fn shrink(root: &Path, module: &Path, place: &Path) -> Result<(), String> {
    let folder = root.join("target/tools").join(BINARYEN);
    let tool = folder.join("node_modules/binaryen/bin/wasm-opt");
    if !tool.is_file() {
        println!("xtask: fetching {BINARYEN} from npm, to make the module smaller");
        fs::create_dir_all(&folder).map_err(of_file(&folder))?;
        npm_install(&folder, [OsStr::new(BINARYEN)])?;
    }
    let mut shrink = Command::new("node");
    shrink
        .arg(&tool)
        .args(["-O1", "--reorder-functions-by-name", "--reorder-locals"])
        .args(FEATURES);
    run(shrink.arg(module).arg("-o").arg(place))?;
    // The names have been needed.
    let mut strip = Command::new("node");
    strip
        .arg(&tool)
        .args(["--strip-debug", "--strip-producers"]);
    strip.arg("--strip-target-features").args(FEATURES);
    run(strip.arg(place).arg("-o").arg(place))
}

/// Writes a file with brotli, and returns its size with gzip and so.
fn compress(file: &Path, to: &Path) -> Result<(usize, usize), String> {
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(of_file(folder))?;
    let script = "const z = require('zlib'), f = require('fs'); const [, from, to] = process.argv; \
                  const bytes = f.readFileSync(from); const c = z.constants; \
                  const gzip = z.gzipSync(bytes, { level: 9 }); \
                  const brotli = z.brotliCompressSync(bytes, { params: { \
                  [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 22, \
                  [c.BROTLI_PARAM_SIZE_HINT]: bytes.length } }); \
                  f.writeFileSync(to + '.br', brotli); \
                  console.log(gzip.length, brotli.length)";
    let mut node = Command::new("node");
    let sizes = output(node.args(["-e", script]).args([file, to]))?;
    let mut sizes = sizes.split_whitespace().map(str::parse);
    match (sizes.next(), sizes.next()) {
        (Some(Ok(gzip)), Some(Ok(brotli))) => Ok((gzip, brotli)),
        _ => Err("Node.js does not tell the sizes".to_owned()),
    }
}

/// The digest of everything the module is made from, as `sha256sum` writes it: the files that
/// the compiler has read, and the checksums of the crates from the registry.
fn sources(root: &Path, module: &Path, messages: &str) -> Result<String, String> {
    let dependencies = module.with_extension("d");
    let rule = fs::read_to_string(&dependencies).map_err(of_file(&dependencies))?;
    let (_, files) = rule.split_once(": ").ok_or("no files in the rule")?;
    let root = root.canonicalize().map_err(of_file(root))?;
    let mut paths = BTreeSet::from([PathBuf::from("Cargo.toml")]);
    for file in files.split_whitespace() {
        let path = Path::new(file);
        if path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        let path = path.strip_prefix(&root);
        let path = path.map_err(|_| format!("{file} is outside of the workspace"))?;
        paths.extend(path.ancestors().find_map(|folder| {
            let manifest = folder.join("Cargo.toml");
            (folder != Path::new("") && root.join(&manifest).is_file()).then_some(manifest)
        }));
        paths.insert(path.to_owned());
    }
    let mut list = String::new();
    for path in paths {
        let digest = digest(&root.join(&path))?;
        let path = path.display().to_string().replace('\\', "/");
        let _ = writeln!(list, "{digest}  {path}");
    }
    for package in registry_packages(messages) {
        let _ = writeln!(list, "{}  {package}", checksum(&root, &package)?);
    }
    Ok(list)
}

/// The SHA-256 of a file. Of the workspace's manifest only the profile counts, so that other
/// crates can change what they use.
fn digest(path: &Path) -> Result<String, String> {
    let digest = "const f = require('fs'), c = require('crypto'); const path = process.argv[1]; \
                  let text = f.readFileSync(path, 'latin1').replaceAll('\\r\\n', '\\n'); \
                  const profile = text.indexOf('\\n[profile.web]'); \
                  if (profile >= 0) text = text.slice(profile); \
                  console.log(c.createHash('sha256').update(text, 'latin1').digest('hex'))";
    let mut node = Command::new("node");
    Ok(output(node.args(["-e", digest]).arg(path))?
        .trim()
        .to_owned())
}

/// The packages of the registry that were compiled, as in `serde 1.0.228`.
fn registry_packages(messages: &str) -> BTreeSet<String> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let ids = messages.filter_map(|message| Some(message["package_id"].as_str()?.to_owned()));
    ids.filter_map(|id| {
        let (_, package) = id.strip_prefix("registry+")?.split_once('#')?;
        Some(package.replace('@', " "))
    })
    .collect()
}

/// The checksum of a package in `Cargo.lock`.
fn checksum(root: &Path, package: &str) -> Result<String, String> {
    let lock = root.join("Cargo.lock");
    let text = fs::read_to_string(&lock).map_err(of_file(&lock))?;
    let (name, version) = package.split_once(' ').unwrap_or((package, ""));
    let start = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    let rest = text.split_once(&start).map(|(_, rest)| rest);
    let checksum = rest.and_then(|rest| rest.split("checksum = \"").nth(1));
    let checksum = checksum.and_then(|rest| rest.split('"').next());
    let checksum = checksum.ok_or_else(|| format!("Cargo.lock has no {package}"))?;
    Ok(checksum.to_owned())
}
