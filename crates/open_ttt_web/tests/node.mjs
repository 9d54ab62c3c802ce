// The package in Node.js: `node --test tests/node.mjs`, after `cargo xtask web` has built it.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Game, Player, answer, games, load, rules } from '../npm/open_ttt.js';

await load();

const expected = new URL('../../open_ttt_catalog/examples/same_everywhere.txt', import.meta.url);

test('every answer is that of the native libraries', async () => {
  const lines = (await readFile(expected, 'utf8')).trim().split('\n');
  let asked = 0;
  for (const line of lines) {
    const [place, asks, answer] = line.split(': ');
    const [key, ...moves] = place.split(' ');
    const game = new Game(key, moves.join(' '));
    if (asks === 'values') {
      const found = game.values({ nodes: 500 }).slice(0, 12).map(text);
      assert.equal(found.join(', '), answer, place);
    } else if (!asks.startsWith('net')) {
      assert.equal(new Player(game, asks).choose(game), answer, `${place}: ${asks}`);
    } else {
      continue;
    }
    asked += 1;
    game.free();
  }
  assert.ok(asked > 100);
});

function text({ move, result, plies, exact, expected }) {
  if (!exact) return `${move} ${expected.toFixed(2)}`;
  return plies === null ? `${move} ${result}` : `${move} ${result} ${plies}`;
}

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

test('requests are answered as a server does', () => {
  const seats = [{ person: 'Ann' }, { computer: 'perfect' }];
  const solo = answer({ begin: { wanted: { game: 'ttt', seats, first: 'b' }, now: 0 } });
  const act = answer({ decide: { solo } });
  const proposal = { by_computer: true, client: 'computer', number: 3, base: 2, act, now: 1 };
  const { messages, entries } = answer({ propose: { solo, proposal } });
  assert.equal(messages[0].view.moves.length, 1);
  assert.equal(entries.length, 1);
  const judge = { game: 'ttt', moves: ['a1', 'b2', 'a2'], values: true, ms: 1000 };
  assert.match(answer({ judge }).hint.why, /^a3 stops X from winning there/);
  assert.equal(answer({ puzzle: { game: 'hex', number: 5, now: 0 } }).number, 5);
  assert.throws(() => answer({ judge: { game: 'chess', moves: [] } }), /chess/);
});
