//! `cargo xtask web`: the package for JavaScript, built and tested in Node.js and Chromium, and
//! the module that the match server's page loads.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::toolchain::write;
use super::wasm;
use crate::{build_messages, debian, of_file, output, run};

/// The most that the module may take when it is sent, in bytes: with every game, the books of
/// three and the puzzles.
const MAX_GZIP: usize = 900_000;

/// The package of `wasm-opt`.
const BINARYEN: &str = "binaryen@132.0.0";

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

/// Builds the module into the package and for the page, tests it and packs the package into
/// `target/npm`.
pub(crate) fn build(root: &Path, cargo: &str) -> Result<(), String> {
    let mut build = wasm::cargo(root, cargo, "build", "--cfg open_ttt_small")?;
    build.args(["--package", "open_ttt_web", "--profile", "web", "--locked"]);
    let messages = build_messages(&mut build)?;
    let module = wasm::module(&messages, "open_ttt_web");
    let module = Path::new(module.ok_or("cargo does not say where the module is")?);
    let folder = root.join("crates/open_ttt_web");
    let package = folder.join("npm");
    let place = package.join("open_ttt.wasm");
    shrink(root, module, &place)?;
    let license = package.join("LICENSE");
    fs::copy(root.join("LICENSE"), &license).map_err(of_file(&license))?;
    keep(root, module, &place, &messages)?;
    debian::install("chromium", &root.join("target"))?;
    let mut test = Command::new("node");
    test.args(["--test", "tests/node.mjs", "tests/browser.mjs"]);
    run(test.current_dir(&folder))?;
    let target = root.join("target/npm");
    fs::create_dir_all(&target).map_err(of_file(&target))?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--pack-destination"]).arg(&target);
    run(pack.current_dir(&package))
}

/// Optimizes the module once more, with a tool that is fetched once.
fn shrink(root: &Path, module: &Path, place: &Path) -> Result<(), String> {
    let folder = root.join("target/tools").join(BINARYEN);
    let tool = folder.join("node_modules/binaryen/bin/wasm-opt");
    if !tool.is_file() {
        println!("xtask: fetching {BINARYEN} from npm, to make the module smaller");
        fs::create_dir_all(&folder).map_err(of_file(&folder))?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-save", "--ignore-scripts", "--prefix"]);
        run(install.arg(&folder).arg(BINARYEN))?;
    }
    let mut shrink = Command::new("node");
    shrink
        .arg(tool)
        .args(["-O2", "--strip-debug"])
        .args(FEATURES);
    run(shrink.arg(module).arg("-o").arg(place))
}

/// Writes the module as it is sent, and the digests of what it was made from.
fn keep(root: &Path, module: &Path, place: &Path, messages: &str) -> Result<(), String> {
    let folder = root.join(MODULE);
    fs::create_dir_all(&folder).map_err(of_file(&folder))?;
    let compress = "const z = require('zlib'), f = require('fs'); const [, from, to] = process.argv; \
                    const bytes = f.readFileSync(from); const c = z.constants; \
                    const gzip = z.gzipSync(bytes, { level: 9 }); \
                    const brotli = z.brotliCompressSync(bytes, { params: { \
                    [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 24 } }); \
                    f.writeFileSync(to + '.gz', gzip); f.writeFileSync(to + '.br', brotli); \
                    console.log(bytes.length, gzip.length, brotli.length)";
    let mut compress_module = Command::new("node");
    compress_module.args(["-e", compress]);
    compress_module.arg(place).arg(folder.join("open_ttt.wasm"));
    let sizes = output(&mut compress_module)?;
    let sizes: Vec<usize> = sizes
        .split_whitespace()
        .filter_map(|size| size.parse().ok())
        .collect();
    let &[plain, gzip, brotli] = &*sizes else {
        return Err("Node.js does not tell the sizes".to_owned());
    };
    println!("xtask: open_ttt.wasm: {plain} bytes; {gzip} with gzip, {brotli} with brotli");
    if gzip > MAX_GZIP {
        return Err(format!("the module is larger than {MAX_GZIP} bytes"));
    }
    let list = folder.join("sources.sha256");
    write(&list, &sources(root, module, messages)?)
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
