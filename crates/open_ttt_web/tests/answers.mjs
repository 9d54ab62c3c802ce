// What the native libraries answer, beside what the package answers.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { Game, Player } from '../npm/open_ttt.js';

const expected = new URL('../../open_ttt_catalog/examples/same_everywhere.txt', import.meta.url);

/// Asks what the native libraries were asked, if it is wanted, and returns how often.
export async function answersOf(isWanted) {
  const lines = (await readFile(expected, 'utf8')).trim().split('\n');
  let asked = 0;
  for (const line of lines) {
    const [place, asks, answer] = line.split(/: (?!pre)/);
    if (!isWanted(asks)) continue;
    const [key, ...moves] = place.split(' ');
    const game = new Game(key, moves.join(' '));
    if (asks === 'values') {
      const found = game.values({ nodes: 500 }).slice(0, 12).map(text);
      assert.equal(found.join(', '), answer, place);
    } else {
      // A network is given by the key of its game.
      const name = asks.replace('net:pretrained', `net:${key.split('(')[0]}`);
      assert.equal(new Player(game, name).choose(game), answer, `${place}: ${asks}`);
    }
    asked += 1;
    game.free();
  }
  return asked;
}

function text({ move, result, plies, exact, expected }) {
  if (!exact) return `${move} ${expected.toFixed(2)}`;
  return plies === null ? `${move} ${result}` : `${move} ${result} ${plies}`;
}
