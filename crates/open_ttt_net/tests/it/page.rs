//! The page's files: all are served, and none refers to another origin.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use open_ttt_catalog::Catalog;
use open_ttt_lib::games::BOOK_FILES;
use open_ttt_players::Level;

use crate::http::{get, request};
use crate::test_server::TestServer;

/// The largest total size of what a browser is sent before it shows a match: all files of
/// the page and the list of games, compressed, without HTTP headers. In bytes.
const MAX_BYTES: usize = 120 * 1024;

/// The names and contents of the page's files.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let entries = fs::read_dir(folder).expect("the page has a folder");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("the folder can be listed").path();
            let name = path.file_name().expect("a file name").to_string_lossy();
            let text = fs::read_to_string(&path).expect("a text file");
            (name.into_owned(), text)
        })
        .collect();
    files.sort();
    files
}

/// Where a file is served.
fn path_of(name: &str) -> String {
    match name {
        "index.html" => "/".to_owned(),
        // Its address is that of the pages it may keep.
        "service-worker.js" => format!("/{name}"),
        name => format!("/assets/{name}"),
    }
}

/// The quoted texts after a word, such as the module names after `from `.
fn quoted_after<'a>(text: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    text.split(word).skip(1).filter_map(|rest| {
        let rest = rest.strip_prefix('"')?;
        rest.split('"').next()
    })
}

#[test]
fn every_file_is_served_with_its_content_type() {
    let server = TestServer::start();
    for (name, text) in files() {
        let path = path_of(&name);
        let kind = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("webmanifest") => "application/manifest+json",
            _ => panic!("{name} is of no known kind"),
        };
        let answer = get(server.address, &path);
        assert_eq!(answer.status, 200, "{path}");
        // The script that keeps the page is told which version of which files.
        let is_whole = match &*name {
            "service-worker.js" => answer.text().ends_with(&text),
            _ => answer.text() == text,
        };
        assert!(is_whole, "{path} is another file");
        assert_eq!(answer.header("content-type"), Some(kind), "{path}");
    }
    let page = get(server.address, "/");
    for path in [
        "/m/k3h9zq4m2x7d",
        "/analysis?game=ttt&moves=a1",
        "/learn?game=ttt",
        "/puzzles",
    ] {
        assert_eq!(get(server.address, path).body, page.body, "{path}");
    }
    assert_eq!(get(server.address, "/assets/nothing.js").status, 404);
}

#[test]
fn computers_have_the_same_levels_as_in_the_library() {
    let script = files().into_iter().find(|(name, _)| name == "computer.js");
    let (_, script) = script.expect("a script of the page");
    let names = Level::ALL.map(|level| format!("{:?}", level.name()));
    let expected = format!("export const LEVELS = [{}];\n", names.join(", "));
    assert!(script.contains(&expected), "{expected}");
}

#[test]
fn referenced_files_are_exactly_the_existing_files() {
    let files = files();
    let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let mut referenced = BTreeSet::from(["index.html"]);
    for (_, text) in &files {
        let modules = quoted_after(text, "from ").chain(quoted_after(text, "import("));
        referenced.extend(modules.map(|name| name.trim_start_matches("./")));
        referenced.extend(
            ["src=", "href=", "Worker(", "register("]
                .into_iter()
                .flat_map(|word| quoted_after(text, word))
                .filter_map(|path| path.strip_prefix("/assets/").or(path.strip_prefix('/')))
                .filter(|path| !path.is_empty()),
        );
    }
    assert_eq!(referenced, names);
}

#[test]
fn security_headers_are_strict() {
    let server = TestServer::start();
    for path in [
        "/",
        "/m/abc",
        "/assets/main.js",
        "/assets/style.css",
        "/assets/icon.svg",
    ] {
        let answer = get(server.address, path);
        let policy = answer.header("content-security-policy").unwrap_or_default();
        let rules: BTreeSet<&str> = policy.split(';').map(str::trim).collect();
        for rule in [
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval'",
            "worker-src 'self'",
            "manifest-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(rules.contains(rule), "{path}: {rule}");
        }
        let others = policy.replace("'wasm-unsafe-eval'", "");
        assert!(
            !others.contains("unsafe") && !others.contains('*'),
            "{policy}"
        );
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(
            answer.header("referrer-policy"),
            Some("no-referrer"),
            "{path}"
        );
        let allowed = answer.header("permissions-policy");
        assert!(
            allowed.is_some_and(|allowed| allowed.contains("camera=()")),
            "{path}"
        );
    }
}

#[test]
fn files_are_revalidated_by_etag() {
    let server = TestServer::start();
    for path in ["/", "/assets/board.js"] {
        let first = get(server.address, path);
        let tag = first.header("etag").expect("it has a tag");
        for known in [
            tag.to_owned(),
            format!("W/{tag}"),
            format!("\"other\", {tag}"),
        ] {
            let again = request(
                server.address,
                "GET",
                path,
                &[("if-none-match", &known)],
                "",
            );
            assert_eq!((again.status, again.body.len()), (304, 0), "{path} {known}");
            assert!(again.header("content-security-policy").is_some());
        }
        let other = [("if-none-match", "\"0000000000000000\"")];
        assert_eq!(
            request(server.address, "GET", path, &other, "").status,
            200,
            "{path}"
        );
    }
    let tag = |path| get(server.address, path).header("etag").map(str::to_owned);
    assert_ne!(tag("/assets/board.js"), tag("/assets/match.js"));
}

#[test]
fn what_browsers_are_sent_is_small() {
    let server = TestServer::start();
    let mut sent = 0;
    let paths = files().into_iter().map(|(name, _)| path_of(&name));
    for path in paths.chain(["/api/v1/games".to_owned()]) {
        let encoding = [("accept-encoding", "gzip, deflate, br, zstd")];
        let answer = request(server.address, "GET", &path, &encoding, "");
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("vary"), Some("accept-encoding"), "{path}");
        let mut text = String::new();
        if answer.header("content-encoding") == Some("gzip") {
            let decoded = GzDecoder::new(&*answer.body).read_to_string(&mut text);
            assert!(decoded.is_ok(), "{path}");
        } else {
            assert!(answer.body.len() < 500, "{path} isn't compressed");
            text.push_str(answer.text());
        }
        assert!(get(server.address, &path).text() == text, "{path} differs");
        sent += answer.body.len();
    }
    assert!(sent < MAX_BYTES, "{sent} bytes");
}

#[test]
fn the_module_is_sent_compressed_and_once() {
    let server = TestServer::start();
    let path = "/assets/open_ttt.wasm";
    let encoding = [("accept-encoding", "gzip, deflate, br, zstd")];
    let smallest = request(server.address, "GET", path, &encoding, "");
    assert_eq!(smallest.header("content-encoding"), Some("br"));
    let kept = include_bytes!("../../module/open_ttt.wasm.br");
    assert!(smallest.body == kept);
    let encoding = [("accept-encoding", "gzip, deflate")];
    let sent = request(server.address, "GET", path, &encoding, "");
    assert_eq!(sent.header("content-type"), Some("application/wasm"));
    assert_eq!(sent.header("content-encoding"), Some("gzip"));
    let mut module = Vec::new();
    let decoded = GzDecoder::new(&*sent.body).read_to_end(&mut module);
    assert!(decoded.is_ok());
    let mut unpacked = Vec::new();
    let decoded = brotli_decompressor::BrotliDecompress(&mut &kept[..], &mut unpacked);
    assert!(decoded.is_ok() && unpacked == module);
    // Whoever takes no gzip gets the same.
    assert!(get(server.address, path).body == module);
    let tag = sent.header("etag").expect("it has a tag");
    let known = [encoding[0], ("if-none-match", tag)];
    let again = request(server.address, "GET", path, &known, "");
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn books_are_sent_and_kept() {
    let server = TestServer::start();
    let script = get(server.address, "/service-worker.js");
    for &(key, book) in BOOK_FILES {
        let path = format!("/assets/books/{key}");
        assert!(get(server.address, &path).body == book, "{key}");
        assert!(script.text().contains(&path), "{key}");
    }
}

/// The page has for a game of yours all that it has for the others.
#[test]
fn no_file_names_a_game() {
    // They mean something else, too: a kind of layout, and a class of the style sheet.
    let ambiguous = ["dots", "lines"];
    for (name, text) in files() {
        for key in Catalog::bundled().keys() {
            let names = ['"', '\'', '`'].map(|quote| format!("{quote}{key}{quote}"));
            let is_named = names.iter().any(|name| text.contains(name));
            assert!(!is_named || ambiguous.contains(&key), "{name}: {key}");
        }
    }
}

#[test]
fn the_page_is_kept_as_a_whole() {
    let server = TestServer::start();
    let script = get(server.address, "/service-worker.js");
    let list = script.text().lines().nth(1).expect("a second line");
    let list = list
        .trim_start_matches("const FILES = ")
        .trim_end_matches(';');
    let kept: BTreeSet<String> = serde_json::from_str(list).expect("a list");
    let mut expected: BTreeSet<_> = files().iter().map(|(name, _)| path_of(name)).collect();
    expected.remove("/service-worker.js");
    assert_eq!(kept, expected);
    let version = script.text().lines().next().unwrap_or_default();
    assert!(
        version.starts_with("const VERSION = \"") && version.len() > 30,
        "{version}"
    );
}

#[test]
fn unknown_addresses_have_a_page_for_people_and_an_error_for_programs() {
    let server = TestServer::start();
    let people = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    let known = get(server.address, "/");
    let tag = known.header("etag").expect("it has a tag");
    let again = [people[0], ("if-none-match", tag)];
    for headers in [&people[..], &again] {
        let answer = request(server.address, "GET", "/nowhere", headers, "");
        assert_eq!((answer.status, answer.text()), (404, known.text()));
        assert!(answer.header("content-security-policy").is_some());
    }
    for (method, path) in [
        ("GET", "/nowhere"),
        ("POST", "/nowhere"),
        ("GET", "/assets/x.js"),
    ] {
        let answer = request(server.address, method, path, &[("accept", "*/*")], "");
        assert_eq!(answer.status, 404, "{method} {path}");
        assert_eq!(
            answer.json()["error"]["code"],
            "not_found",
            "{method} {path}"
        );
    }
    let api = request(server.address, "GET", "/api/v1/nowhere", &people, "");
    assert_eq!(api.json()["error"]["code"], "not_found");
}

#[test]
fn games_come_with_their_parameters_and_a_picture_in_mid_game() {
    let server = TestServer::start();
    let games = get(server.address, "/api/v1/games").json();
    let games = games.as_array().expect("a list");
    let catalog = Catalog::bundled();
    assert_eq!(games.len(), catalog.games().len());
    for (info, entry) in games.iter().zip(catalog.games()) {
        let key = entry.key;
        let parameters = info["parameters"].as_array().expect("a list");
        assert_eq!(parameters.len(), entry.parameters.len(), "{key}");
        for (parameter, known) in parameters.iter().zip(entry.parameters) {
            assert_eq!(parameter["name"], known.name, "{key}");
            assert_eq!(parameter["meaning"], known.meaning, "{key}");
            assert_eq!(parameter["default"], known.default, "{key}");
            let values = &parameter["allowed"];
            let (least, most) = match &values["range"] {
                serde_json::Value::Null => (
                    &values["one_of"][0],
                    values["one_of"]
                        .as_array()
                        .and_then(|all| all.last())
                        .expect("values"),
                ),
                range => (&range[0], &range[1]),
            };
            for value in [least, most] {
                let value = value.as_u64().and_then(|value| value.try_into().ok());
                assert!(
                    value.is_some_and(|value| known.allowed.contains(value)),
                    "{key}"
                );
            }
        }
        // At least three moves, and the game isn't over.
        let places = |board: &serde_json::Value| {
            let cells = board["cells"].as_array().expect("a list");
            cells
                .iter()
                .filter(|cell| cell.get("owner").is_some() || cell.get("piece").is_some())
                .count()
        };
        let (start, sample) = (&info["board"], &info["sample"]);
        assert_ne!(start["cells"], sample["cells"], "{key}");
        assert!(places(sample) >= 3, "{key}");
        assert_eq!(sample["layout"], start["layout"], "{key}");
        let played = sample["cells"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|cell| cell.get("move").is_some());
        assert!(
            !played && sample.get("choices").is_none(),
            "{key}: a picture has no moves"
        );
    }
    // The same on every server.
    let other = TestServer::start();
    assert_eq!(
        get(other.address, "/api/v1/games").json().as_array(),
        Some(games)
    );
}

#[test]
fn page_has_no_unsafe_calls() {
    for (name, text) in files() {
        let text = text.replace("http://www.w3.org/2000/svg", "");
        for forbidden in [
            "http://",
            "https://",
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "eval(",
            "new Function",
            "style=",
            "document.write",
            "window.confirm",
            "alert(",
        ] {
            assert!(!text.contains(forbidden), "{name} has {forbidden}");
        }
    }
}
