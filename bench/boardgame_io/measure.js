// `node measure.js [--tables N] [--seconds S] [--files FOLDER] [--json]`
//
// Each table is a match of two connections that make random moves in turn; a
// move counts when both have seen the new state. When a game is over, one of them
// begins another one, which is not counted, as in `load measure`.

const { fork } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { performance } = require("node:perf_hooks");
const { parseArgs } = require("node:util");
const { io } = require("socket.io-client");

const PORT = 18711;
const GAME = "tic-tac-toe";
const URL = `http://127.0.0.1:${PORT}`;

const { values } = parseArgs({
  options: {
    tables: { type: "string", default: "50" },
    seconds: { type: "string", default: "10" },
    files: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const tables = Number(values.tables);
const seconds = Number(values.seconds);

const post = async (path, body) => {
  const response = await fetch(`${URL}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
};

/// One connection; `state` is the last one it was told.
class Seat {
  constructor(playerID) {
    this.playerID = playerID;
    this.heard = () => {};
    this.socket = io(`${URL}/${GAME}`, { transports: ["websocket"], forceNew: true });
    this.socket.on("sync", (matchID, { state }) => this.take(matchID, state));
    this.socket.on("update", (matchID, state) => this.take(matchID, state));
  }

  take(matchID, state) {
    if (matchID !== this.matchID) return;
    this.state = state;
    this.heard();
  }

  async enter(matchID) {
    const name = `player ${this.playerID}`;
    const joined = await post(`/games/${GAME}/${matchID}/join`, {
      playerID: this.playerID,
      playerName: name,
    });
    this.matchID = matchID;
    this.state = undefined;
    this.credentials = joined.playerCredentials;
    this.socket.emit("sync", matchID, this.playerID, this.credentials, 2);
    await this.until(() => this.state !== undefined);
  }

  until(holds) {
    return new Promise((resolve) => {
      this.heard = () => {
        if (holds()) {
          this.heard = () => {};
          resolve();
        }
      };
      this.heard();
    });
  }

  play(type, ...args) {
    const { matchID, playerID, credentials, state } = this;
    const payload = { type, args, playerID, credentials };
    this.socket.emit("update", { type: "MAKE_MOVE", payload }, state._stateID, matchID, playerID);
  }
}

/// Random numbers that are the same in every run (mulberry32).
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

class Table {
  constructor(seed) {
    this.seats = [new Seat("0"), new Seat("1")];
    this.random = random(seed);
  }

  async begin() {
    const { matchID } = await post(`/games/${GAME}/create`, { numPlayers: 2 });
    for (const seat of this.seats) await seat.enter(matchID);
  }

  async run(until, latencies) {
    while (performance.now() < until) {
      const { G, ctx, _stateID } = this.seats[0].state;
      const player = this.seats[Number(ctx.currentPlayer)];
      const free = G.cells.flatMap((cell, index) => (cell === null ? [index] : []));
      const sent = performance.now();
      if (G.over) player.play("again");
      else player.play("clickCell", free[Math.floor(this.random() * free.length)]);
      const seen = this.seats.map((seat) => seat.until(() => seat.state._stateID > _stateID));
      await Promise.all(seen);
      if (!G.over) latencies.push(performance.now() - sent);
    }
  }
}

/// The processor time of a process so far, in seconds, as Linux tells it.
const cpuSeconds = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

const main = async () => {
  const words = values.files ? [String(PORT), values.files] : [String(PORT)];
  const server = fork(`${__dirname}/server.js`, words, { silent: true });
  await new Promise((resolve, reject) => {
    server.once("message", resolve);
    server.once("exit", () => reject(new Error("the server has ended")));
  });
  const all = Array.from({ length: tables }, (_, index) => new Table(index + 1));
  for (const table of all) await table.begin();
  const play = async (time) => {
    const latencies = [];
    const end = performance.now() + time * 1000;
    await Promise.all(all.map((table) => table.run(end, latencies)));
    return latencies;
  };
  await play(2);
  const [begun, cpu] = [performance.now(), cpuSeconds(server.pid)];
  const latencies = (await play(seconds)).sort((a, b) => a - b);
  const elapsed = (performance.now() - begun) / 1000;
  const used = cpuSeconds(server.pid) - cpu;
  const quantile = (share) => latencies[Math.ceil(latencies.length * share) - 1];
  const report = {
    tables,
    seconds: elapsed,
    moves: latencies.length,
    moves_per_second: latencies.length / elapsed,
    p50_ms: quantile(0.5),
    p99_ms: quantile(0.99),
    server_cpu_seconds: used,
    moves_per_cpu_second: latencies.length / used,
  };
  if (values.json) {
    console.log(JSON.stringify(report));
  } else {
    console.log(
      `boardgame.io, ${tables} tables, ${elapsed.toFixed(1)} s: ` +
        `${report.moves_per_second.toFixed(0)} moves/s, ` +
        `${report.p50_ms.toFixed(2)} ms (p50), ${report.p99_ms.toFixed(2)} ms (p99); ` +
        `${report.moves_per_cpu_second.toFixed(0)} moves for each CPU second of the server`,
    );
  }
  server.kill();
  process.exit(0);
};

main();
