import { rename, rm, writeFile } from 'node:fs/promises';
import { NONCE, proofOf, type ServerRecord } from '@palimpsest/backup/local-server';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge';

/** What the data folder says of the server that runs on it: where it is, and a proof for a client that finds it there. */
export class LocalServer {
  readonly #file: string;
  readonly #key: string;
  #url: string | undefined;

  constructor(file: string, key: string) {
    this.#file = file;
    this.#key = key;
  }

  /** Takes away what a process that died left: its address may be somebody else's now. Only who holds the folder may do that. */
  static forget(file: string): Promise<void> {
    return rm(file, { force: true });
  }

  /** To be called when it listens. The file is there as a whole or not at all. */
  async announce(url: string): Promise<void> {
    this.#url = url;
    const record: ServerRecord = { url, pid: process.pid, startedAt: new Date().toISOString() };
    await writeFile(`${this.#file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  withdraw(): Promise<void> {
    return LocalServer.forget(this.#file);
  }

  /** @throws InvalidValue, or Unavailable before it was announced */
  proof(nonce: unknown): string {
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) throw new InvalidValue('nonce', '64 hexadecimal digits', nonce);
    if (this.#url === undefined) throw new Unavailable('the server is starting');
    return proofOf(this.#key, this.#url, nonce);
  }
}
