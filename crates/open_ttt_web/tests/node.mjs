// The package in Node.js with the smaller module: `node --test tests/node.mjs`, after
// `cargo xtask web` has built it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Analyst } from '../npm/analyst.js';
import { searches } from '../npm/nodes.js';
import { Game, Player, answer, games, load, loadAll, loadBook, loadNetwork, missingBooks, rules } from '../npm/open_ttt.js';
import { answersOf } from './answers.mjs';

// Who asks for the module while it is loaded gets the same one, and its games work on.
const [, early] = await Promise.all([load(), load().then(() => new Game('ttt'))]);
await load();

test('two parts of a page that load the module share it', () => {
  early.play('a1');
  assert.equal(new Player(early, 'random').choose(early).length, 2);
});

test('what is loaded when asked for is missed in a sentence', async () => {
  const four = new Game('connect4');
  assert.throws(() => new Player(four, 'perfect'), /its book hasn't been loaded/);
  assert.throws(() => new Player(four, 'net:connect4'), /without networks/);
  assert.throws(() => answer({}), /loadAll/);
  await assert.rejects(loadNetwork('connect4'), /loadAll/);
  await assert.rejects(loadAll(), /smaller module/);
  await assert.rejects(loadBook('connect4', new Uint8Array([1, 2, 3])), /no book/);
  await assert.rejects(loadBook('chess', new Uint8Array([1, 2, 3])), /no book/);
  await assert.rejects(loadBook('chess'), /chess.book/);
});

test('without its book Connect Four proves nothing false', () => {
  // Yellow threatens to win in column 1, and Red blocks.
  const values = new Game('connect4', '414144').values({ nodes: 10_000 });
  assert.notEqual(values.find(({ move }) => move === '1').result, 'loss');
});

test('every answer is that of the native libraries', async () => {
  assert.deepEqual(missingBooks(), ['connect4', 'pegs', 'qubic']);
  for (const key of missingBooks()) await loadBook(key);
  assert.deepEqual(missingBooks(), []);
  const asked = await answersOf((asks) => !asks.startsWith('net'));
  assert.ok(asked > 100);
});

test('with its book Connect Four is known at once', async () => {
  await loadBook('connect4');
  const values = new Game('connect4').values({ nodes: 10_000 });
  // Allis and Allen, 1988: the middle wins, on the 41st ply.
  const known = Object.fromEntries(values.map(({ move, result, plies }) => [move, [result, plies]]));
  assert.deepEqual(known[4], ['win', 41]);
  assert.deepEqual(['1', '2', '3'].map((move) => known[move][0]), ['loss', 'loss', 'draw']);
});

test('an address is a URL or a string, relative to the module', async () => {
  await loadBook('pegs', './pegs.book');
  await loadBook('pegs', new URL('../npm/pegs.book', import.meta.url));
  await assert.rejects(loadBook('pegs', 'nothing.book'), /npm.nothing.book/);
});

test('perfect players draw tic-tac-toe', () => {
  const game = new Game('ttt');
  const player = new Player(game, 'perfect');
  while (game.outcome === null) game.play(player.choose(game));
  assert.equal(game.outcome, 'draw');
  assert.equal(game.history.length, 9);
  assert.deepEqual(game.legalMoves, []);
  assert.ok(game.undo());
  assert.equal(game.outcome, null);
});

test('every game can be played to its end', () => {
  for (const key of games()) {
    const game = new Game(key);
    const player = new Player(game, 'random');
    while (game.outcome === null) game.play(player.choose(game));
    assert.ok(rules(key).length > 20);
    assert.ok(game.sideName('first') !== game.sideName('second'));
    player.free();
    game.free();
  }
});

test('players without a seed differ from each other', () => {
  const game = new Game('mnk');
  const chosen = Array.from({ length: 20 }, () => new Player(game, 'random').choose(game));
  assert.ok(new Set(chosen).size > 5);
});

test('time limits are kept', () => {
  const game = new Game('connect4');
  const player = new Player(game, 'mcts(ms=20)');
  assert.ok(game.legalMoves.includes(player.choose(game)));
});

test('values and hints', () => {
  const game = new Game('ttt', 'a1 b2 a2');
  const values = game.values();
  assert.deepEqual(values.map((value) => value.result), ['draw', 'loss', 'loss', 'loss', 'loss', 'loss']);
  assert.equal(values[0].move, 'a3');
  assert.ok(game.board.includes('| X |   |   |'));
  assert.match(game.hint(), /^a3 stops X from winning there/);
  const pegs = new Game('pegs', 'A B C D E F G H A B C D E F G H A B C D E F').values();
  assert.ok(pegs.every((value) => value.margin !== null && value.exact));
});

test('a game that a repetition has ended has neither values nor a hint', () => {
  const toAndFro = 'c2-c3 b3-a3 c3-c2 a3-b3';
  const game = new Game('morris(men=3)', `a1 a2 b1 c1 c2 b3 ${toAndFro} ${toAndFro}`);
  assert.equal(game.outcome, 'draw');
  assert.deepEqual(game.legalMoves, []);
  assert.deepEqual(game.values(), []);
  assert.throws(() => game.hint(), /the game is over/);
});

test('bytes for which there is no memory are refused', async () => {
  await assert.rejects(loadBook('connect4', new Uint8Array(2 ** 31)), /there is no memory/);
  assert.equal(new Game('ttt').legalMoves.length, 9);
});

test('mistakes are told in a sentence', () => {
  assert.throws(() => new Game('chess'), /chess/);
  assert.throws(() => new Game('ttt', 'a1 a1'), /already taken/);
  assert.throws(() => new Player(new Game('ttt'), 'genius'), /genius/);
  assert.throws(() => new Game('ttt').values({ nodes: -1 }), /at least 1/);
  assert.throws(() => new Game('t\0t'), /zero/);
  const freed = new Game('ttt');
  freed.free();
  freed.free();
  assert.throws(() => freed.legalMoves, /freed/);
});

/// Workers that only note what they are asked.
function silentWorkers(t) {
  const workers = [];
  globalThis.Worker = class {
    asked = [];

    constructor() {
      workers.push(this);
    }

    postMessage(message) {
      this.asked.push(message);
    }

    terminate() {
      this.terminated = true;
    }
  };
  t.after(() => { delete globalThis.Worker; });
  return workers;
}

test('an analyst whose worker has failed or is closed refuses', async (t) => {
  const workers = silentWorkers(t);
  const missing = new Analyst({ wasm: './open_ttt.wasm' });
  const waiting = missing.values('ttt', '');
  assert.match(workers[0].asked[0].task.wasm, /^file:.*npm.open_ttt.wasm$/);
  workers[0].onerror({});
  await assert.rejects(waiting, /the worker has failed/);
  await assert.rejects(missing.choose('ttt', '', 'perfect'), /the worker has failed/);
  const closed = new Analyst();
  closed.close();
  await assert.rejects(closed.values('ttt', ''), /closed/);
  assert.deepEqual(workers.map(({ asked, terminated }) => [asked.length, terminated]), [[1, true], [0, true]]);
});

test('who stops a search has the last values at once', async (t) => {
  const workers = silentWorkers(t);
  const analyst = new Analyst();
  const stop = new AbortController();
  const reports = [];
  const found = analyst.values('hex', '', {
    nodes: 10 ** 9,
    signal: stop.signal,
    onProgress: ({ values }) => reports.push(values),
  });
  const another = analyst.values('ttt', '');
  const [{ id, task }, { id: anotherId }] = workers[0].asked;
  assert.equal(task.nodes, 10 ** 9);
  const report = (values, next) => workers[0].onmessage({ data: { id, progress: { values, done: 0.1 }, next } });
  report(['early'], 4_000);
  stop.abort();
  assert.deepEqual(await found, ['early']);
  // The worker hears of it after its short search.
  assert.deepEqual(workers[0].asked.at(-1), { stop: id });
  report(['late'], 16_000);
  assert.deepEqual(reports, [['early']]);
  workers[0].onmessage({ data: { id: anotherId, result: ['exact'] } });
  assert.deepEqual(await another, ['exact']);
  assert.equal(workers.length, 1);
});

test('a long search that nobody waits for any more ends with its worker', async (t) => {
  const workers = silentWorkers(t);
  const analyst = new Analyst();
  const found = analyst.values('hex', '', { nodes: 10 ** 9, signal: AbortSignal.abort() });
  const [{ id }] = workers[0].asked;
  // Stopped from the start, it waits for its first values.
  workers[0].onmessage({ data: { id, progress: { values: ['first'], done: 0.1 }, next: 10 ** 9 } });
  assert.deepEqual(await found, ['first']);
  assert.deepEqual(workers.map(({ terminated }) => terminated), [true, undefined]);
  const afterwards = analyst.choose('ttt', '', 'perfect');
  workers[1].onmessage({ data: { id: workers[1].asked[0].id, result: 'a1' } });
  assert.equal(await afterwards, 'a1');
});

test('an analyst refuses numbers of positions that are none', async (t) => {
  const workers = silentWorkers(t);
  const analyst = new Analyst();
  for (const nodes of [0, -1, 1.5, NaN, Infinity, 'many']) {
    await assert.rejects(analyst.values('ttt', '', { nodes }), RangeError);
  }
  assert.deepEqual(workers[0].asked, []);
});

test('searches grow up to all positions', () => {
  assert.deepEqual(searches(1), [1]);
  assert.deepEqual(searches(1_000), [1_000]);
  assert.deepEqual(searches(1_001), [251, 1_001]);
  assert.deepEqual(searches(1_000_000), [977, 3_907, 15_625, 62_500, 250_000, 1_000_000]);
});

test('memory is given back', () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 300; round += 1) {
    const game = new Game('connect4', '4 4 4');
    game.values({ nodes: 200 });
    game.hint({ nodes: 200 });
    game.free();
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 64 << 20);
});
