import { basename } from 'node:path';
import type { Submission } from '@palimpsest/client';
import { pause } from '@palimpsest/foundation';
import { answerTo, WrongAnswers } from './answers.ts';
import { Journal } from './journal.ts';
import type { Tenant, Upload } from './uploads.ts';

const RETRY_MS = 300;

/** Sends documents until each is acknowledged, whatever faults happen, and records the acknowledgements. */
export class Uploaders {
  readonly journal: Journal;
  readonly wrong = new WrongAnswers();
  readonly #url: string;
  readonly #keys: Readonly<Record<Tenant, string>>;

  constructor(url: string, keys: Readonly<Record<Tenant, string>>, journal = new Journal()) {
    [this.#url, this.#keys, this.journal] = [url, keys, journal];
  }

  /** Sends a document once, optionally to a specific replica. Returns whether it was acknowledged. */
  async send(upload: Upload, url = this.#url): Promise<boolean> {
    const { tenant, sourceId, content } = upload;
    const body = new FormData();
    body.append('sourceId', sourceId);
    body.append('file', new File([content()], basename(sourceId)));
    const answer = await answerTo(url, 'POST /v1/documents', { key: this.#keys[tenant], body });
    if (!this.wrong.judge(`upload of ${sourceId}`, answer, 202) || answer instanceof Error) return false;
    const [submitted] = (answer.json['documents'] ?? []) as readonly Submission[];
    if (submitted === undefined || submitted.status === 'rejected') {
      this.wrong.list.push(`upload of ${sourceId}: ${JSON.stringify(answer.json)}`);
      return true;
    }
    this.journal.add({ upload, documentId: submitted.documentId, version: submitted.version });
    return true;
  }

  /** Sends a document until it is acknowledged, or `isDone` returns true. */
  async deliver(upload: Upload, isDone: () => boolean): Promise<void> {
    while (!isDone() && !(await this.send(upload))) await pause(RETRY_MS);
  }
}

/** Distributes released uploads to several uploaders. The uploads are released step by step, so that there is work during every fault. */
export class Released {
  readonly #uploads: readonly Upload[];
  #next = 0;
  #released = 0;

  constructor(uploads: readonly Upload[]) {
    this.#uploads = uploads;
  }

  /** Releases this fraction of all uploads (0 to 1). */
  upTo(share: number): void {
    this.#released = Math.max(this.#released, Math.ceil(share * this.#uploads.length));
  }

  async deliverAll(uploaders: Uploaders, concurrency: number, isDone: () => boolean): Promise<void> {
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (!isDone() && this.#next < this.#uploads.length) {
          const upload = this.#next < this.#released ? this.#uploads[this.#next++] : undefined;
          if (upload === undefined) await pause(100);
          else await uploaders.deliver(upload, isDone);
        }
      }),
    );
  }
}
