// The package in Node.js with the larger module: `node --test tests/all.mjs`, after
// `cargo xtask web` has built it.

import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Game, Player, answer, load, loadAll, loadBook, loadNetwork, missingBooks } from '../npm/open_ttt.js';
import { answersOf } from './answers.mjs';

await loadAll();
// It has been loaded.
await load();

test('every answer is that of the native libraries, of networks too', async () => {
  assert.throws(() => new Player(new Game('ttt'), 'net:ttt'), /not given/);
  for (const key of missingBooks()) await loadBook(key);
  for (const key of ['ttt', 'connect4', 'pegs']) await loadNetwork(key);
  const asked = await answersOf((asks) => asks.startsWith('net'));
  assert.ok(asked > 5, `${asked} answers of networks`);
  assert.ok((await answersOf(() => true)) > 100 + asked);
});

test('a network that is none is refused', async () => {
  await assert.rejects(loadNetwork('mine', new Uint8Array([0, 1, 2])), /./);
  await assert.rejects(loadNetwork('nobody'), /nobody.safetensors/);
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

test('the package has every file that it names, and the licences of what is in its modules', async () => {
  const file = (name) => new URL(`../npm/${name}`, import.meta.url);
  const { files } = JSON.parse(await readFile(file('package.json')));
  for (const name of files.filter((name) => !name.includes('*'))) await access(file(name));
  const licences = await readFile(file('LICENCES-OF-OTHERS.txt'), 'utf8');
  for (const crate of ['flate2', 'serde_json']) assert.match(licences, new RegExp(`^  ${crate} `, 'm'));
});
