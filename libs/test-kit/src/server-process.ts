import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How long a server may take until it says that it is ready. A JVM on a busy machine needs its time. */
const READY_MS = 120_000;

/** What a server prints, a word at the start of a line: `ready <address>`, and whatever else it wants to tell. */
export type ServerLines = Readonly<Record<string, string>>;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/**
 * A test server as a process of its own: `node tools/<tool>/main.mjs <args>`. It prints `ready <address>` when it listens and
 * keeps all it has in the folder that its arguments name, so that it can be killed and started again.
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

  /** `tool`: a folder under `tools/`. Resolves when the server is ready. @throws Error with what it wrote when it is not */
  static async start(tool: string, args: readonly string[]): Promise<ServerProcess> {
    const server = new ServerProcess(fileURLToPath(new URL(`../../../tools/${tool}/main.mjs`, import.meta.url)), args);
    await server.restart();
    return server;
  }

  /** What followed `ready`. */
  get address(): string {
    return this.line('ready');
  }

  /** What followed `word` at the start of a line, `''` when there was no such line. */
  line(word: string): string {
    return this.#lines[word] ?? '';
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts it again with the same arguments, on what it left behind; and kills it first, if it runs. */
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
      const refuse = (why: string): void => reject(new Error(`${this.#script} ${why}: ${errors}`));
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        refuse('is not ready in time');
      }, READY_MS);
      child.once('close', () => {
        clearTimeout(timer);
        refuse('ended');
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

  /** SIGSTOP: it holds its connections and answers nothing, until `thaw`. */
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
