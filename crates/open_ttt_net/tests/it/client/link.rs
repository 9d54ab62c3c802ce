use open_ttt_net::client::{Link, ParseLinkError, PlayerLink, ServerAddress};
use open_ttt_net::protocol::PlayerKey;

const TOKEN: &str = "00112233445566778899aabbccddeeff";

#[track_caller]
fn check(text: &str, shown: &str) {
    let link: Link = text.parse().unwrap();
    assert_eq!(link.to_string(), shown);
    assert_eq!(
        shown.parse(),
        Ok(link.with_token(None)),
        "the displayed link is the same link"
    );
}

#[test]
fn links_are_parsed_and_normalized() {
    check("http://localhost:8080/m/abc", "http://localhost:8080/m/abc");
    check("HTTP://LocalHost/m/Abc", "http://localhost/m/Abc");
    check("ws://localhost:80/m/abc", "http://localhost/m/abc");
    check("wss://a.example:443/m/a_b-c", "https://a.example/m/a_b-c");
    check("https://[::1]:9/m/abc", "https://[::1]:9/m/abc");
    check(
        &format!("http://127.0.0.1:8080/m/abc#{TOKEN}"),
        "http://127.0.0.1:8080/m/abc",
    );
}

#[test]
fn display_and_debug_hide_the_token() {
    let text = format!("http://localhost:8080/m/abc#{TOKEN}");
    let link: Link = text.parse().unwrap();
    assert_eq!(link.reveal(), text);
    assert!(!format!("{link} {link:?}").contains(TOKEN));
    assert_eq!(
        link.with_token(None).reveal(),
        "http://localhost:8080/m/abc"
    );
}

#[test]
fn malformed_links_are_rejected() {
    let check = |text: &str, error| assert_eq!(text.parse::<Link>(), Err(error), "{text}");
    for text in ["", "abc", "localhost:8080/m/abc", "ftp://host/m/abc", "://"] {
        check(text, ParseLinkError::NotALink);
    }
    for host in [
        "", "a b", "ä", "a:", "a:x", "a:70000", "a:-1", "a:+1", "u@a", "[::1", "[x]", "[::1]x",
        ":80",
    ] {
        check(&format!("http://{host}/m/abc"), ParseLinkError::Host);
    }
    for path in [
        "",
        "/",
        "/m",
        "/m/",
        "/m/a/b",
        "/m/..",
        "/x/abc",
        "/m/abc?x=1",
    ] {
        check(&format!("http://host{path}"), ParseLinkError::Path);
    }
    for token in ["", "1", &TOKEN.to_uppercase(), &format!("{TOKEN}0")] {
        check(&format!("http://host/m/abc#{token}"), ParseLinkError::Token);
    }
    check(
        &format!("http://host/m/{}", "a".repeat(33)),
        ParseLinkError::Path,
    );
    check(
        &format!("http://{}", "a".repeat(5_000)),
        ParseLinkError::NotALink,
    );
}

#[test]
fn server_address_has_no_path() {
    let server: ServerAddress = "http://localhost:8080/".parse().unwrap();
    assert_eq!((server.host(), server.port()), ("localhost", 8080));
    assert_eq!(
        "http://localhost/m/abc".parse::<ServerAddress>(),
        Err(ParseLinkError::NotAServer)
    );
}

#[test]
fn player_links_are_those_of_the_page() {
    // The page shows `${location.origin}/#player=${key}`.
    for (text, server) in [
        ("http://localhost:8080/#player=", "http://localhost:8080"),
        (
            "https://Play.Example.org#player=",
            "https://play.example.org",
        ),
        ("http://[::1]:9/#player=", "http://[::1]:9"),
    ] {
        let link: PlayerLink = format!("{text}{TOKEN}").parse().unwrap();
        assert_eq!(link.server.to_string(), server);
        assert_eq!(link.reveal(), format!("{server}/#player={TOKEN}"));
        assert!(!format!("{link:?}").contains(TOKEN));
    }
    let check = |text: &str, error| assert_eq!(text.parse::<PlayerLink>(), Err(error), "{text}");
    for text in [
        "http://localhost/",
        &format!("http://localhost/#{TOKEN}"),
        &format!("http://localhost/#player={}", TOKEN.to_uppercase()),
        &format!("http://localhost/#player={TOKEN}0"),
    ] {
        check(text, ParseLinkError::Player);
    }
    check(
        &format!("http://localhost/m/abc#player={TOKEN}"),
        ParseLinkError::NotAServer,
    );
    check(&format!("#player={TOKEN}"), ParseLinkError::NotALink);
}

#[test]
fn player_codes_are_read_as_people_type_them() {
    let code = "0011 2233 4455 6677 8899 aabb ccdd eeff";
    let key: PlayerKey = TOKEN.parse().unwrap();
    assert_eq!(key.code(), code);
    // The same texts as in the page's unit tests.
    for typed in [
        code,
        &format!(" {}\n", TOKEN.to_uppercase()),
        "00112233-44556677-8899aabb-ccddeeff",
    ] {
        assert_eq!(typed.parse(), Ok(key.clone()), "{typed}");
    }
    for typed in [
        "",
        "word",
        &TOKEN[1..],
        &format!("{TOKEN}0"),
        &TOKEN.replace('f', "g"),
    ] {
        let parsed = typed.parse::<PlayerKey>();
        assert!(parsed.is_err(), "{typed}");
    }
}
