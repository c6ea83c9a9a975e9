import { rename, rm, writeFile } from 'node:fs/promises';
import { NONCE, proofOf, type ServerRecord } from '@palimpsest/backup/local-server';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge';

/** Publishes the address of the running server in the data folder, and proves to clients that it is this server. */
export class LocalServer {
  readonly #file: string;
  readonly #key: string;
  #url: string | undefined;

  constructor(file: string, key: string) {
    this.#file = file;
    this.#key = key;
  }

  /** Removes the file of a dead process, whose address may belong to another process now. Call it only while holding the folder. */
  static forget(file: string): Promise<void> {
    return rm(file, { force: true });
  }

  /** Call it when the server listens. The file is written atomically. */
  async announce(url: string): Promise<void> {
    this.#url = url;
    const record: ServerRecord = { url, pid: process.pid, startedAt: new Date().toISOString() };
    await writeFile(`${this.#file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  withdraw(): Promise<void> {
    return LocalServer.forget(this.#file);
  }

  /** @throws InvalidValue, or Unavailable before `announce` */
  proof(nonce: unknown): string {
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) throw new InvalidValue('nonce', '64 hexadecimal digits', nonce);
    if (this.#url === undefined) throw new Unavailable('the server is starting');
    return proofOf(this.#key, this.#url, nonce);
  }
}
