(async () => {
  const [{ Replica }, clock, { waitBefore }, computer, geometry, words] = await Promise.all(
    ["replica", "clock", "connection", "computer", "geometry", "words"].map((name) => import(`/assets/${name}.js`)),
  );
  let checks = 0;
  const check = (found, expected, what) => {
    checks += 1;
    const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
    if (one !== other) throw new Error(`${what}: ${one}, not ${other}`);
  };

  // The replica: what it hopes for, sends, and takes back.
  const view = (n) => ({ n });
  const welcome = (sequence) => ({ type: "welcome", sequence, state: { view: view(sequence) } });
  const transition = { at: 1, by: "a", act: "resign" };
  const change = (sequence, client = "other", number = 1) => ({ sequence, client, number, transition, view: view(sequence) });
  const fresh = (sequence = 4) => {
    const replica = new Replica({ client: "own" });
    replica.hear(welcome(sequence));
    return replica;
  };
  const early = new Replica({ client: "own" });
  check(early.propose("resign"), false, "nothing is proposed before the welcome");
  let replica = fresh();
  check(replica.propose("resign"), true, "it proposes");
  check(replica.propose("rematch"), false, "one at a time");
  check(replica.hope, "resign", "shown at once");
  const sent = { type: "propose", number: 1, base: 4, act: "resign" };
  check(replica.outgoing, sent, "what is sent");
  check(replica.outgoing, sent, "and sent again");
  check(replica.hear({ type: "accepted", number: 1, change: change(5, "own", 1) }).kind, "confirmed", "accepted");
  check([replica.outgoing, replica.hope, replica.sequence, replica.view], [null, null, 5, view(5)], "then it is done");
  check(replica.hear({ type: "accepted", number: 1, change: change(5, "own", 1) }).kind, "nothing", "once is enough");
  replica.propose("rematch");
  check([replica.outgoing.number, replica.outgoing.base], [2, 5], "the next one");

  // Confirmed by the change itself, whose verdict comes later or never.
  check(replica.hear({ type: "change", ...change(6, "own", 2) }).kind, "confirmed", "by the change");
  check(replica.hear({ type: "duplicate", number: 2, sequence: 6 }).kind, "nothing", "known");

  // Overtaken: the place behind its base is taken.
  replica = fresh();
  replica.propose("resign");
  let heard = replica.hear({ type: "change", ...change(5) });
  check([heard.kind, heard.act, heard.transition], ["taken_back", "resign", transition], "overtaken");
  check([replica.waiting, replica.sequence], [false, 5], "and over");
  check(replica.hear({ type: "overtaken", number: 1, sequence: 5 }).kind, "nothing", "the verdict is no news");

  // Refused: the state stays.
  replica = fresh();
  replica.propose("resign");
  heard = replica.hear({ type: "refused", number: 1, conflict: "game_over", text: "the game is over" });
  check([heard.kind, heard.reason, replica.sequence, replica.waiting], ["taken_back", "the game is over", 4, false], "refused");
  check(replica.hear({ type: "refused", number: 7, conflict: "game_over", text: "" }).kind, "nothing", "not its own");

  // Delayed: it waits, and sends the same.
  replica = fresh();
  replica.propose("resign");
  heard = replica.hear({ type: "delayed", number: 1, retry_ms: 250 });
  check([heard.kind, heard.wait, replica.outgoing], ["delayed", 250, sent], "delayed");

  // In doubt after a return: hidden, sent again, and the verdict tells.
  for (const [verdict, kind] of [["duplicate", "confirmed"], ["overtaken", "taken_back"]]) {
    replica = fresh();
    replica.propose("resign");
    replica.hear(welcome(7));
    check([replica.hope, replica.outgoing], [null, sent], "in doubt");
    check(replica.hear({ type: "change", ...change(8) }).kind, "followed", "others go on");
    check(replica.hear({ type: verdict, number: 1, sequence: 5 }).kind, kind, verdict);
    check(replica.waiting, false, "answered");
  }
  replica = fresh();
  replica.propose("resign");
  replica.hear(welcome(4));
  check(replica.hope, "resign", "nothing has happened meanwhile");

  // Over a reload it stays who it was, and goes on counting.
  const again = new Replica(JSON.parse(JSON.stringify(replica.saved)));
  check([again.client, again.outgoing], ["own", sent], "kept");
  again.hear(welcome(9));
  again.hear({ type: "overtaken", number: 1, sequence: 9 });
  again.propose("rematch");
  check(again.outgoing.number, 2, "counted on");

  // What is old is no news; what was missed is passed over.
  replica = fresh();
  check(replica.hear({ type: "change", ...change(3) }).kind, "nothing", "old");
  check([replica.hear({ type: "change", ...change(9) }).kind, replica.view], ["followed", view(9)], "far ahead");

  // Clocks.
  const running = { left_ms: [60_000, 5_000], running: ["b", 1_000] };
  check(clock.leftAt(running, 0, 9_999), 60_000, "stands");
  check(clock.leftAt(running, 1, 3_500), 2_500, "runs");
  check(clock.leftAt(running, 1, 500), 5_000, "not before it began");
  check(clock.leftAt(running, 1, 99_999), 0, "no less than nothing");
  for (const [left, text] of [[0, "0:00"], [9_450, "0:09.4"], [10_000, "0:10"], [599_999, "9:59"], [3_723_000, "1:02:03"], [187_200_000, "2d 4h"]]) {
    check(clock.clockText(left), text, "a clock");
  }
  check(clock.controlText({ initial_ms: 180_000, increment_ms: 2_000 }), "3 min + 2 s", "a time control");

  // Waits: ever longer, bounded, never all at once.
  check([0, 1, 2].map((tries) => waitBefore(tries, 1)), [400, 800, 1600], "twice as long");
  check(waitBefore(40, 1), 15_000, "bounded");
  check(waitBefore(3, 0), 1600, "half of it at least");

  // Computers.
  check(computer.computerSpec("perfect", 0.3), "perfect(mistakes=0.3)", "errs");
  check(computer.computerSpec("mcts(ms=1000)", 0.6), "mcts(ms=1000,mistakes=0.6)", "errs");
  check(computer.computerSpec("negamax", 0), "negamax", "does not err");
  check(computer.computerName("perfect(mistakes=0.3)"), "Computer, fair", "named");
  check(computer.computerName("mcts(ms=1000)"), "Computer, best", "named");
  check(computer.computerName("negamax(mistakes=0.45)"), "Computer, 45 % mistakes", "named");

  // Where the arrows lead: to the nearest in their direction, or nowhere.
  const spots = [[0, 0], [100, 0], [200, 10], [0, 100], [100, 300]].map(([x, y]) => ({ x, y }));
  check(geometry.next(spots[0], spots, "ArrowRight"), spots[1], "right");
  check(geometry.next(spots[0], spots, "ArrowDown"), spots[3], "down");
  check(geometry.next(spots[1], spots, "ArrowLeft"), spots[0], "left");
  check(geometry.next(spots[0], spots, "ArrowUp"), null, "nowhere");
  check(geometry.next(spots[0], spots, "x"), null, "no arrow");

  // No two cells of a board lie on one another.
  const letters = ["a", "b", "c", "d"];
  const numbers = ["1", "2", "3", "4"];
  const layers = { kind: "layers", layers: ["Layer 1", "Layer 2"], columns: letters, rows: numbers };
  const cubes = [0, 1].flatMap((z) => numbers.flatMap((_, y) => letters.map((_, x) => [x, y, z])));
  const drawn = geometry.geometryOf(layers, cubes);
  const middles = cubes.map((place) => drawn.spot(place)).map(({ x, y }) => `${x} ${y}`);
  check(new Set(middles).size, cubes.length, "all apart");
  check(drawn.name([2, 3, 1]), "layer 2, c4", "named");
  const upright = { kind: "grid", columns: ["1", "2"], rows: ["", ""] };
  check(geometry.geometryOf(upright, []).falls, true, "rows without a name: pieces fall");
  check(geometry.geometryOf({ kind: "grid", columns: ["a"], rows: ["1"] }, []).falls, false, "they do not");
  check(geometry.geometryOf({ kind: "grid", columns: [], rows: [] }, [[0, 0, 0], [1, 2, 0]]).name([1, 2, 0]), "column 2, row 3", "without labels");

  // Verdicts, for each who reads.
  const over = (winner, by, points) => ({
    seats: [{ name: "Ann" }, { name: "Bea" }],
    verdict: { winner, by },
    board: { points },
  });
  check(words.verdictText(over("a", "rules"), 0), "You win", "won");
  check(words.verdictText(over("a", "time"), 1), "Ann wins: you have run out of time", "lost");
  check(words.verdictText(over("b", "abandonment"), null), "Bea wins: Ann has left", "watched");
  check(words.verdictText(over(null, "rules", [9, 9]), 0), "A draw, 9 to 9", "drawn");
  check(words.verdictText(over("b", "rules", [3, 11]), 1), "You win, 11 to 3", "counted");
  return { checks };
})()
