import { QdrantClient, type Schemas } from '@qdrant/js-client-rest';
import { fullJitter, pause } from '@palimpsest/foundation';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { failureOf, Unfinished } from './failures.ts';
import type { ConnectionSettings } from './options.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
/** The least minor version of 1: conditional upserts are new in 16, frequencies of words in a part of a collection in 19. */
export type LeastVersion = 16 | 19;

/** `missing`: the collection does not exist. `exists`: it already exists. */
export type Outcome<T> = Readonly<{ is: 'done'; value: T }> | Readonly<{ is: 'missing' | 'exists' }>;

/**
 * The client with retries: back-off with full jitter, up to a total time. Every call may be repeated,
 * and may arrive twice: writes are keyed, and each carries the position that the stored one must not exceed.
 */
export class Connection {
  readonly #client: QdrantClient;
  readonly #settings: ConnectionSettings;
  readonly #least: LeastVersion;
  #version: Promise<void> | undefined;
  #closed = false;

  constructor(settings: ConnectionSettings, least: LeastVersion = 16) {
    this.#settings = settings;
    this.#least = least;
    const { protocol, hostname, pathname, apiKey, port } = settings;
    this.#client = new QdrantClient({
      url: `${protocol}//${hostname}${port === null ? '' : `:${port}`}`,
      port,
      ...(pathname === '' ? {} : { prefix: pathname }),
      headers: {
        // A server (1.18) sends a compressed answer in pieces, and each piece waits for the delayed acknowledgement of the last: 40 ms a search.
        'accept-encoding': 'identity',
        // As a header: with `apiKey`, the client writes to the console if the connection is not encrypted.
        ...(apiKey === undefined ? {} : { 'api-key': apiKey }),
      },
      timeout: settings.timeoutMs,
      checkCompatibility: false,
    });
  }

  /** @throws Unavailable when the server did not answer in time, or the index was closed; StoreRefused */
  async read<T>(what: string, ask: (client: QdrantClient) => Promise<T>): Promise<T | undefined> {
    const outcome = await this.#attempt(what, ask, this.#settings.readRetryMs);
    return outcome.is === 'done' ? outcome.value : undefined;
  }

  async write<T>(what: string, ask: (client: QdrantClient) => Promise<T>): Promise<Outcome<T>> {
    return this.#attempt(what, ask, this.#settings.writeRetryMs);
  }

  /** Waits for the update. @returns whether the collection exists */
  async update(what: string, ask: (client: QdrantClient) => Promise<Schemas['UpdateResult']>): Promise<boolean> {
    const outcome = await this.write(what, async (client) => {
      const { status } = await ask(client);
      // `acknowledged` or `wait_timeout`: the server will apply it, but a search may not see it yet.
      if (status !== 'completed') throw new Unfinished(`the server returned the status ${status}`);
    });
    return outcome.is === 'done';
  }

  /**
   * Called before the first write: an older server would ignore the condition of a write, and let an older position
   * overwrite a newer one, or count words over all scopes. Repeated only if the request failed.
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
    const version = await this.write('reading the version', async (client) => (await client.api().root({})).data.version);
    const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version.is === 'done' ? version.value : '') ?? [];
    if (!(Number(major) > 1 || (Number(major) === 1 && Number(minor) >= this.#least)))
      throw new InvalidValue(
        'url',
        `a Qdrant server of version 1.${this.#least} or newer`,
        version.is === 'done' ? version.value : undefined,
      );
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
        const pauseMs = Math.max(failure.afterMs, fullJitter(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
        if (performance.now() + pauseMs > until) throw failure.error;
        await pause(pauseMs);
      }
    }
  }
}
