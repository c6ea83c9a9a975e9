import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PalimpsestClient } from '@palimpsest/client';
import { type Answer, type AskOptions, ask } from './ask.ts';
import { eventually } from '@palimpsest/test-kit/eventually';
import { distributedServers, startDistributed } from './distributed-under-test.ts';
import { sessionFetch } from './session-fetch.ts';
import { afterSuite } from './tidy-up.ts';

const MAIN = fileURLToPath(new URL('../../../apps/platform/dist/main.js', import.meta.url));

/** How a process ended, and everything it wrote. */
export type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
export type Settings = Readonly<Record<string, string>>;

/** A start may take long on a busy machine. The timeout of the test applies if it is shorter. */
const START_MS = 180_000;

/** The running processes, each with its folder. */
const running = new Map<ChildProcess, string>();
process.on('exit', () => running.forEach((_, child) => child.kill('SIGKILL')));

/** A folder that is removed after the suite. */
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
    running.set(this.child, data);
    afterSuite(() => (this.child.kill('SIGKILL'), this.ended));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      running.delete(this.child);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout: this.stdout, stderr: this.stderr };
    });
  }
}

/** Starts a platform that is expected to refuse the start, and returns how it ended. */
export const startRefused = (data: string, settings: Settings = {}): Promise<Ended> => new Process(data, settings).ended;

/** A running platform: one process on its own folder, or three services on servers. */
type Running = Readonly<{
  url: string;
  key: string;
  pid: number;
  output: () => string;
  stop: () => Promise<Ended>;
  kill: () => Promise<Ended>;
}>;

/** `node dist/main.js`, as an operator starts it. */
const startEmbedded = async (data: string, settings: Settings): Promise<Running> => {
  const started = new Process(data, settings);
  let hasEnded = false;
  void started.ended.then(() => (hasEnded = true));
  const listening = await eventually(
    'the process listens',
    () => {
      if (hasEnded) throw new Error(`the platform ended while starting: ${started.stderr}`);
      return Promise.resolve(/ listens on (\S+)/.exec(started.stdout) ?? undefined);
    },
    START_MS,
  );
  const end = (signal: NodeJS.Signals) => (): Promise<Ended> => (started.child.kill(signal), started.ended);
  return {
    url: listening[1] ?? '',
    key: (await readFile(join(data, 'keys', 'local-api-key'), 'utf8')).trim(),
    pid: started.child.pid ?? 0,
    output: () => started.stderr,
    stop: end('SIGTERM'),
    kill: end('SIGKILL'),
  };
};

/** With `npm run test:distributed`, the same suite runs on an installation of services. */
export const DISTRIBUTED = distributedServers() !== undefined;

/**
 * The platform as its users see it. Its key is the local API key, with the roles admin and operator. All requests through this object
 * see what earlier ones wrote, whichever process answers.
 */
export class PlatformUnderTest {
  readonly data: string;
  readonly url: string;
  readonly key: string;
  readonly client: PalimpsestClient;
  readonly #running: Running;
  readonly #fetch = sessionFetch();

  private constructor(running: Running, data: string) {
    this.#running = running;
    this.data = data;
    this.url = running.url;
    this.key = running.key;
    this.client = this.as(this.key);
  }

  /** Resolves when the platform listens; with `ready`, also when its read models have caught up. */
  static async start(data: string, settings: Settings = {}, { ready = true } = {}): Promise<PlatformUnderTest> {
    const servers = distributedServers();
    const platform = new PlatformUnderTest(
      servers ? await startDistributed(servers, data, settings) : await startEmbedded(data, settings),
      data,
    );
    if (ready)
      await eventually(
        'the platform is ready',
        async () => (await platform.ask('GET /health/ready')).status === 200 || undefined,
        START_MS,
      );
    return platform;
  }

  /** Kills all processes that still run on a folder, for example after a failed start. */
  static async killAllOn(data: string): Promise<void> {
    for (const [child, folder] of [...running]) {
      if (folder !== data) continue;
      child.kill('SIGKILL');
      await eventually('it is gone', () => Promise.resolve(running.has(child) ? undefined : true));
    }
  }

  get stderr(): string {
    return this.#running.output();
  }

  get pid(): number {
    return this.#running.pid;
  }

  as(apiKey: string, options: Readonly<{ retries?: number }> = {}): PalimpsestClient {
    return new PalimpsestClient({ url: this.url, apiKey, fetch: this.#fetch, ...options });
  }

  /** Sends a plain request, by default with the local key: `ask('GET /v1/status')`. */
  ask(route: string, options: AskOptions = {}): Promise<Answer> {
    return ask(this.url, route, { key: this.key, fetch: this.#fetch, ...options });
  }

  /** Sends SIGTERM and returns how the process ended. */
  stop(): Promise<Ended> {
    return this.#running.stop();
  }

  /** Sends SIGKILL: the process cannot clean up. */
  kill(): Promise<Ended> {
    return this.#running.kill();
  }
}
