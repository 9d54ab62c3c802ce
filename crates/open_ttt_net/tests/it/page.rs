//! The page's files: all are served, and none refers to another origin.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use open_ttt_players::difficulty::LEVELS;

use crate::http::{get, request};
use crate::test_server::TestServer;

/// The largest total size of the page, uncompressed, in bytes. A tenth of it is for
/// players who are known by a key: their games, ratings and pairing.
const MAX_BYTES: usize = 168 * 1024;

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
        let path = match name.as_str() {
            "index.html" => "/".to_owned(),
            name => format!("/assets/{name}"),
        };
        let kind = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => panic!("{name} is of no known kind"),
        };
        let answer = get(server.address, &path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.text() == text, "{path} is another file");
        assert_eq!(answer.header("content-type"), Some(kind), "{path}");
    }
    let page = get(server.address, "/");
    let of_a_match = get(server.address, "/m/k3h9zq4m2x7d");
    assert_eq!(of_a_match.body, page.body);
    assert_eq!(get(server.address, "/assets/nothing.js").status, 404);
}

#[test]
fn computers_have_the_same_levels_as_in_the_library() {
    let script = files().into_iter().find(|(name, _)| name == "computer.js");
    let (_, script) = script.expect("a script of the page");
    let levels = LEVELS.map(|(name, mistakes)| {
        let title = name[..1].to_uppercase() + &name[1..];
        format!("  {{ title: {title:?}, mistakes: {mistakes} }},\n")
    });
    let expected = format!("export const STRENGTHS = [\n{}];\n", levels.concat());
    assert!(script.contains(&expected), "{expected}");
}

#[test]
fn referenced_files_are_exactly_the_existing_files() {
    let files = files();
    let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let mut referenced = BTreeSet::from(["index.html"]);
    for (_, text) in &files {
        referenced.extend(quoted_after(text, "from ").map(|name| name.trim_start_matches("./")));
        referenced.extend(
            ["src=", "href="]
                .into_iter()
                .flat_map(|word| quoted_after(text, word))
                .filter_map(|path| path.strip_prefix("/assets/")),
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
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(rules.contains(rule), "{path}: {rule}");
        }
        assert!(
            !policy.contains("unsafe") && !policy.contains('*'),
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
fn page_is_small_and_has_no_unsafe_calls() {
    let files = files();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    assert!(bytes < MAX_BYTES, "{bytes} bytes");
    for (name, text) in files {
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
