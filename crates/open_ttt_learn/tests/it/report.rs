//! The report is well-formed and says what was measured, whatever is missing.

use open_ttt_learn::report::{Opinion, Report};
use open_ttt_learn::training::Losses;
use open_ttt_learn::{Config, LinesLost, Marks, Metrics, Parts, Preset, Proof, Results, Strength};
use open_ttt_lib::games::{ConnectFour, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{Drawing, Encode, Named, Notation, play_text};
use open_ttt_nn::Network;
use roxmltree::{Document, Node, ParsingOptions};

fn config() -> Config {
    Config::preset(Preset::Fast, &TicTacToe::new().encoding())
}

fn page(metrics: &[Metrics], opinions: &[Opinion]) -> String {
    let config = config();
    Report {
        title: "Tic-tac-toe",
        game: "ttt",
        seed: 77,
        command: "open_ttt train --game ttt",
        config: &config,
        metrics,
        opinions,
    }
    .html()
}

/// The page read by a parser of XML, which is stricter than a browser.
#[track_caller]
fn read(page: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(page, options).unwrap();
    for node in document.descendants() {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            // Nothing is loaded and nothing runs.
            assert!(
                !["src", "href", "srcset", "action"].contains(&name),
                "{name}"
            );
            assert!(!name.starts_with("on"), "{name}");
            let drawn = ["d", "x", "y", "cx", "cy", "width", "height", "fill-opacity"];
            if drawn.contains(&name) {
                assert!(
                    !value.contains("NaN") && !value.contains("inf"),
                    "{name}={value}"
                );
            }
        }
        let name = node.tag_name().name();
        assert!(
            !["script", "link", "iframe", "img", "object", "base"].contains(&name),
            "{name}"
        );
    }
    assert!(!page.contains("url(") && !page.contains("@import"));
    document
}

fn elements<'a>(document: &'a Document<'_>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    document
        .descendants()
        .filter(move |node| node.has_tag_name(name))
}

/// All text within, with one space between its pieces.
fn text(node: Node<'_, '_>) -> String {
    let pieces = node
        .descendants()
        .filter(Node::is_text)
        .filter_map(|node| node.text());
    pieces
        .flat_map(str::split_whitespace)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The plot with this title.
#[track_caller]
fn plot<'a>(document: &'a Document<'_>, title: &str) -> Node<'a, 'a> {
    let figures = elements(document, "figure");
    let titled = |figure: &Node<'_, '_>| {
        figure
            .descendants()
            .any(|node| node.has_tag_name("h3") && node.text() == Some(title))
    };
    let mut figures = figures.filter(titled);
    let figure = figures.next().expect("there is such a plot");
    assert!(figures.next().is_none(), "there is one such plot");
    figure
}

fn of_class<'a>(node: Node<'a, 'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node<'_, '_>| {
        node.attribute("class")
            .is_some_and(|classes| classes.split(' ').any(|one| one == class))
    };
    node.descendants().filter(has).collect()
}

fn metrics(iteration: u32) -> Metrics {
    let number = f64::from(iteration);
    Metrics {
        iteration,
        iterations: 30,
        games: 1000 * u64::from(iteration),
        positions: 7000,
        plies: 8.0,
        results: Results {
            first: 600,
            draws: 300,
            second: 100,
        },
        steps: 50 * u64::from(iteration),
        losses: Some(Losses {
            policy: 1.0 / number,
            value: 0.5 / number,
            auxiliary: 0.01,
        }),
        seconds: 4.0 * number,
        parts: Parts {
            playing: 2.0 * number,
            learning: number,
            measuring: 0.5 * number,
        },
        weights: format!("{iteration:016x}"),
        help: None,
        proof: None,
    }
}

fn strength(opponent: &str, [wins, draws, losses]: [u32; 3], elo: Option<[f64; 3]>) -> Strength {
    Strength {
        opponent: opponent.to_owned(),
        wins,
        draws,
        losses,
        elo,
    }
}

fn proof(right: u32, lost: u64) -> Proof {
    let marks = Marks {
        right,
        all: 1000,
        critical_right: right / 2,
        critical: 800,
    };
    let lines = LinesLost { lines: 1234, lost };
    Proof {
        simulations: 16,
        strength: vec![
            strength("random", [100, 0, 0], None),
            strength("tree search 100", [50, 20, 30], Some([70.0, 12.0, 131.0])),
        ],
        policy: Some(marks),
        searching: Some(marks),
        policy_lines: Some(lines),
        searching_lines: Some(LinesLost { lost: 0, ..lines }),
    }
}

fn run() -> Vec<Metrics> {
    let mut run: Vec<_> = (1..=20).map(metrics).collect();
    run[9].proof = Some(proof(900, 40));
    run[19].proof = Some(proof(987, 3));
    run
}

#[test]
fn the_figures_of_a_run_are_on_the_page() {
    let page = page(&run(), &[]);
    let document = read(&page);
    let told: Vec<_> = elements(&document, "dd").map(text).collect();
    let sum = format!("{:016x}", 20);
    assert_eq!(
        told,
        ["20 of 30", "20,000", "140,000", "1,000", "1 min 20 s", &sum]
    );
    let all = text(document.root_element());
    for told in [
        "seed 77",
        "open_ttt train --game ttt",
        "perceptron(hidden=64+64)",
        "Measured behind iteration 20, with 16 simulations",
        "random 100 0 0 won all 100",
        "tree search 100 50 20 30 +70 (+12 to +131)",
        "Best moves, all positions 98.7 % 98.7 %",
        "Best moves, critical positions 61.6 % 61.6 %",
        "Lines of play lost 3 of 1,234 0 of 1,234",
        "playing 40 s (50.0 %)",
        "learning 20 s (25.0 %)",
        "measuring 10 s (12.5 %)",
        "the rest 10 s (12.5 %)",
        "learning_rate 0.015",
        "simulations 16",
    ] {
        assert!(all.contains(told), "{told} is not in {all}");
    }
}

#[test]
fn every_plot_tells_its_last_values_in_words() {
    let page = page(&run(), &[]);
    let document = read(&page);
    for (title, last) in [
        ("Strength", "tree search 100 +70 (+12 to +131)"),
        ("Best moves", "policy alone, critical 61.6 %"),
        ("Lines lost", "policy alone 3 of 1,234"),
        ("Error of the policy", "error 0.0500"),
        ("Error of the value", "error 0.0250"),
        ("Error of the plies", "error 10.0"),
        (
            "How games ended",
            "won by the side that began 60.0 % drawn 30.0 % won by the other 10.0 %",
        ),
        ("Length of the games", "plies 8.00"),
        ("Speed", "positions a second 3,500 games a second 500"),
    ] {
        let plot = plot(&document, title);
        let svg = plot
            .children()
            .find(|node| node.has_tag_name("svg"))
            .unwrap();
        assert_eq!(svg.attribute("role"), Some("img"));
        let names: Vec<_> = svg.children().filter(Node::is_element).take(2).collect();
        assert_eq!(text(names[0]), title);
        assert!(names[1].has_tag_name("desc") && !text(names[1]).is_empty());
        let table = plot
            .children()
            .find(|node| node.has_tag_name("table"))
            .unwrap();
        assert!(
            text(table).contains(last),
            "{title}: {last} is not in {}",
            text(table)
        );
        assert!(text(table).contains("Iteration 20"));
    }
}

#[test]
fn curves_go_where_the_numbers_are() {
    let page = page(&run(), &[]);
    let document = read(&page);
    let places = |title: &str, class: &str| -> Vec<[f64; 2]> {
        let marks = of_class(plot(&document, title), class);
        let circles = marks.iter().filter(|node| node.has_tag_name("circle"));
        let number = |node: &Node<'_, '_>, name| node.attribute(name).unwrap().parse().unwrap();
        circles
            .map(|node| [number(node, "cx"), number(node, "cy")])
            .collect()
    };
    let errors = places("Error of the policy", "mark");
    assert_eq!(errors.len(), 20);
    // The errors are 1/1, 1/2, .. above 0 at the foot of the plot.
    let (top, middle, last) = (errors[0][1], errors[1][1], errors[19][1]);
    let foot = 2.0 * middle - top;
    assert!((last - (foot + (top - foot) / 20.0)).abs() < 0.2);
    assert!(errors.windows(2).all(|pair| pair[1][0] > pair[0][0]));
    let steps: Vec<f64> = errors
        .windows(2)
        .map(|pair| pair[1][0] - pair[0][0])
        .collect();
    assert!(steps.iter().all(|step| (step - steps[0]).abs() < 0.2));

    // Who won every game is at the upper edge, and has no interval.
    let strength = plot(&document, "Strength");
    assert_eq!(of_class(strength, "band").len(), 1);
    assert_eq!(places("Strength", "s1").len(), 2);
    let arrows = of_class(strength, "mark");
    let arrows = arrows.iter().filter(|node| node.has_tag_name("path"));
    assert_eq!(arrows.count(), 2);
}

#[test]
fn nothing_from_outside_is_markup() {
    let evil = "</title><script>alert('1')</script>&\"\u{1}\u{ffff}\u{202e}";
    let mut run = run();
    let proof = run[19].proof.as_mut().unwrap();
    proof.strength[0].opponent = evil.to_owned();
    run[19].weights = evil.to_owned();
    let mut config = config();
    config.architecture = evil.to_owned();
    config.learning.window = usize::MAX;
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1").unwrap();
    let network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 1).unwrap();
    let opinion = Opinion::of(evil.to_owned(), &game, &network);
    let opinions = [Opinion {
        mover: evil.to_owned(),
        moves: vec![(evil.to_owned(), 1.0)],
        ..opinion
    }];
    let report = Report {
        title: evil,
        game: evil,
        seed: 1,
        command: evil,
        config: &config,
        metrics: &run,
        opinions: &opinions,
    };
    let page = report.html();
    let document = read(&page);
    let shown = evil.replace(['\u{1}', '\u{ffff}'], "\u{fffd}");
    assert_eq!(text(elements(&document, "h1").next().unwrap()), shown);
    assert_eq!(text(elements(&document, "pre").next().unwrap()), shown);
    assert_eq!(page.matches("<script").count(), 0);
}

#[test]
fn whatever_is_missing_is_left_out() {
    let empty = page(&[], &[]);
    let document = read(&empty);
    assert!(text(document.root_element()).contains("No iteration is complete yet"));
    assert_eq!(elements(&document, "figure").count(), 0);

    // One line alone is a point, without a line.
    let one = page(&[metrics(1)], &[]);
    let document = read(&one);
    assert!(text(document.root_element()).contains("not measured yet"));
    assert_eq!(of_class(plot(&document, "Speed"), "mark").len(), 2);
    assert_eq!(
        of_class(plot(&document, "How games ended"), "area").len(),
        6
    );

    // No losses yet, no games, no time.
    let bare = Metrics {
        losses: None,
        results: Results::default(),
        parts: Parts::default(),
        seconds: 0.0,
        proof: Some(Proof::default()),
        ..metrics(1)
    };
    let page = page(&[bare], &[]);
    let document = read(&page);
    let told = elements(&document, "h3").map(text);
    assert_eq!(told.collect::<Vec<_>>(), ["Length of the games"]);
}

#[test]
fn bad_numbers_draw_nothing() {
    let mut run = run();
    for (index, bad) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1.0]
        .into_iter()
        .enumerate()
    {
        let metrics = &mut run[3 * index];
        metrics.losses = Some(Losses {
            policy: bad,
            value: bad,
            auxiliary: bad,
        });
        metrics.plies = bad;
        metrics.seconds = bad;
        metrics.parts.playing = bad;
        metrics.proof = Some(proof(5, u64::MAX));
        let proof = metrics.proof.as_mut().unwrap();
        proof.strength[0].elo = Some([bad; 3]);
        proof.strength[1].elo = Some([0.0, bad, -bad]);
    }
    for length in [1, 4, 7, 10, 13, 20] {
        let page = page(&run[..length], &[]);
        assert!(read(&page).root_element().has_children());
    }
}

#[test]
fn of_several_lines_about_an_iteration_the_last_counts() {
    let mut run = run();
    // It was cut off behind iteration 20, and began again behind 18.
    run.extend([metrics(19), metrics(20)]);
    let page = page(&run, &[]);
    let document = read(&page);
    assert_eq!(text(elements(&document, "dd").nth(2).unwrap()), "140,000");
    assert!(text(document.root_element()).contains("Measured behind iteration 10"));
}

#[test]
fn a_long_run_makes_no_long_page() {
    let run: Vec<_> = (1..=20_000).map(metrics).collect();
    let page = page(&run, &[]);
    read(&page);
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

/// Every cell that can be chosen is shaded as much as its move is probable.
#[track_caller]
fn check_board<G: Drawing + Encode + Named + Notation>(game: &G, moves: &str) {
    let mut game = game.clone();
    play_text(&mut game, moves).unwrap();
    let network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 5).unwrap();
    let opinion = Opinion::of("Here".to_owned(), &game, &network);
    let sum: f32 = opinion.moves.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-4);
    assert!(
        opinion
            .moves
            .is_sorted_by(|(_, one), (_, next)| one >= next)
    );
    for cell in game.picture().cells {
        let Some(m) = cell.playable else {
            continue;
        };
        let text = game.move_text(m);
        let (_, share) = opinion
            .moves
            .iter()
            .find(|(name, _)| *name == text)
            .unwrap();
        let shown = opinion
            .picture
            .cells
            .iter()
            .find(|other| other.place == cell.place);
        assert_eq!(shown.unwrap().playable, Some(*share));
    }
    let page = page(&[], &[opinion]);
    let document = read(&page);
    let board = plot(&document, "Here");
    let picture = game.picture();
    assert_eq!(of_class(board, "heat").len(), game.moves().count());
    // One more is the ground of the bar of the value.
    assert_eq!(of_class(board, "cell").len(), picture.cells.len() + 1);
    let pieces = picture.cells.iter().filter(|cell| cell.owner.is_some());
    assert_eq!(of_class(board, "piece").len(), pieces.count());
    let mut places: Vec<_> = of_class(board, "cell")
        .iter()
        .map(|cell| (cell.attribute("x"), cell.attribute("y")))
        .collect();
    let count = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), count, "no cell lies on another");
}

#[test]
fn boards_of_every_shape_are_shaded() {
    check_board(&TicTacToe::new(), "b2 a1");
    check_board(&ConnectFour::new(), "4453");
    check_board(&Pegs::new(), "ABCC");
    check_board(&Qubic::new(), "1a1 2b2");
    check_board(&Ultimate::new(), "e5");
}

#[test]
fn a_network_without_numbers_has_no_opinion() {
    let game = TicTacToe::new();
    let mut network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 1).unwrap();
    network.change(|parameters| parameters.fill(f32::NAN));
    let opinions = Opinion::on_the_way(&game, &network);
    assert_eq!(opinions[0].title, "The start");
    let page = page(&[], &opinions);
    let document = read(&page);
    let told = text(plot(&document, "The start"));
    assert!(told.contains("X to move: no number"), "{told}");
    assert!(of_class(plot(&document, "The start"), "heat").is_empty());
}

#[test]
fn positions_are_on_the_way_of_one_game() {
    let game = TicTacToe::new();
    let network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 2).unwrap();
    let opinions = Opinion::on_the_way(&game, &network);
    assert!((4..=6).contains(&opinions.len()));
    for opinion in &opinions {
        let mut reached = TicTacToe::new();
        let moves = opinion.title.strip_prefix("After ").unwrap_or_default();
        play_text(&mut reached, moves).unwrap();
        assert_eq!(
            *opinion,
            Opinion::of(opinion.title.clone(), &reached, &network)
        );
    }
}
