(async () => {
  const [{ Replica }, clock, { Connection, reconnectDelay }, computer, geometry, { PastGame }, selection, text, { keyText, parseKey }, { resultText }, { OpenGames }, dom, { isTurnedFor }] = await Promise.all(
    ["replica", "clock", "connection", "computer", "geometry", "past-game", "selection", "text", "player-key", "history", "open-games", "dom", "catalog"].map((name) => import(`/assets/${name}.js`)),
  );
  let checks = 0;
  const check = (found, expected, what) => {
    checks += 1;
    const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
    if (one !== other) throw new Error(`${what}: ${one}, not ${other}`);
  };

  // A proxy that answers for a server that isn't there is no server.
  const { fetch } = globalThis;
  const { status } = await import("/assets/api.js");
  for (const [code, expected] of [[502, "offline"], [504, "offline"], [500, "not_json"]]) {
    globalThis.fetch = async () => new Response("<html>Bad Gateway</html>", { status: code });
    check(await status("m").catch((error) => error.code), expected, `status ${code}`);
  }
  globalThis.fetch = fetch;

  // Player keys as text, and results in the list of games.
  const key = "00112233445566778899aabbccddeeff";
  check(keyText(key), "0011 2233 4455 6677 8899 aabb ccdd eeff", "groups of four");
  for (const typed of [key, keyText(key), ` ${key.toUpperCase()}\n`, "00112233-44556677-8899aabb-ccddeeff"]) check(parseKey(typed), key, typed);
  for (const typed of ["", "word", key.slice(1), `${key}0`, key.replace("0", "g")]) check(parseKey(typed), null, typed);
  const rating = { before: { rating: 1500 }, after: { rating: 1662 } };
  check(resultText({ verdict: null, seat: "a" }), "In progress", "a match began");
  check(resultText({ verdict: { winner: "b" }, seat: "b" }), "Won", "casual");
  check(resultText({ verdict: { winner: "a" }, seat: "b" }), "Lost", "casual");
  check(resultText({ verdict: { winner: null }, seat: "b", rating }), "Draw, rating 1500 → 1662", "rated");

  // Children that stay are not moved: one of them keeps the focus.
  const items = Object.fromEntries([..."abcde"].map((id) => [id, Object.assign(document.createElement("button"), { id })]));
  const parent = document.createElement("div");
  document.body.append(parent);
  for (const ids of ["d", "bd", "abcd", "bde", "d", "ed", "da", ""]) {
    dom.update(parent, [...ids].map((id) => items[id]));
    check(Array.from(parent.children, ({ id }) => id), [...ids], ids);
    if (ids === "d") items.d.focus();
    check(document.activeElement === items.d, ids !== "", `the focus in ${ids}`);
  }
  parent.remove();

  // The open games, a page at a time, as the server has them.
  const lobby = (() => {
    let open = [];
    const joined = [];
    /** What the first page waits for. */
    const gate = { opened: null };
    const trueFetch = globalThis.fetch;
    globalThis.fetch = async (url, options) => {
      if (!url.startsWith("/api/v1/matches?")) return trueFetch(url, options);
      const from = Number(url.split("from=")[1]);
      if (from === 0) await gate.opened;
      if (open === null) return Response.json({ error: { code: "too_many", text: "Too many requests." } }, { status: 429 });
      return Response.json({ total: open.length, from, matches: open.slice(from, from + 3) });
    };
    const players = { title: (game) => game.toUpperCase(), isOwn: ({ match }) => match === "own", onJoin: ({ match }) => joined.push(match) };
    const games = new OpenGames(players);
    document.body.append(games.element);
    const set = (ids) => (open = ids && ids.map((match) => ({ match, game: "ttt", name: match, since: 0 })));
    const names = () => Array.from(games.rows.querySelectorAll(".who"), (who) => who.textContent);
    const end = () => {
      globalThis.fetch = trueFetch;
      clearTimeout(games.timer);
      games.element.remove();
    };
    return { games, joined, gate, set, names, end };
  })();
  try {
    const { games, joined, gate, set, names } = lobby;
    const turn = async (button) => {
      document.activeElement.blur();
      button.click();
      while (document.activeElement !== games.heading) await new Promise((done) => setTimeout(done, 5));
    };
    const state = () => [games.heading.textContent.trim(), games.pages.hidden, games.newer.disabled, games.older.disabled];
    await games.refresh();
    check([games.rows.textContent, state()], ["No open games right now. Invite a friend, or let anyone join.", ["Open games", true, true, true]], "no games");
    set(["one", "own", "three"]);
    await games.refresh();
    check([names(), state()], [["one", "own", "three"], ["Open games", true, true, true]], "one page");
    check(Array.from(games.rows.querySelectorAll("a, button"), (control) => control.textContent), ["Join", "Resume", "Join"], "the player's own");
    games.rows.querySelector("button").click();
    check(joined, ["one"], "joined");

    // What is new comes on top; the other rows stay, and so does the focus.
    const [first] = games.rows.children;
    first.querySelector("button").focus();
    set(["zero", "one", "own", "three", "four", "five", "six"]);
    await games.refresh();
    check([names(), state()], [["zero", "one", "own"], ["Open games 1–3 of 7", false, true, false]], "the first page");
    check([games.rows.children[1] === first, first.contains(document.activeElement)], [true, true], "the same row");
    set(["zero", "own", "three", "four", "five", "six"]);
    await games.refresh();
    check([names(), document.activeElement === games.heading], [["zero", "own", "three"], true], "the row with the focus is gone");

    set(["zero", "one", "own", "three", "four", "five", "six"]);
    await games.refresh();
    await turn(games.older);
    check([names(), state()], [["three", "four", "five"], ["Open games 4–6 of 7", false, false, false]], "the second page");
    await turn(games.older);
    check([names(), state()], [["six"], ["Open games 7–7 of 7", false, false, true]], "the last page");
    await turn(games.newer);
    check([names(), state()], [["three", "four", "five"], ["Open games 4–6 of 7", false, false, false]], "and back");
    await turn(games.older);
    // The last pages go when games begin.
    set(["zero", "one"]);
    await games.refresh();
    check([names(), state()], [["zero", "one"], ["Open games", true, true, true]], "fewer pages");

    // A failure leaves what is known.
    set(null);
    await games.refresh();
    check([names(), games.problem.textContent], [["zero", "one"], "Too many requests."], "a failure");
    set(["zero"]);
    await games.refresh();
    check([names(), games.problem.textContent], [["zero"], ""], "no failure any more");

    // A page that arrives when another one is wanted is not shown.
    set(["zero", "one", "own", "three"]);
    await games.refresh();
    let openGate;
    gate.opened = new Promise((done) => (openGate = done));
    const late = games.refresh();
    await turn(games.older);
    openGate();
    await late;
    check([names(), state()], [["three"], ["Open games 4–4 of 4", false, false, true]], "the page that is wanted");
  } finally {
    lobby.end();
  }

  // The replica: optimistic state, sending and rollback.
  const view = (n) => ({ n });
  const welcome = (sequence) => ({ type: "welcome", seat: "a", sequence, state: { view: view(sequence) } });
  const transition = { at: 1, by: "a", act: "resign" };
  const change = (sequence, client = "other", number = 1) => ({ sequence, client, number, transition, view: view(sequence) });
  const fresh = (sequence = 4) => {
    const replica = new Replica({ client: "own" });
    replica.receive(welcome(sequence));
    return replica;
  };
  const early = new Replica({ client: "own" });
  check(early.propose("resign"), false, "nothing is proposed before the welcome");
  let replica = fresh();
  check(replica.propose("resign"), true, "it proposes");
  check(replica.propose("rematch"), false, "one at a time");
  check(replica.optimistic, "resign", "shown at once");
  const sent = { type: "propose", number: 1, base: 4, act: "resign" };
  check(replica.outgoing, sent, "what is sent");
  check(replica.outgoing, sent, "and sent again");
  check(replica.receive({ type: "accepted", number: 1, change: change(5, "own", 1) }).kind, "confirmed", "accepted");
  check([replica.outgoing, replica.optimistic, replica.sequence, replica.view], [null, null, 5, view(5)], "then it is done");
  check(replica.receive({ type: "accepted", number: 1, change: change(5, "own", 1) }).kind, "unchanged", "once is enough");
  replica.propose("rematch");
  check([replica.outgoing.number, replica.outgoing.base], [2, 5], "the next one");

  // Confirmed by the change; the verdict may arrive later.
  check(replica.receive({ type: "change", ...change(6, "own", 2) }).kind, "confirmed", "by the change");
  check(replica.receive({ type: "duplicate", number: 2, sequence: 6 }).kind, "unchanged", "known");

  // Overtaken: another change follows the base.
  replica = fresh();
  replica.propose("resign");
  let update = replica.receive({ type: "change", ...change(5) });
  check([update.kind, update.act, update.transition], ["rolled_back", "resign", transition], "overtaken");
  check([replica.hasPending, replica.sequence], [false, 5], "and over");
  check(replica.receive({ type: "overtaken", number: 1, sequence: 5 }).kind, "unchanged", "the verdict is no news");

  // The other seat can use this client's id and number: that is another proposal.
  replica = fresh();
  replica.propose("resign");
  update = replica.receive({ type: "change", ...change(5, "own", 1), transition: { ...transition, by: "b" } });
  check([update.kind, replica.hasPending], ["rolled_back", false], "another seat's change is not its own");

  // Refused: the state stays.
  replica = fresh();
  replica.propose("resign");
  update = replica.receive({ type: "refused", number: 1, conflict: "game_over", text: "the game is over" });
  check([update.kind, update.refusal, replica.sequence, replica.hasPending], ["rolled_back", { conflict: "game_over", text: "the game is over" }, 4, false], "refused");
  check(replica.receive({ type: "refused", number: 7, conflict: "game_over", text: "" }).kind, "unchanged", "not its own");

  // Delayed: it waits, and sends the same.
  replica = fresh();
  replica.propose("resign");
  update = replica.receive({ type: "delayed", number: 1, retry_ms: 250 });
  check([update.kind, update.wait, replica.outgoing], ["delayed", 250, sent], "delayed");

  // In doubt after a reconnection: not shown, sent again, settled by the verdict.
  for (const [verdict, kind] of [["duplicate", "confirmed"], ["overtaken", "rolled_back"]]) {
    replica = fresh();
    replica.propose("resign");
    replica.receive(welcome(7));
    check([replica.optimistic, replica.outgoing], [null, sent], "in doubt");
    check(replica.receive({ type: "change", ...change(8) }).kind, "advanced", "others go on");
    check(replica.receive({ type: verdict, number: 1, sequence: 5 }).kind, kind, verdict);
    check(replica.hasPending, false, "answered");
  }
  replica = fresh();
  replica.propose("resign");
  replica.receive(welcome(4));
  check(replica.optimistic, "resign", "nothing has happened meanwhile");

  // A reload keeps the client and the numbers.
  const again = new Replica(JSON.parse(JSON.stringify(replica.saved)));
  check([again.client, again.outgoing], ["own", sent], "kept");
  again.receive(welcome(9));
  again.receive({ type: "overtaken", number: 1, sequence: 9 });
  again.propose("rematch");
  check(again.outgoing.number, 2, "counted on");

  // Old changes are ignored; missed ones are skipped.
  replica = fresh();
  check(replica.receive({ type: "change", ...change(3) }).kind, "unchanged", "old");
  check([replica.receive({ type: "change", ...change(9) }).kind, replica.view], ["advanced", view(9)], "far ahead");

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

  // Reconnection delays: exponential, bounded, with jitter.
  check([0, 1, 2].map((tries) => reconnectDelay(tries, 1)), [400, 800, 1600], "twice as long");
  check(reconnectDelay(40, 1), 15_000, "bounded");
  check(reconnectDelay(3, 0), 1600, "half of it at least");

  // A server that accepts connections and closes them again is asked less and less often.
  const { WebSocket: TrueSocket, setTimeout: trueTimeout, clearTimeout: trueClear } = globalThis;
  const timers = new Map();
  try {
    globalThis.WebSocket = class {
      static OPEN = 1;
      readyState = 1;
      send() {}
      close() {}
    };
    let started = 0;
    globalThis.setTimeout = (run, delay) => (timers.set(++started, { run, delay }), started);
    globalThis.clearTimeout = (timer) => timers.delete(timer);
    const phases = [];
    const connection = new Connection({ url: "ws://host/", protocol: "p", hello: () => ({}), onMessage: () => {}, onPhase: (phase) => phases.push(phase) });
    const welcomed = () => connection.socket.onmessage({ data: '{"type": "welcome"}' });
    connection.open();
    const delays = [];
    for (let round = 0; round < 8; round += 1) {
      welcomed();
      connection.socket.onclose();
      const [{ run, delay }] = timers.values();
      check(timers.size, 1, "one timer");
      delays.push(delay);
      timers.clear();
      run();
    }
    const longest = [400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000];
    check(delays.every((delay, round) => delay >= longest[round] / 2 && delay <= longest[round]), true, `longer delays: ${delays}`);
    check([...new Set(phases)], ["open", "lost"], "welcomed and lost");
    // Once it has lasted, the next loss is the first one again.
    welcomed();
    for (const { run, delay } of [...timers.values()]) if (delay === 15_000) run();
    connection.socket.onclose();
    check([...timers.values()].some(({ delay }) => delay <= 400), true, "a short delay");
    connection.end();
  } finally {
    Object.assign(globalThis, { WebSocket: TrueSocket, setTimeout: trueTimeout, clearTimeout: trueClear });
  }

  // Computers.
  check(computer.computerSpec("hard", "ttt"), "hard", "a level");
  check(computer.computerSpec("adaptive", "ttt"), "level(strength=2.00)", "easy at first");
  computer.followResult("level(strength=2.00)", "ttt", 1);
  check(computer.computerSpec("adaptive", "ttt"), "level(strength=2.33)", "stronger after a loss");
  check(computer.computerSpec("adaptive", "pegs"), "level(strength=2.00)", "in this game only");
  computer.followResult("level(strength=2.00)", "mnk(m=5,n=5,k=4)", 1);
  check(computer.computerSpec("adaptive", "mnk"), "level(strength=2.33)", "on boards of all sizes");
  // A rematch is against the same spec.
  computer.followResult("level(strength=2.00)", "ttt", 1);
  check(computer.computerSpec("adaptive", "ttt"), "level(strength=2.67)", "stronger after each loss");
  for (let game = 0; game < 6; game++) computer.followResult("level(strength=2.00)", "ttt", 0);
  check(computer.computerSpec("adaptive", "ttt"), "level(strength=1.00)", "not below the weakest");
  computer.followResult("hard", "ttt", 1);
  check(computer.computerSpec("adaptive", "ttt"), "level(strength=1.00)", "other computers change nothing");
  check(computer.computerName("medium"), "Computer (medium)", "named");
  check(computer.computerName("mcts(ms=1000)"), "Computer (mcts)", "named");
  check(computer.computerName("negamax(mistakes=0.45)"), "Computer (45% mistakes)", "named");
  check(computer.computerName("level(strength=2.33)"), "Computer (adaptive)", "named");

  // The arrow keys: to the nearest spot in their direction.
  const spots = [[0, 0], [100, 0], [200, 10], [0, 100], [100, 300]].map(([x, y]) => ({ x, y }));
  check(geometry.next(spots[0], spots, "ArrowRight"), spots[1], "right");
  check(geometry.next(spots[0], spots, "ArrowDown"), spots[3], "down");
  check(geometry.next(spots[1], spots, "ArrowLeft"), spots[0], "left");
  check(geometry.next(spots[0], spots, "ArrowUp"), null, "nowhere");
  check(geometry.next(spots[0], spots, "x"), null, "no arrow");

  // The cells of a board do not overlap.
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

  // On a turned board each place, each label and each block is opposite.
  const [three, blocks] = [["1", "2", "3"], { kind: "grid", columns: letters, rows: numbers, block: 2 }];
  for (const flat of [blocks, { kind: "grid", columns: letters, rows: three }, { kind: "points", columns: letters, rows: three, links: [] }]) {
    const [usual, turned] = [false, true].map((isTurned) => geometry.geometryOf(flat, [], [], isTurned));
    check([turned.width, turned.height], [usual.width, usual.height], "the same size");
    const [right, top] = [flat.columns.length - 1, flat.rows.length - 1];
    flat.rows.forEach((_, y) => flat.columns.forEach((_, x) => check(turned.spot([x, y, 0]), usual.spot([right - x, top - y, 0]), `${flat.kind} ${x} ${y}`)));
    const labels = ({ labels }) => labels.map(({ x, y, text }) => `${text} ${x} ${y}`).sort();
    const opposite = new Map([flat.columns, flat.rows].flatMap((texts) => texts.map((text, at) => [text, texts[texts.length - 1 - at]])));
    check(labels(turned), labels({ labels: usual.labels.map((label) => ({ ...label, text: opposite.get(label.text) })) }), "labels");
    const places = ({ blocks }) => blocks.map(({ x, y, size }) => `${x} ${y} ${size}`).sort();
    check(places(turned), places(usual), "blocks");
    check(usual.blocks.map(({ name }) => name), turned.blocks.map(({ name }) => name), "names of blocks");
    if (turned.blocks.length) check([turned.blocks[0].x, turned.blocks[0].y], [usual.blocks[3].x, usual.blocks[3].y], "opposite blocks");
  }
  check(geometry.geometryOf(upright, [], [], true).spot([0, 0, 0]), geometry.geometryOf(upright, []).spot([0, 0, 0]), "pieces don't fall up");
  // It is turned where all own pieces begin above all others.
  const begins = (first, ...owned) => ({ board: { first, cells: [{ at: [0, 4, 0] }, ...owned.map(([owner, y]) => ({ at: [0, y, 0], owner }))] } });
  const turns = (info) => [isTurnedFor(info, true), isTurnedFor(info, false)];
  check(turns(begins("a", ["a", 7], ["a", 5], ["b", 2], ["b", 0])), [true, false], "the first above");
  check(turns(begins("b", ["a", 7], ["a", 5], ["b", 2], ["b", 0])), [false, true], "the second above");
  check(turns(begins("a", ["a", 4], ["b", 3], ["a", 3], ["b", 4])), [false, false], "mixed");
  check(turns(begins("a", ["a", 4])), [false, false], "one side alone");
  check(turns(begins("a")), [false, false], "an empty board");
  check(turns(undefined), [false, false], "an unknown game");

  // Hexagons touch six others at the same distance.
  const rhombus = geometry.geometryOf({ kind: "hexagons", columns: ["a", "b", "c"], rows: ["1", "2", "3"] }, []);
  const middle = rhombus.spot([1, 1, 0]);
  const near = [[0, 1], [2, 1], [1, 0], [1, 2], [2, 2], [0, 0]].map(([x, y]) => rhombus.spot([x, y, 0]));
  check(near.map(({ x, y }) => Math.round(Math.hypot(x - middle.x, y - middle.y))), Array(6).fill(geometry.CELL), "neighbours");
  check(near[3].x < middle.x && near[3].y < middle.y, true, "a row is left of the one below");
  // Dots, edges and boxes.
  const fence = geometry.geometryOf({ kind: "dots", columns: ["a", "", "b"], rows: ["1", "", "2"] }, []);
  check([[0, 0], [1, 0], [0, 1], [1, 1]].map(([x, y]) => fence.spot([x, y, 0]).form), ["dot", "across", "upright", "box"], "parity");
  check([[0, 0], [1, 0], [0, 1], [1, 1]].map(([x, y]) => fence.name([x, y, 0])), ["dot a1", "edge a1 to b1", "edge a1 to a2", "box a1 to b2"], "names");
  // Trays are below the board, and do not overlap.
  const tray = { title: "Pool", cells: Array(11).fill({}) };
  const trays = geometry.geometryOf({ kind: "grid", columns: letters, rows: numbers }, [], [tray, tray]);
  const slots = [0, 1].flatMap((at) => tray.cells.map((_, index) => trays.spot([index, at, 255])));
  check(new Set(slots.map(({ x, y }) => `${x} ${y}`)).size, 22, "all apart");
  check(slots.every(({ x, y }) => x > 0 && x < trays.width && y > trays.spot([0, 0, 0]).y && y < trays.height), true, "below");
  check(trays.name([10, 1, 255]), "Pool 11", "named");

  // Moves of several parts.
  const [a, b, c] = [[0, 0, 0], [1, 0, 0], [2, 0, 0]];
  const board = { cells: [{ at: a, move: "a" }, { at: b }, { at: c }], choices: [{ move: "bc", path: [b, c] }, { move: "b", path: [b], label: "Stop" }, { move: "pass", path: [], label: "Pass" }] };
  const choices = selection.choicesOf(board);
  check(choices.map(({ move }) => move), ["a", "bc", "b", "pass"], "all moves");
  let chosen = selection.selectionOf(choices, []);
  check([[...chosen.next], chosen.buttons.map(({ move }) => move), chosen.move], [["0,0,0", "1,0,0"], ["pass"], null], "at first");
  check(selection.choose(choices, [], "0,0,0").move, "a", "at once");
  chosen = selection.choose(choices, [], "1,0,0");
  check([chosen.path, [...chosen.next], chosen.buttons.map(({ label }) => label), chosen.move], [["1,0,0"], ["2,0,0"], ["Stop"], null], "the first part");
  check(selection.choose(choices, chosen.path, "2,0,0").move, "bc", "the second part");
  check(selection.choose(choices, chosen.path, "1,0,0").path, [], "taken back");
  check(selection.choose(choices, chosen.path, "0,0,0").move, "a", "another move");
  check(selection.choose(choices, [], "2,0,0"), null, "no beginning");

  // Verdicts, for players and spectators.
  const over = (winner, by, points) => ({
    seats: [{ name: "Ann" }, { name: "Bea" }],
    verdict: { winner, by },
    board: { points },
  });
  check(text.verdictText(over("a", "rules"), 0), "You win", "won");
  check(text.verdictText(over("a", "time"), 1), "Ann wins: you ran out of time", "lost");
  check(text.verdictText(over("b", "abandonment"), null), "Bea wins: Ann left", "watched");
  check(text.verdictText(over(null, "rules", [9, 9]), 0), "Draw, 9 to 9", "drawn");
  check(text.verdictText(over("b", "rules", [3, 11]), 1), "You win, 11 to 3", "counted");

  // An address that the browser refuses, because there were too many, is shown later: the last one.
  const { showAddress } = await import("/assets/links.js");
  const addresses = [];
  let isTooOften = true;
  history.replaceState = (_state, _title, address) => {
    if (isTooOften) throw new DOMException("too often", "SecurityError");
    addresses.push(address);
  };
  try {
    for (const address of ["/one", "/two", "/three"]) showAddress(address);
    check(addresses, [], "refused");
    isTooOften = false;
    while (!addresses.length) await new Promise((done) => setTimeout(done, 20));
    check(addresses, ["/three"], "the last address");
  } finally {
    delete history.replaceState;
  }

  // What others ask.
  const asked = { ...over(null, "rules"), verdict: null, to_move: "b", draw_offer: "b", take_back: "a", claim: null, rematch: [false, false] };
  check(text.requestTexts(asked, 0), ["Bea offers a draw."], "not what the reader asks");
  check(text.requestTexts(asked, null), ["Ann asks to undo a move.", "Bea offers a draw."], "to spectators");

  // A button of a list says what it is for, also when that changes.
  const { describe, row } = await import("/assets/rows.js");
  const listed = row("Bea", "Chess", Object.assign(document.createElement("button"), { textContent: "Join" }));
  check(listed.lastElementChild.getAttribute("aria-label"), "Join Bea, Chess", "its name");
  describe(listed, "Go");
  check([listed.children[1].textContent, listed.lastElementChild.getAttribute("aria-label")], ["Go", "Join Bea, Go"], "its new name");

  // The other texts.
  const playing = { ...over(null, "rules"), verdict: null, to_move: "b" };
  check(text.statusText(playing, 1), "Your turn", "own turn");
  check(text.statusText(playing, 0), "Bea's turn", "other turn");
  const refused = (act, conflict, reason) => text.rollbackText({ act, refusal: { conflict, text: reason } }, playing, 0);
  check(refused({ move: { text: "z9" } }, { game: "NotAMove" }, "z9 is not a move"), "z9 isn't a legal move.", "illegal");
  check(refused("ask_take_back", "nothing_to_take_back", ""), "Nothing to undo yet.", "nothing to undo");
  check(refused("claim", "already_asked", "you've already asked"), "You've already asked.", "another reason");
  const offer = { by: "b", act: "offer_draw" };
  check(text.rollbackText({ act: { move: { text: "b2" } }, transition: offer }, playing, 0), "Your move b2 came too late. Bea offers a draw.", "overtaken");
  const analysis = (result, exact, plies = null, margin = null) => text.analysisText({ result, plies, margin, best: [], exact }, "Ann", "Bea");
  check(analysis("win", true, 1), "Ann wins in 1.", "a win");
  check(analysis("loss", false, null, -4), "Bea probably wins by 4.", "a loss");
  check(analysis("draw", true), "Draw with best play.", "a draw");
  check(analysis("unknown", false), "Still calculating.", "unknown");

  // A past game arrives page by page: at first what is wanted, then the rest.
  const record = { number: 2, first: "a", moves: [..."abcdefghi"], verdict: null };
  const everyBoard = Array.from({ length: 10 }, (_, ply) => ({ ply }));
  const trueFetch = globalThis.fetch;
  /** Answers with pages of `length` boards; says where they start unless it sends all. */
  const serve = (length) => {
    const asked = [];
    globalThis.fetch = async (url, options) => {
      // The page itself asks for other things meanwhile.
      if (!url.includes("/games/")) return trueFetch(url, options);
      const from = Number(new URL(url, location.href).searchParams.get("from"));
      asked.push(url.replace("/api/v1/", ""));
      const page = length ? { from, boards: everyBoard.slice(from, from + length) } : { boards: everyBoard };
      return Response.json({ record, ...page });
    };
    return asked;
  };
  const starts = (asked) => asked.map((url) => Number(url.split("=")[1]));
  try {
    let asked = serve(4);
    let past = new PastGame("xyz", 2);
    check([past.last, past.isComplete, past.has(0)], [0, false, false], "nothing yet");
    await past.loadPage(0);
    check(asked, ["matches/xyz/games/2?from=0"], "the address");
    check([past.last, past.loaded, past.has(3), past.has(4)], [9, 4, true, false], "the first page");
    await past.loadPage(9);
    check([starts(asked), past.has(9), past.has(6), past.isComplete], [[0, 6], true, false, false], "the last page");
    await past.loadPage(9);
    check([starts(asked), past.isComplete, past.boards], [[0, 6, 4], true, everyBoard], "the gap");

    asked = serve(1);
    past = new PastGame("xyz", 2);
    while (!past.isComplete) await past.loadPage(5);
    check([starts(asked), past.boards], [[0, 5, 4, 6, 7, 8, 9, 3, 2, 1], everyBoard], "one by one");

    asked = serve(0);
    past = new PastGame("xyz", 2);
    await past.loadPage(9);
    check([starts(asked), past.isComplete, past.boards], [[0], true, everyBoard], "all at once");

    serve(4);
    globalThis.fetch = async () => Response.json({ record, from: 0, boards: [] });
    const failure = await new PastGame("xyz", 2).loadPage(0).catch((error) => error.code);
    check(failure, "no_boards", "an empty page is a failure, not an endless loop");
  } finally {
    globalThis.fetch = trueFetch;
  }
  return { checks };
})()
