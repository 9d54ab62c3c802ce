// A page in Chromium, and what it has to tell.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/// Serves a folder, and hears what the page posts. `/flaky.wasm` is there when it is asked for again.
function serve(root) {
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

/// Opens a page of a folder, and returns what it posts.
export async function heardFrom(root, page) {
  const { server, heard } = await serve(root);
  const profile = await mkdtemp(join(tmpdir(), 'open_ttt-'));
  const chromium = spawn(process.env.OPEN_TTT_CHROMIUM ?? '/usr/bin/chromium', [
    '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
    '--disable-background-networking', `--user-data-dir=${profile}`,
    `http://127.0.0.1:${server.address().port}/${page}`,
  ], { stdio: 'ignore' });
  try {
    const ended = new Promise((_, reject) => {
      chromium.on('error', reject);
      chromium.on('exit', (code) => reject(new Error(`Chromium has ended with ${code}`)));
    });
    return await Promise.race([heard, ended]);
  } finally {
    chromium.removeAllListeners();
    chromium.kill('SIGKILL');
    server.close();
    server.closeAllConnections();
    await new Promise((resolve) => chromium.exitCode !== null || chromium.signalCode ? resolve() : chromium.on('exit', resolve));
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
