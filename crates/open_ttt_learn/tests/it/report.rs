//! The report is well-formed and shows what is known.

use std::collections::BTreeSet;

use open_ttt_learn::report::{PositionPrediction, Report};
use open_ttt_learn::training::Losses;
use open_ttt_learn::{
    Accuracy, BaselineResult, Config, Evaluation, GameResults, LinesLost, Metrics, PhaseTimes,
    Preset,
};
use open_ttt_lib::games::{ConnectFour, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{
    BoardCell, Choice, Color, Drawing, Encode, Layout, Named, Notation, Picture, Piece, Place,
    Side, Tray, play_text,
};
use open_ttt_nn::Network;
use roxmltree::{Document, Node, ParsingOptions};

fn config() -> Config {
    Config::preset(Preset::Fast, &TicTacToe::new().encoding())
}

fn page(metrics: &[Metrics], predictions: &[PositionPrediction]) -> String {
    let config = config();
    Report {
        title: "Tic-tac-toe",
        game: "ttt",
        seed: 77,
        command: "open_ttt train --game ttt",
        config: &config,
        metrics,
        predictions,
    }
    .html()
}

/// The page, parsed as XML.
#[track_caller]
fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(page, options).unwrap();
    for node in document.descendants() {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            // No external resources and no scripts.
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

/// All text of a node, with single spaces.
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
    let figure = figures.next().expect("the plot exists");
    assert!(figures.next().is_none(), "the plot is unique");
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
        results: GameResults {
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
        times: PhaseTimes {
            self_play: 2.0 * number,
            training: number,
            evaluation: 0.5 * number,
        },
        weights_hash: format!("{iteration:016x}"),
        ..Metrics::default()
    }
}

fn result(
    opponent: &str,
    [wins, draws, losses]: [u32; 3],
    elo: Option<[f64; 3]>,
) -> BaselineResult {
    BaselineResult {
        opponent: opponent.to_owned(),
        wins,
        draws,
        losses,
        elo,
    }
}

fn evaluation(correct: u32, lost: u64) -> Evaluation {
    let accuracy = Accuracy {
        correct,
        total: 1000,
        critical_correct: correct / 2,
        critical_total: 800,
    };
    let lines = LinesLost { lines: 1234, lost };
    Evaluation {
        simulations: 16,
        baselines: vec![
            result("random", [100, 0, 0], None),
            result("tree search 100", [50, 20, 30], Some([70.0, 12.0, 131.0])),
        ],
        policy: Some(accuracy),
        search: Some(accuracy),
        policy_lines: Some(lines),
        search_lines: Some(LinesLost { lost: 0, ..lines }),
    }
}

fn run() -> Vec<Metrics> {
    let mut run: Vec<_> = (1..=20).map(metrics).collect();
    run[9].evaluation = Some(evaluation(900, 40));
    run[19].evaluation = Some(evaluation(987, 3));
    run
}

#[test]
fn the_figures_of_a_run_are_on_the_page() {
    let page = page(&run(), &[]);
    let document = parse(&page);
    let figures: Vec<_> = elements(&document, "dd").map(text).collect();
    let hash = format!("{:016x}", 20);
    assert_eq!(
        figures,
        [
            "20 of 30",
            "20,000",
            "140,000",
            "1,000",
            "1 min 20 s",
            &hash
        ]
    );
    let all = text(document.root_element());
    for expected in [
        "seed 77",
        "open_ttt train --game ttt",
        "perceptron(hidden=64+64)",
        "Measured after iteration 20, with 16 simulations",
        "random 100 0 0 won all 100",
        "tree search 100 50 20 30 +70 (+12 to +131)",
        "Best moves, all positions 98.7 % 98.7 %",
        "Best moves, critical positions 61.6 % 61.6 %",
        "Lines of play lost 3 of 1,234 0 of 1,234",
        "self-play 40 s (50.0 %)",
        "training 20 s (25.0 %)",
        "evaluation 10 s (12.5 %)",
        "other 10 s (12.5 %)",
        "learning_rate 0.015",
        "simulations 16",
    ] {
        assert!(all.contains(expected), "{expected} is not in {all}");
    }
}

#[test]
fn every_plot_has_a_table_of_its_last_values() {
    let page = page(&run(), &[]);
    let document = parse(&page);
    for (title, last) in [
        ("Strength", "tree search 100 +70 (+12 to +131)"),
        ("Best moves", "policy alone, critical 61.6 %"),
        ("Lines lost", "policy alone 3 of 1,234"),
        ("Policy loss", "loss 0.0500"),
        ("Value loss", "loss 0.0250"),
        ("Plies error", "loss 10.0"),
        (
            "Results",
            "first player wins 60.0 % draws 30.0 % second player wins 10.0 %",
        ),
        ("Game length", "plies 8.00"),
        ("Speed", "positions/s 3,500 games/s 500"),
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
fn curves_follow_the_numbers() {
    let page = page(&run(), &[]);
    let document = parse(&page);
    let places = |title: &str, class: &str| -> Vec<[f64; 2]> {
        let marks = of_class(plot(&document, title), class);
        let circles = marks.iter().filter(|node| node.has_tag_name("circle"));
        let number = |node: &Node<'_, '_>, name| node.attribute(name).unwrap().parse().unwrap();
        circles
            .map(|node| [number(node, "cx"), number(node, "cy")])
            .collect()
    };
    let losses = places("Policy loss", "mark");
    assert_eq!(losses.len(), 20);
    // The losses are 1/1, 1/2, .. above 0 at the bottom.
    let (top, middle, last) = (losses[0][1], losses[1][1], losses[19][1]);
    let bottom = 2.0 * middle - top;
    assert!((last - (bottom + (top - bottom) / 20.0)).abs() < 0.2);
    assert!(losses.windows(2).all(|pair| pair[1][0] > pair[0][0]));
    let steps: Vec<f64> = losses
        .windows(2)
        .map(|pair| pair[1][0] - pair[0][0])
        .collect();
    assert!(steps.iter().all(|step| (step - steps[0]).abs() < 0.2));

    // Results without an interval are arrows at the edge.
    let strength = plot(&document, "Strength");
    assert_eq!(of_class(strength, "band").len(), 1);
    assert_eq!(places("Strength", "s1").len(), 2);
    let arrows = of_class(strength, "mark");
    let arrows = arrows.iter().filter(|node| node.has_tag_name("path"));
    assert_eq!(arrows.count(), 2);
}

#[test]
fn all_text_is_escaped() {
    let evil = "</title><script>alert('1')</script>&\"\u{1}\u{ffff}\u{202e}";
    let mut run = run();
    let evaluation = run[19].evaluation.as_mut().unwrap();
    evaluation.baselines[0].opponent = evil.to_owned();
    run[19].weights_hash = evil.to_owned();
    let mut config = config();
    config.architecture = evil.to_owned();
    config.learning.window = usize::MAX;
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1").unwrap();
    let network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 1).unwrap();
    let prediction = PositionPrediction::of(evil.to_owned(), &game, &network);
    let predictions = [PositionPrediction {
        mover: evil.to_owned(),
        moves: vec![(evil.to_owned(), 1.0)],
        ..prediction
    }];
    let report = Report {
        title: evil,
        game: evil,
        seed: 1,
        command: evil,
        config: &config,
        metrics: &run,
        predictions: &predictions,
    };
    let page = report.html();
    let document = parse(&page);
    let shown = evil.replace(['\u{1}', '\u{ffff}'], "\u{fffd}");
    assert_eq!(text(elements(&document, "h1").next().unwrap()), shown);
    assert_eq!(text(elements(&document, "pre").next().unwrap()), shown);
    assert_eq!(page.matches("<script").count(), 0);
}

#[test]
fn missing_data_is_left_out() {
    let empty = page(&[], &[]);
    let document = parse(&empty);
    assert!(text(document.root_element()).contains("No iteration is complete yet"));
    assert_eq!(elements(&document, "figure").count(), 0);

    // A single iteration is a point.
    let one = page(&[metrics(1)], &[]);
    let document = parse(&one);
    assert!(text(document.root_element()).contains("Not evaluated yet"));
    assert_eq!(of_class(plot(&document, "Speed"), "mark").len(), 2);
    assert_eq!(of_class(plot(&document, "Results"), "area").len(), 6);

    // Without losses, games and times.
    let bare = Metrics {
        losses: None,
        results: GameResults::default(),
        times: PhaseTimes::default(),
        seconds: 0.0,
        evaluation: Some(Evaluation::default()),
        ..metrics(1)
    };
    let page = page(&[bare], &[]);
    let document = parse(&page);
    let titles = elements(&document, "h3").map(text);
    assert_eq!(titles.collect::<Vec<_>>(), ["Game length"]);
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
        metrics.times.self_play = bad;
        metrics.evaluation = Some(evaluation(5, u64::MAX));
        let evaluation = metrics.evaluation.as_mut().unwrap();
        evaluation.baselines[0].elo = Some([bad; 3]);
        evaluation.baselines[1].elo = Some([0.0, bad, -bad]);
    }
    for length in [1, 4, 7, 10, 13, 20] {
        let page = page(&run[..length], &[]);
        assert!(parse(&page).root_element().has_children());
    }
}

#[test]
fn the_last_metrics_of_an_iteration_count() {
    let mut run = run();
    // The run resumed after iteration 18.
    run.extend([metrics(19), metrics(20)]);
    let page = page(&run, &[]);
    let document = parse(&page);
    assert_eq!(text(elements(&document, "dd").nth(2).unwrap()), "140,000");
    assert!(text(document.root_element()).contains("Measured after iteration 10"));
}

#[test]
fn the_page_of_a_long_run_is_bounded() {
    let run: Vec<_> = (1..=20_000).map(metrics).collect();
    let page = page(&run, &[]);
    parse(&page);
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

/// Every playable cell shows its move's probability.
#[track_caller]
fn check_board<G: Drawing + Encode + Named + Notation>(game: &G, moves: &str) {
    let mut game = game.clone();
    play_text(&mut game, moves).unwrap();
    let network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 5).unwrap();
    let prediction = PositionPrediction::of("Here".to_owned(), &game, &network);
    let sum: f32 = prediction.moves.iter().map(|(_, share)| share).sum();
    assert!((sum - 1.0).abs() < 1e-4);
    assert!(
        prediction
            .moves
            .is_sorted_by(|(_, one), (_, next)| one >= next)
    );
    for choice in game.picture().choices {
        let text = game.move_text(choice.m);
        let (_, share) = prediction
            .moves
            .iter()
            .find(|(name, _)| *name == text)
            .unwrap();
        let choices = &prediction.picture.choices;
        let shown = choices.iter().find(|other| other.path == choice.path);
        assert_eq!(shown.unwrap().m.to_bits(), share.to_bits());
    }
    let page = page(&[], &[prediction]);
    let document = parse(&page);
    let board = plot(&document, "Here");
    let picture = game.picture();
    assert_eq!(of_class(board, "heat").len(), game.moves().count());
    // One more is the background of the value bar.
    assert_eq!(of_class(board, "cell").len(), picture.cells.len() + 1);
    let pieces = picture.cells.iter().filter(|cell| cell.piece.is_some());
    assert_eq!(of_class(board, "piece").len(), pieces.count());
    let mut places: Vec<_> = of_class(board, "cell")
        .iter()
        .map(|cell| (cell.attribute("x"), cell.attribute("y")))
        .collect();
    let count = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), count, "no cells overlap");
}

#[test]
fn boards_of_every_shape_are_shaded() {
    check_board(&TicTacToe::new(), "b2 a1");
    check_board(&ConnectFour::new(), "4453");
    check_board(&Pegs::new(), "ABCC");
    check_board(&Qubic::new(), "1a1 2b2");
    check_board(&Ultimate::new(), "e5");
}

/// A cell for each place that the layout has room for; each is a move.
fn full(layout: Layout) -> Picture<f32> {
    let places = (0..6).flat_map(|y| (0..6).map(move |x| Place::flat(x, y)));
    let cells: Vec<_> = places.filter(|&place| layout.contains(place)).collect();
    Picture {
        choices: cells
            .iter()
            .map(|&place| Choice::path(0.01, [place]))
            .collect(),
        cells: cells.into_iter().map(BoardCell::at).collect(),
        ..Picture::new(layout)
    }
}

fn predicted(picture: Picture<f32>) -> String {
    let prediction = PositionPrediction {
        title: "Here".to_owned(),
        picture,
        moves: Vec::new(),
        mover: "X".to_owned(),
        value: 0.0,
    };
    page(&[], &[prediction])
}

#[test]
fn layouts_of_other_games_are_drawn() {
    let links = vec![[Place::flat(0, 0), Place::flat(4, 2)]];
    for (layout, links, elements) in [
        (Layout::hexagons(5, 3, None), 0, ["path"; 2]),
        (Layout::points(5, 3, links), 1, ["circle"; 2]),
        (Layout::dots(2, 1), 0, ["rect"; 2]),
    ] {
        let page = predicted(full(layout.clone()));
        let document = parse(&page);
        let board = plot(&document, "Here");
        assert_eq!(of_class(board, "links").len(), links, "{layout:?}");
        for (class, element) in ["cell", "heat"].into_iter().zip(elements) {
            let drawn = of_class(board, class);
            // The bar of the value has the class of a cell, too.
            let drawn: Vec<_> = drawn
                .iter()
                .filter(|it| it.tag_name().name() == element)
                .collect();
            let own = drawn
                .iter()
                .filter(|it| it.attribute("height") != Some("10"));
            assert_eq!(own.count(), 15, "{class} of {layout:?}");
            let shapes = drawn.iter().map(|it| {
                ["d", "cx", "cy", "x", "y"].map(|name| it.attribute(name).map(str::to_owned))
            });
            let apart: BTreeSet<_> = shapes.collect();
            assert_eq!(apart.len(), drawn.len(), "{class} of {layout:?} are apart");
        }
    }
}

#[test]
fn edges_trays_and_the_status_are_shown() {
    let mut picture = full(Layout::dots(2, 1));
    let edge = Piece::neutral("#");
    picture.cells[1].piece = Some(edge);
    picture.cells[6].piece = Some(Piece::new(Side::First, "A"));
    picture.colors = [Color::Purple, Color::Orange];
    picture.status = Some("Move <again>".to_owned());
    let nine = Piece { count: 9, ..edge };
    let cells = [Some(nine), None]
        .into_iter()
        .zip(0..)
        .map(|(piece, index)| BoardCell {
            piece,
            ..BoardCell::at(Place::in_tray(0, index))
        });
    picture.trays = vec![Tray {
        title: "In hand".to_owned(),
        side: None,
        cells: cells.collect(),
    }];
    let page = predicted(picture);
    let document = parse(&page);
    let board = plot(&document, "Here");
    let classes = |class| of_class(board, class).len();
    assert_eq!(
        [classes("edge"), classes("piece"), classes("purple")],
        [1, 1, 1]
    );
    let beside: Vec<_> = of_class(document.root_element(), "beside")
        .into_iter()
        .map(text)
        .collect();
    assert_eq!(beside, ["In hand: 9#", "Move <again>"]);
}

#[test]
fn a_network_with_nan_has_no_value() {
    let game = TicTacToe::new();
    let mut network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 1).unwrap();
    network.update(|parameters| parameters.fill(f32::NAN));
    let predictions = PositionPrediction::along_greedy_game(&game, &network);
    assert_eq!(predictions[0].title, "Start");
    let page = page(&[], &predictions);
    let document = parse(&page);
    let shown = text(plot(&document, "Start"));
    assert!(shown.contains("X to move: no value"), "{shown}");
    assert!(of_class(plot(&document, "Start"), "heat").is_empty());
}

#[test]
fn positions_are_from_one_game() {
    let game = TicTacToe::new();
    let network = Network::new(&game, "perceptron(hidden=8)".parse().unwrap(), 2).unwrap();
    let predictions = PositionPrediction::along_greedy_game(&game, &network);
    assert!((4..=6).contains(&predictions.len()));
    for prediction in &predictions {
        let mut reached = TicTacToe::new();
        let moves = prediction.title.strip_prefix("After ").unwrap_or_default();
        play_text(&mut reached, moves).unwrap();
        assert_eq!(
            *prediction,
            PositionPrediction::of(prediction.title.clone(), &reached, &network)
        );
    }
}
