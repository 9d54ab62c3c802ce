// The packed package in an application, as bundlers make it, in Chromium. `cargo xtask web` installs
// the package and the bundlers into the folder that OPEN_TTT_BUNDLERS names.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { heardFrom } from './chromium.mjs';

const folder = process.env.OPEN_TTT_BUNDLERS;

const application = `
  import { Game, Player, loadAll, loadBook, loadNetwork } from 'open_ttt_web';
  import { Analyst } from 'open_ttt_web/analyst';

  async function play() {
    await loadAll();
    await loadBook('connect4');
    await loadNetwork('ttt');
    const four = new Game('connect4');
    const game = new Game('ttt');
    const values = await new Analyst().values('ttt', 'a1 b2 a2');
    return {
      perfect: new Player(four, 'perfect').choose(four),
      net: new Player(game, 'net:ttt').choose(game).length,
      best: values[0].move,
    };
  }

  const heard = await play().catch((error) => ({ error: String(error.stack) }));
  await fetch('/heard', { method: 'POST', body: JSON.stringify(heard) });
`;

const page = (script) => `<!doctype html><title>Test</title><script type="module" src="${script}"></script>`;

function bundled(name, ...options) {
  execFileSync(join(folder, 'node_modules/.bin', name), options, { cwd: folder, stdio: 'pipe' });
}

const BUNDLERS = {
  webpack(to) {
    bundled('webpack', '--mode', 'production', '--entry', './main.js', '-o', to);
    writeFileSync(join(folder, to, 'index.html'), page('./main.js'));
  },
  vite(to) {
    bundled('vite', 'build', '--outDir', to);
  },
  // It copies no files: the package's lie beside what it makes.
  esbuild(to) {
    bundled('esbuild', 'main.js', '--bundle', '--format=esm', `--outdir=${to}`);
    const files = join(folder, 'node_modules/open_ttt_web');
    for (const file of readdirSync(files)) copyFileSync(join(files, file), join(folder, to, file));
    writeFileSync(join(folder, to, 'index.html'), page('./main.js'));
  },
};

for (const [name, bundle] of Object.entries(BUNDLERS)) {
  test(`${name} makes an application that plays`, async () => {
    writeFileSync(join(folder, 'main.js'), application);
    writeFileSync(join(folder, 'index.html'), page('./main.js'));
    const to = `made-by-${name}`;
    rmSync(join(folder, to), { recursive: true, force: true });
    mkdirSync(join(folder, to));
    bundle(to);
    const result = await heardFrom(join(folder, to), 'index.html');
    assert.deepEqual(result, { perfect: '4', net: 2, best: 'a3' });
  });
}
