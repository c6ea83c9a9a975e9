import { Mutex } from '@palimpsest/foundation';
import { catalogThread } from './catalog-thread.ts';
import type { ReplacedScopes } from './replace-scopes.ts';

/** The background thread of a catalog that is deleted after use. It only copies rows: there is no write-ahead file, and no checksum. */
export class TemporaryCatalogWorker {
  readonly #worker: ReturnType<typeof catalogThread>;
  readonly #writing = new Mutex();

  constructor(path: string) {
    this.#worker = catalogThread({ path, isTemporary: true });
  }

  /** Writes when no rows are being copied. */
  async write(work: () => void): Promise<void> {
    await this.#writing.run(async () => work());
  }

  /** Replaces rows by those in another catalog file. Writers wait for it. */
  async replaceScopes(replaced: ReplacedScopes): Promise<void> {
    await this.#writing.run(() => this.#worker.call('replaceScopes', replaced));
  }

  close(): Promise<void> {
    return this.#worker.close();
  }
}
