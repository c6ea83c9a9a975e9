import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PalimpsestClient } from '@palimpsest/client';
import { type Answer, type Asking, ask } from './ask.ts';
import { eventually, pause } from './eventually.ts';
import { afterSuite } from './tidy-up.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** How a process ended, and everything it wrote. */
export type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
export type Settings = Readonly<Record<string, string>>;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A folder that is gone after the suite. */
export const aDataFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-e2e-'));
  afterSuite(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
};

/** The environment of a test run must not configure the process under test. */
const environment = (data: string, settings: Settings): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_') && name !== 'NODE_OPTIONS');
  return { ...Object.fromEntries(inherited), PALIMPSEST_DATA: data, PALIMPSEST_PORT: '0', PALIMPSEST_SAMPLES: 'false', ...settings };
};

class Process {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(data: string, settings: Settings) {
    this.child = spawn(process.execPath, [MAIN], { env: environment(data, settings), stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(this.child);
    afterSuite(() => (this.child.kill('SIGKILL'), this.ended));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      running.delete(this.child);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout: this.stdout, stderr: this.stderr };
    });
  }
}

/** Starts the platform where it is expected to refuse, and tells how it ended. */
export const startRefused = (data: string, settings: Settings = {}): Promise<Ended> => new Process(data, settings).ended;

/** SIGKILL at some moment of a start: what it was about to do (open a file, replay, listen) is cut off. */
export const killWhileStarting = async (data: string, settings: Settings, afterMs: number): Promise<void> => {
  const started = new Process(data, settings);
  await pause(afterMs);
  started.child.kill('SIGKILL');
  await started.ended;
};

/** The real process on its own folder: `node dist/main.js`, as an operator starts it. */
export class PlatformUnderTest {
  readonly data: string;
  readonly url: string;
  /** The key that the process left for clients on this machine: admin and operator. */
  readonly key: string;
  readonly client: PalimpsestClient;
  readonly #process: Process;

  private constructor(running: Process, data: string, url: string, key: string) {
    this.#process = running;
    this.data = data;
    this.url = url;
    this.key = key;
    this.client = this.as(key);
  }

  /** Resolves when the process listens; `ready` waits until its read models have caught up, too. */
  static async start(data: string, settings: Settings = {}, { ready = true } = {}): Promise<PlatformUnderTest> {
    const started = new Process(data, settings);
    let over = false;
    void started.ended.then(() => (over = true));
    const listening = await eventually('the process listens', () => {
      if (over) throw new Error(`the platform ended while starting: ${started.stderr}`);
      return Promise.resolve(/ listens on (\S+)/.exec(started.stdout) ?? undefined);
    });
    const key = (await readFile(join(data, 'keys', 'local-api-key'), 'utf8')).trim();
    const platform = new PlatformUnderTest(started, data, listening[1] ?? '', key);
    if (ready) await eventually('the platform is ready', async () => (await platform.ask('GET /health/ready')).status === 200 || undefined);
    return platform;
  }

  get stderr(): string {
    return this.#process.stderr;
  }

  get pid(): number {
    return this.#process.child.pid ?? 0;
  }

  as(apiKey: string, options: Readonly<{ retries?: number }> = {}): PalimpsestClient {
    return new PalimpsestClient({ url: this.url, apiKey, ...options });
  }

  /** A request as it is, with the local key unless told otherwise: `ask('GET /v1/status')`. */
  ask(route: string, asking: Asking = {}): Promise<Answer> {
    return ask(this.url, route, { key: this.key, ...asking });
  }

  /** SIGTERM, and how it ended. */
  async stop(): Promise<Ended> {
    this.#process.child.kill('SIGTERM');
    return this.#process.ended;
  }

  /** SIGKILL; nothing is tidied up. */
  async kill(): Promise<Ended> {
    this.#process.child.kill('SIGKILL');
    return this.#process.ended;
  }
}
