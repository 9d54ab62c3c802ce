// The package and its worker in Chromium: `node --test tests/browser.mjs`, after
// `cargo xtask web` has built it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { heardFrom } from './chromium.mjs';

test('a worker searches, reports and stops', async () => {
  const result = await heardFrom(fileURLToPath(new URL('..', import.meta.url)), 'tests/page.html');
  assert.equal(result.error, undefined);
  assert.match(result.hint, /^a3 stops X from winning there/);
  assert.ok(result.reports > 0 && result.rising);
  assert.ok(result.exact > 0);
  assert.ok(result.best.exact);
  // 121 cells of the empty board, and not a thousand million positions.
  assert.equal(result.stopped, 121);
  assert.equal(result.stoppedLate, 121);
  assert.equal(result.move, 'a3');
  assert.match(result.refused, /already taken/);
  assert.match(result.closed, /closed/);
  assert.match(result.afterwards, /closed/);
  assert.match(result.failed, /flaky.wasm can't be loaded: 404/);
  assert.equal(result.again, 'a3');
});
