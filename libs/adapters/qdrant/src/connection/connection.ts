import { setTimeout as sleep } from 'node:timers/promises';
import { QdrantClient, type Schemas } from '@qdrant/js-client-rest';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge';
import { failureOf, Unfinished } from './failures.ts';
import type { ConnectionSettings } from './options.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
/** The first that knows conditional upserts. */
const LEAST = { major: 1, minor: 16 };

/** `missing`: there is no such collection. `exists`: there is one already. */
export type Outcome<T> = Readonly<{ is: 'done'; value: T }> | Readonly<{ is: 'missing' | 'exists' }>;

/**
 * The client with retries: back-off with full jitter, up to a total time. Everything that goes through here may be repeated,
 * and arrive twice: writes are keyed, and each carries the position that the stored one must not have passed.
 */
export class Connection {
  readonly #client: QdrantClient;
  readonly #settings: ConnectionSettings;
  #version: Promise<void> | undefined;
  #closed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    const { protocol, hostname, pathname, apiKey, port } = settings;
    this.#client = new QdrantClient({
      url: `${protocol}//${hostname}${port === null ? '' : `:${port}`}`,
      port,
      ...(pathname === '' ? {} : { prefix: pathname }),
      headers: {
        // Compressed, a server (1.18) writes an answer in pieces, and each next one waits for the delayed acknowledgement of the last: 40 ms a search.
        'accept-encoding': 'identity',
        // As a header: given as `apiKey`, the client writes on the console when the connection is not encrypted.
        ...(apiKey === undefined ? {} : { 'api-key': apiKey }),
      },
      timeout: settings.timeoutMs,
      checkCompatibility: false,
    });
  }

  /** @throws Unavailable when the server did not answer in time, or was closed; Forbidden; InvalidValue for what it refuses */
  async read<T>(what: string, ask: (client: QdrantClient) => Promise<T>): Promise<T | undefined> {
    const outcome = await this.#attempt(what, ask, this.#settings.readRetryMs);
    return outcome.is === 'done' ? outcome.value : undefined;
  }

  async write<T>(what: string, ask: (client: QdrantClient) => Promise<T>): Promise<Outcome<T>> {
    return this.#attempt(what, ask, this.#settings.writeRetryMs);
  }

  /** An update that is waited for. @returns whether there was a collection to update */
  async update(what: string, ask: (client: QdrantClient) => Promise<Schemas['UpdateResult']>): Promise<boolean> {
    const outcome = await this.write(what, async (client) => {
      const { status } = await ask(client);
      // `acknowledged` or `wait_timeout`: it will be done, but a search may not see it yet.
      if (status !== 'completed') throw new Unfinished(`the server says ${status}`);
    });
    return outcome.is === 'done';
  }

  /**
   * Before the first write: an older server would not know the condition of a write, ignore it, and let an older position
   * overwrite a newer one. Asked again only after it could not be asked.
   * @throws InvalidValue
   */
  requireVersion(): Promise<void> {
    this.#version ??= this.#checkVersion().catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  close(): void {
    this.#closed = true;
  }

  async #checkVersion(): Promise<void> {
    const version = await this.write('asking for the version', async (client) => (await client.api().root({})).data.version);
    const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version.is === 'done' ? version.value : '') ?? [];
    if (!(Number(major) > LEAST.major || (Number(major) === LEAST.major && Number(minor) >= LEAST.minor)))
      throw new InvalidValue('url', `a Qdrant server of version ${LEAST.major}.${LEAST.minor} or newer`, version.is === 'done' ? version.value : undefined);
  }

  async #attempt<T>(what: string, ask: (client: QdrantClient) => Promise<T>, totalMs: number): Promise<Outcome<T>> {
    const until = performance.now() + totalMs;
    for (let failures = 0; ; failures++) {
      if (this.#closed) throw new Unavailable('the index is closed');
      try {
        return { is: 'done', value: await ask(this.#client) };
      } catch (error) {
        const failure = failureOf(what, error);
        if (failure === undefined) throw error;
        if (failure.kind === 'fatal') throw failure.error;
        if (failure.kind !== 'again') return { is: failure.kind };
        const pause = Math.max(failure.afterMs, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * Math.random());
        if (performance.now() + pause > until) throw failure.error;
        await sleep(pause);
      }
    }
  }
}
