import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Time limit until a server reports that it is ready. A JVM on a busy machine is slow. */
const READY_MS = 120_000;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/**
 * A test server in its own process: `node tools/<tool>/main.mjs <args>`. It prints `ready <address>` when it listens and stores all
 * its data in the folder that its arguments name, so that it can be killed and started again.
 */
export class ServerProcess {
  readonly #script: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #lines: Record<string, string> = {};

  private constructor(script: string, args: readonly string[]) {
    this.#script = script;
    this.#args = args;
  }

  /** `tool`: a folder under `tools/`. Resolves when the server is ready. @throws Error with its stderr if it is not */
  static async start(tool: string, args: readonly string[]): Promise<ServerProcess> {
    const server = new ServerProcess(fileURLToPath(new URL(`../../../tools/${tool}/main.mjs`, import.meta.url)), args);
    await server.restart();
    return server;
  }

  /** The text after `ready`. */
  get address(): string {
    return this.line('ready');
  }

  /** The text after `word` at the start of a line; `''` if none was printed. */
  line(word: string): string {
    return this.#lines[word] ?? '';
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Kills it if it runs, and starts it again with the same arguments and data. */
  async restart(): Promise<void> {
    await this.kill();
    const child = spawn(process.execPath, [this.#script, ...this.#args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#lines = {};
    running.add(child);
    child.once('close', () => running.delete(child));
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4_000)));
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${this.#script} ${why}: ${errors}`));
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail('is not ready in time');
      }, READY_MS);
      child.once('close', () => {
        clearTimeout(timer);
        fail('ended');
      });
      let unfinished = '';
      child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        const lines = (unfinished + text).split('\n');
        unfinished = lines.pop() ?? '';
        for (const line of lines) {
          const [word = '', ...rest] = line.split(' ');
          this.#lines[word] = rest.join(' ');
        }
        if (this.#lines['ready'] === undefined) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** SIGSTOP: it keeps its connections but does not answer until `thaw`. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }
}
