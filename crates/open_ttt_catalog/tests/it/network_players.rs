//! Players by a network, as a program names them.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use open_ttt_catalog::{
    Catalog, CatalogGame, DynGame, DynMove, NetworkSource, PlayerKind, PlayerSpec,
};
use open_ttt_coach::GameValue;
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{Encode, IndexedMoves, Named, TwoPlayerGame};
use open_ttt_nn::{Network, Workspace};
use open_ttt_players::{Decision, GameRecord, GumbelPlayer, NetworkModel, Player, Turn, play_game};
use open_ttt_search::{Budget, Clock, StopFlag};

use super::own_game::OwnGame;
use crate::randomized::randomized;
use crate::unfinished::unfinished;

const ONE: NonZero<usize> = NonZero::<usize>::MIN;

fn clock() -> Clock {
    Clock::new(|| Duration::ZERO)
}

fn spec(text: &str) -> PlayerSpec {
    text.parse().unwrap()
}

/// A network that has opinions about this game.
fn network<G: Encode + Named>(game: &G) -> Arc<Network> {
    let architecture = "perceptron(hidden=24)".parse().unwrap();
    Arc::new(randomized(Network::new(game, architecture, 1).unwrap(), 7))
}

fn decide<G: TwoPlayerGame>(player: &mut impl Player<G>, game: &G) -> G::Move {
    match player.take_turn(&Turn::new(game)) {
        Decision::Play(m) => m,
        Decision::Resign => panic!("resigned"),
    }
}

/// What is read, and how it is written again.
#[track_caller]
fn check_read(text: &str, source: &NetworkSource, expected: u32, written: &str) {
    let spec = spec(text);
    let kind = PlayerKind::Network {
        source: source.clone(),
        simulations: expected,
        time: None,
    };
    assert_eq!(spec.kind, kind);
    let file = match source {
        NetworkSource::File(name) => Some(name.as_str()),
        NetworkSource::Pretrained => None,
    };
    assert_eq!(spec.network_file(), file);
    assert_eq!(spec.to_string(), written);
    assert_eq!(written.parse::<PlayerSpec>().unwrap(), spec);
    assert!(spec.network().is_none() && !spec.is_human());
}

#[test]
fn learned_players_are_told_how_long_to_think() {
    for (text, expected) in [
        ("net:pretrained(ms=20)", 65_536),
        ("net:pretrained(ms=20,simulations=40)", 40),
    ] {
        let kind = PlayerKind::Network {
            source: NetworkSource::Pretrained,
            simulations: expected,
            time: Some(Duration::from_millis(20)),
        };
        assert_eq!(spec(text).kind, kind);
        assert_eq!(spec(text).to_string(), text);
    }
    // By a clock that stands still the simulations end the search.
    let start = DynGame::new(TicTacToe::new());
    let with_time = played(&start, &spec("net:pretrained(ms=20,simulations=40)"));
    assert!(with_time.position.outcome().is_some());
    assert!("net:pretrained(ms=0)".parse::<PlayerSpec>().is_err());
}

#[test]
fn learned_players_are_read_from_their_names() {
    let file = |name: &str| NetworkSource::File(name.to_owned());
    let best = file("best.safetensors");
    check_read("net:best.safetensors", &best, 128, "net:best.safetensors");
    check_read(
        " NET: best.safetensors ( Simulations = 0 ) ",
        &best,
        0,
        "net:best.safetensors(simulations=0)",
    );
    check_read(
        "net:best.safetensors(simulations=65536,mistakes=0.1,seed=3)",
        &best,
        65_536,
        "net:best.safetensors(simulations=65536,mistakes=0.1,seed=3)",
    );
    // Names of files are nobody's to change.
    for name in ["/Home/Ann B/Netz (1).Bin", "a=b,c", "C:\\nets\\ü", "a(b"] {
        check_read(
            &format!("net:{name}"),
            &file(name),
            128,
            &format!("net:{name}"),
        );
    }
    check_read("net:a(b)(seed=1)", &file("a(b)"), 128, "net:a(b)(seed=1)");
    check_read("net:a(1)()", &file("a(1)"), 128, "net:a(1)()");
    check_read("net:a()", &file("a"), 128, "net:a");
    check_read(
        "net:./pretrained",
        &file("./pretrained"),
        128,
        "net:./pretrained",
    );
    check_read(
        "net:Pretrained(simulations=5)",
        &NetworkSource::Pretrained,
        5,
        "net:pretrained(simulations=5)",
    );
    let longest = "x".repeat(NetworkSource::MAX_LENGTH);
    let text = format!("net:{longest}");
    check_read(&text, &file(&longest), 128, &text);

    let spec = spec("net:best(mistakes=0.1,seed=3)");
    assert_eq!(spec.mistakes.get().to_bits(), 0.1_f64.to_bits());
    assert_eq!((spec.seed, spec.threads), (Some(3), None));
}

#[test]
fn what_is_no_learned_player_says_why() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = text.parse::<PlayerSpec>().unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    for simulations in ["-1", "65537", "1.5", "many", "18446744073709551616"] {
        check(
            &format!("net:best(simulations={simulations})"),
            &format!("net: simulations must be 0 to 65536, not {simulations:?}"),
        );
    }
    check(
        "net:best(mistakes=2)",
        r#"net: mistakes must be a number from 0 to 1, not "2""#,
    );
    for argument in ["depth", "iterations", "threads"] {
        check(
            &format!("net:best({argument}=1)"),
            &format!("net has no parameter {argument:?}; it takes simulations, ms, mistakes, seed"),
        );
    }
    for malformed in ["net:best(1)", "net:best(seed=1,seed=2)", "net:best(seed)"] {
        assert!(malformed.parse::<PlayerSpec>().is_err(), "{malformed}");
    }
    check(
        "net:best(1)",
        r#""net:best(1)" is not of the form name or name(key=value,...)"#,
    );
    let allowed = "net: file must be a name of 1 to 4096 bytes without control characters, as in \
                   net:best.safetensors";
    check("net:", &format!(r#"{allowed}, not """#));
    check("net: (seed=1)", &format!(r#"{allowed}, not """#));
    check("net:a\tb", &format!(r#"{allowed}, not "a\tb""#));
    let long = "x".repeat(NetworkSource::MAX_LENGTH + 1);
    let shown = &long[..20];
    check(
        &format!("net:{long}"),
        &format!(r#"{allowed}, not "{shown}...""#),
    );
    let expected = "expected human, beginner, easy, medium, hard, expert, master, level, fallible, perfect, negamax, mcts, random, net:FILE, engine:COMMAND";
    for text in ["net", "net(simulations=5)"] {
        check(text, &format!(r#"unknown player "net"; {expected}"#));
    }
}

#[track_caller]
fn check_unavailable(game: &DynGame, spec: &PlayerSpec, expected: &str) {
    let error = game.player(spec, clock()).err().unwrap();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_network_that_is_missing_or_another_games_is_refused() {
    let game = Catalog::bundled().game("pegs").unwrap();
    let best = spec("net:best(seed=1)");
    check_unavailable(
        &game,
        &best,
        "net:best(seed=1): the network in this file was not given with the player",
    );
    check_unavailable(
        &Catalog::bundled().game("qubic").unwrap(),
        &spec("net:pretrained"),
        r#"net:pretrained: no network comes with "qubic""#,
    );
    check_unavailable(
        &game,
        &best.clone().with_network(network(&TicTacToe::new())),
        r#"net:best(seed=1): the network is for "ttt", not "pegs""#,
    );
    // Written as another version would.
    let mut bytes = network(&Pegs::new()).to_bytes();
    let version = b"encoding.version\":\"";
    let mut places = bytes.windows(version.len());
    let at = places.position(|window| window == version).unwrap() + version.len();
    bytes[at] = b'9';
    let other = Arc::new(Network::from_bytes(&bytes).unwrap());
    check_unavailable(
        &game,
        &best.clone().with_network(other),
        "net:best(seed=1): the network reads positions as 6x3x5, 8 moves, version 9, but the game \
         encodes them as 6x3x5, 8 moves, version 1",
    );
    let suited = best.with_network(network(&Pegs::new()));
    assert!(game.player(&suited, clock()).is_ok());
    // What was given goes before what comes with the game.
    let given = spec("net:pretrained").with_network(network(&Pegs::new()));
    assert!(game.player(&given, clock()).is_ok());
}

/// A game of two players alike.
#[track_caller]
fn played(game: &DynGame, spec: &PlayerSpec) -> GameRecord<DynGame> {
    let player = || game.player(spec, clock()).unwrap();
    play_game(game, &mut player(), &mut player())
}

/// The player of the catalog plays as one made by hand does.
#[track_caller]
fn check_plays<G: CatalogGame + Encode>(game: &G) {
    let network = network(game);
    let start = DynGame::new(game.clone());
    for simulations in [0, 1, 40] {
        let text = format!("net:a(simulations={simulations},seed=1)");
        let record = played(&start, &spec(&text).with_network(Arc::clone(&network)));
        assert!(record.position.outcome().is_some(), "{:?}", record.end);
        let by_hand = || GumbelPlayer::new(NetworkModel::new(&*network), simulations);
        let expected = play_game(game, &mut by_hand(), &mut by_hand());
        let moves = expected.moves.iter().map(|&m| game.move_index(m));
        let played = record.moves.iter().map(|&m| start.move_index(m));
        assert!(played.eq(moves), "{text}");
    }
}

#[test]
fn a_network_plays_every_game() {
    check_plays(&TicTacToe::new());
    check_plays(&Pegs::new());
    check_plays(&ConnectFour::new());
    check_plays(&Mnk::new(5, 4, 4).unwrap());
    check_plays(&Qubic::new());
    check_plays(&Ultimate::new());
}

/// The moves, the likeliest first.
fn by_likelihood(network: &Network, game: &DynGame) -> Vec<usize> {
    let own = game.downcast_ref::<ConnectFour>().unwrap();
    let mut planes = vec![0.0; network.encoding().inputs()];
    own.encode(&mut planes);
    let mut workspace = Workspace::new();
    let logits = &network.evaluate(&planes, &mut workspace).logits;
    let mut moves: Vec<_> = own.moves().map(|m| own.move_index(m)).collect();
    moves.sort_by(|&one, &other| logits[other].total_cmp(&logits[one]));
    moves
}

/// What a move comes to for the other side, as far as that is soon known.
fn worth(game: &DynGame, m: DynMove) -> GameValue {
    let mut next = game.clone();
    next.play_unchecked(m);
    let analysis = next.analyze(ONE, &Budget::nodes(1_000), &StopFlag::new());
    analysis.value.result
}

#[test]
fn a_mistake_is_to_overlook_the_best_move() {
    let network = network(&ConnectFour::new());
    let start = Catalog::bundled().game("connect4").unwrap();
    let player = |text: &str| {
        let spec = spec(text).with_network(Arc::clone(&network));
        start.player(&spec, clock()).unwrap()
    };
    let mut decided = 0;
    for position in unfinished(&start, 8, 30) {
        let likely = by_likelihood(&network, &position);
        assert!(likely.len() > 1);
        let play = |text: &str| position.move_index(decide(&mut player(text), &position));
        assert_eq!(play("net:a(simulations=0)"), likely[0]);
        assert_eq!(play("net:a(simulations=0,mistakes=1)"), likely[1]);
        let best = play("net:a(simulations=32)");
        let other = play("net:a(simulations=32,mistakes=1)");
        if other == best {
            // There is no mistake to make where every move wins, or loses.
            let worths: HashSet<_> = position.moves().map(|m| worth(&position, m)).collect();
            assert_eq!(worths.len(), 1, "{worths:?}");
            assert!(!worths.contains(&GameValue::Unknown));
            decided += 1;
        }
    }
    assert!(decided < 10, "{decided}");
    // Half of the moves are mistakes, the same ones with the same seed.
    let wrong = |seed: u64| -> Vec<bool> {
        let mut erring = player(&format!("net:a(simulations=0,mistakes=0.5,seed={seed})"));
        let positions = unfinished(&start, 6, 100);
        let wrong = positions.iter().map(|position| {
            let best = by_likelihood(&network, position)[0];
            position.move_index(decide(&mut erring, position)) != best
        });
        wrong.collect()
    };
    assert_eq!(wrong(1), wrong(1));
    assert_ne!(wrong(1), wrong(2));
    let count = wrong(1).into_iter().filter(|&wrong| wrong).count();
    assert!((30..70).contains(&count), "{count}");
}

#[test]
fn another_size_of_the_same_game_is_resigned() {
    let small = Catalog::bundled().game("mnk(m=5,n=4,k=4)").unwrap();
    let network = network(&Mnk::new(5, 4, 4).unwrap());
    let mut player = small
        .player(&spec("net:a").with_network(network), clock())
        .unwrap();
    for other in ["mnk(m=6,n=6,k=4)", "mnk(m=5,n=4,k=3)", "ttt"] {
        let other = Catalog::bundled().game(other).unwrap();
        assert_eq!(player.take_turn(&Turn::new(&other)), Decision::Resign);
        assert!(!player.ponder(&Turn::new(&other)));
    }
    assert!(player.ponder(&Turn::new(&small)));
    decide(&mut player, &small);
}

#[test]
fn a_network_out_of_its_mind_plays_on() {
    let game = ConnectFour::new();
    let mut mad = Network::clone(&network(&game));
    mad.update(|numbers| numbers.iter_mut().for_each(|number| *number *= 1e38));
    // All of it is finite, so it is a network; what it says is not.
    let read = Network::from_bytes(&mad.to_bytes()).unwrap();
    let start = DynGame::new(game);
    let record = played(
        &start,
        &spec("net:a(simulations=20)").with_network(Arc::new(read)),
    );
    assert!(record.position.outcome().is_some(), "{:?}", record.end);
}

#[test]
fn a_game_may_bring_its_network_along() {
    let game = DynGame::new(OwnGame::default());
    let strongest = spec(game.strongest());
    let record = played(&game, &strongest);
    assert!(record.position.outcome().is_some());
    let given = spec("net:a").with_network(Arc::new(OwnGame::network()));
    assert_eq!(played(&game, &given), record);
    // The same game under another name.
    check_unavailable(
        &Catalog::bundled().game("ttt").unwrap(),
        &given,
        r#"net:a: the network is for "own", not "ttt""#,
    );
}
