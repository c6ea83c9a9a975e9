import { rename, rm, writeFile } from 'node:fs/promises';
import { NONCE, proofOf, type ServerRecord } from '@palimpsest/backup/local-server';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';

/** Publishes the address of the running server in the data folder, and proves to clients that it is this server. */
export class LocalServer {
  readonly #file: string;
  #announced: Readonly<{ url: string; key: string }> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Call it when the server listens. The file is written atomically. `key`: the key that the server proves to know. */
  async announce(url: string, key: string): Promise<void> {
    this.#announced = { url, key };
    const record: ServerRecord = { url, pid: process.pid, startedAt: new Date().toISOString() };
    await writeFile(`${this.#file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  /** Removes the file, also that of a dead process, whose address may belong to another process now. Call it only while holding the folder. */
  withdraw(): Promise<void> {
    return rm(this.#file, { force: true });
  }

  /** @throws InvalidValue, or Unavailable before `announce` */
  proof(nonce: unknown): string {
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) throw new InvalidValue('nonce', '64 hexadecimal digits', nonce);
    if (this.#announced === undefined) throw new Unavailable('the server is starting');
    return proofOf(this.#announced.key, this.#announced.url, nonce);
  }
}
