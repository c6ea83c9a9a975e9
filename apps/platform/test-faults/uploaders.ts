import { basename } from 'node:path';
import type { Submission } from '@palimpsest/client';
import { pause } from '../test/eventually.ts';
import { answerTo, WrongAnswers } from './answers.ts';
import { Journal } from './journal.ts';
import type { Tenant, Upload } from './uploads.ts';

const AGAIN_MS = 300;

/** Sends documents until each is acknowledged, through whatever happens, and keeps the journal. */
export class Uploaders {
  readonly journal: Journal;
  readonly wrong = new WrongAnswers();
  readonly #url: string;
  readonly #keys: Readonly<Record<Tenant, string>>;

  constructor(url: string, keys: Readonly<Record<Tenant, string>>, journal = new Journal()) {
    [this.#url, this.#keys, this.journal] = [url, keys, journal];
  }

  /** Once; answers whether it was acknowledged. To one replica, if told so. */
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

  /** Until it is acknowledged, or nobody cares any more. */
  async deliver(upload: Upload, over: () => boolean): Promise<void> {
    while (!over() && !(await this.send(upload))) await pause(AGAIN_MS);
  }
}

/** Hands uploads out to several uploaders, as far as they are released, so that there is work amid every fault. */
export class Released {
  readonly #uploads: readonly Upload[];
  #next = 0;
  #released = 0;

  constructor(uploads: readonly Upload[]) {
    this.#uploads = uploads;
  }

  /** From now on this share of all (0 to 1) may be sent. */
  upTo(share: number): void {
    this.#released = Math.max(this.#released, Math.ceil(share * this.#uploads.length));
  }

  async deliverAll(uploaders: Uploaders, atOnce: number, over: () => boolean): Promise<void> {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (!over() && this.#next < this.#uploads.length) {
          const upload = this.#next < this.#released ? this.#uploads[this.#next++] : undefined;
          if (upload === undefined) await pause(100);
          else await uploaders.deliver(upload, over);
        }
      }),
    );
  }
}
