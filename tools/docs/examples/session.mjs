/** A folder in which the commands of a document run as for a reader: `npm start`, `npx palimpsest`, and the shell. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot, PINNED_NODE } from '../../setup/workspace.mjs';

const DOCUMENTED = 'http://127.0.0.1:7330';
/** Sufficient for a start with samples on a busy machine. Anything that takes longer hangs. */
const PATIENCE_MS = 600_000;
const POLL_MS = 200;

export class ExampleSession {
  #folder = mkdtempSync(join(tmpdir(), 'palimpsest-docs-'));
  #platform;
  #url = DOCUMENTED;

  constructor() {
    for (const name of ['docs', 'node_modules']) symlinkSync(inRoot(name), join(this.#folder, name));
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec "${PINNED_NODE}" "${inRoot('apps/cli/dist/main.js')}" "$@"\n`);
    chmodSync(join(bin, 'npx'), 0o755);
  }

  /** The output of the commands on stdout and stderr, with the address that the documents name. */
  async run(script) {
    if (script.trim() === 'npm start') return this.#start();
    const output = await this.#shell(script.replaceAll(DOCUMENTED, this.#url));
    // If the example kills the platform, wait until it has ended before the next command.
    if (/\bkill\b/.test(script)) await this.#platform?.ended;
    return output.replaceAll(this.#url, DOCUMENTED);
  }

  async close() {
    this.#platform?.child.kill('SIGKILL');
    await this.#platform?.ended;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #start() {
    const child = spawn(PINNED_NODE, [inRoot('apps/platform/dist/main.js')], {
      cwd: this.#folder,
      env: this.#environment({ PALIMPSEST_PORT: '0' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const platform = { child, stdout: '', over: false, ended: undefined };
    platform.ended = new Promise((resolve) => child.once('close', () => ((platform.over = true), resolve())));
    child.stdout.setEncoding('utf8').on('data', (text) => (platform.stdout += text));
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    this.#platform = platform;
    await this.#until('the platform starts', () => {
      if (platform.over) throw new Error(`the platform ended: ${stderr}`);
      return /^Try: /m.test(platform.stdout);
    });
    this.#url = / listens on (\S+)/.exec(platform.stdout)[1];
    await this.#until('everything is indexed', () => this.#isSettled());
    return platform.stdout.replaceAll(this.#url, DOCUMENTED);
  }

  async #isSettled() {
    const key = readFileSync(join(this.#folder, '.palimpsest/keys/local-api-key'), 'utf8').trim();
    const response = await fetch(`${this.#url}/v1/status`, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) return false;
    const { ready, documents, projections } = await response.json();
    return ready && documents.pending + documents.processing === 0 && projections.every(({ lag }) => lag === 0);
  }

  async #until(what, holds) {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      if (await holds()) return;
      await sleep(POLL_MS);
    }
    throw new Error(`timed out waiting until ${what}`);
  }

  #shell(script) {
    return new Promise((resolve, reject) => {
      const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
        cwd: this.#folder,
        env: this.#environment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
      child.once('error', reject);
      child.once('close', () => resolve(output));
    });
  }

  /** Without the caller's own settings. */
  #environment(more = {}) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('PALIMPSEST_') && name !== 'NODE_OPTIONS' && name !== 'FORCE_COLOR',
    );
    return {
      ...Object.fromEntries(inherited),
      NO_COLOR: '1',
      ...more,
      PATH: [join(this.#folder, 'bin'), process.env.PATH].join(delimiter),
    };
  }
}
