// The package and its worker in Chromium: `node --test tests/browser.mjs`, after
// `cargo xtask web` has built it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/// Serves the folder, and hears what the page has to tell. `/flaky.wasm` is there when it is asked
/// for again.
function serve() {
  let hear;
  let flaky = 0;
  const heard = new Promise((resolve) => { hear = resolve; });
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let body = '';
      for await (const part of request) body += part;
      hear(JSON.parse(body));
      response.end();
      return;
    }
    let path = normalize(new URL(request.url, 'http://localhost').pathname);
    if (path === '/flaky.wasm' && flaky++ > 0) path = '/npm/open_ttt.wasm';
    try {
      const file = await readFile(join(root, path));
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' });
      response.end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ server, heard }));
  });
}

test('a worker searches, reports and stops', async () => {
  const { server, heard } = await serve();
  const profile = await mkdtemp(join(tmpdir(), 'open_ttt-'));
  const chromium = spawn(process.env.OPEN_TTT_CHROMIUM ?? '/usr/bin/chromium', [
    '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
    '--disable-background-networking', `--user-data-dir=${profile}`,
    `http://127.0.0.1:${server.address().port}/tests/page.html`,
  ], { stdio: 'ignore' });
  try {
    const ended = new Promise((_, reject) => {
      chromium.on('error', reject);
      chromium.on('exit', (code) => reject(new Error(`Chromium has ended with ${code}`)));
    });
    const result = await Promise.race([heard, ended]);
    assert.equal(result.error, undefined);
    assert.match(result.hint, /^a3 stops X from winning there/);
    assert.ok(result.reports > 0 && result.rising);
    assert.ok(result.exact > 0);
    assert.ok(result.best.exact);
    // 121 cells of the empty board, and not a thousand million positions.
    assert.equal(result.stopped, 121);
    assert.equal(result.move, 'a3');
    assert.match(result.refused, /already taken/);
    assert.match(result.closed, /closed/);
    assert.match(result.afterwards, /closed/);
    assert.match(result.failed, /flaky.wasm can't be loaded: 404/);
    assert.equal(result.again, 'a3');
  } finally {
    chromium.removeAllListeners();
    chromium.kill('SIGKILL');
    server.close();
    server.closeAllConnections();
    await new Promise((resolve) => chromium.exitCode !== null || chromium.signalCode ? resolve() : chromium.on('exit', resolve));
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});
