import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, ProblemError } from '@palimpsest/client';
import type { DocumentFields, PalimpsestClient, RetryNotice, Submission } from '@palimpsest/client';
import { runAll } from '../run-all.ts';
import type { SourceFile } from './collect-files.ts';
import { OutOfPatience, Patience } from './patience.ts';

/** The outcome of one upload. `notAccepted`: the server accepted nothing until the time limit. */
export type Upload =
  | Readonly<{ outcome: 'accepted' | 'skipped'; file: SourceFile; documentId: string; version: number }>
  | Readonly<{ outcome: 'failed' | 'notAccepted'; file: SourceFile; code: string; detail: string }>;

export type UploadOptions = Readonly<{
  concurrency: number;
  /** How long to keep trying while the server accepts nothing. */
  retryForMs: number;
  signal: AbortSignal;
  onUpload: (upload: Upload) => void;
  /** Called before each wait, with a short reason. */
  onWait: (why: string, delayMs: number) => void;
}>;

/** Refusals that do not depend on the file: the next file would be refused as well. */
const FATAL = new Set([401, 403, 404]);
/** Temporary rejections of one file of an accepted request. */
const TEMPORARY = new Set(['Overloaded', 'RateLimited', 'Unavailable', 'NotCaughtUp']);

/**
 * Sends each file in its own request, so that a refused file does not affect the others. While the server is busy or unavailable, the
 * request is repeated: sending a file twice is harmless.
 * @throws ProblemError when the server would accept no file; files that were accepted stay accepted
 */
export const uploadFiles = async (
  client: PalimpsestClient,
  files: readonly SourceFile[],
  fields: DocumentFields,
  options: UploadOptions,
): Promise<readonly Upload[]> => {
  const patience = new Patience(options.retryForMs);
  const sender = new FileSender(client, fields, patience, options);
  try {
    return await runAll(files, options.concurrency, async (file) => {
      const upload = await sender.send(file);
      options.onUpload(upload);
      return upload;
    });
  } finally {
    patience.accepted();
  }
};

class FileSender {
  readonly #client: PalimpsestClient;
  readonly #fields: DocumentFields;
  readonly #patience: Patience;
  readonly #options: UploadOptions;
  readonly #signal: AbortSignal;

  constructor(client: PalimpsestClient, fields: DocumentFields, patience: Patience, options: UploadOptions) {
    this.#client = client;
    this.#fields = fields;
    this.#patience = patience;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, patience.signal]);
  }

  async send(file: SourceFile): Promise<Upload> {
    const { signal } = this.#options;
    let content: Uint8Array;
    try {
      content = await readFile(file.path, { signal });
    } catch (error) {
      signal.throwIfAborted();
      return { outcome: 'failed', file, code: 'Unreadable', detail: (error as Error).message };
    }
    try {
      return await this.#sendUntilAnswered(file, content);
    } catch (error) {
      if (error instanceof OutOfPatience) return { outcome: 'notAccepted', file, ...this.#patience.reason };
      if (!(error instanceof ProblemError) || FATAL.has(error.status)) throw error;
      return { outcome: 'failed', file, code: error.code, detail: error.detail };
    }
  }

  /** The client retries when the whole request is refused. A file that was rejected inside an accepted request is retried here. */
  async #sendUntilAnswered(file: SourceFile, content: Uint8Array): Promise<Upload> {
    let resent = false;
    const onRetry = ({ status, delayMs }: RetryNotice): void => {
      resent = true;
      const busy = status === 429;
      this.#wait(busy ? 'Overloaded' : 'Unavailable', busy ? 'the server is busy' : 'the server is not available', delayMs);
    };
    for (;;) {
      const answer = await this.#upload(file, content, onRetry);
      if (answer !== 'unreachable' && !(answer?.status === 'rejected' && TEMPORARY.has(answer.error.code))) {
        this.#patience.accepted();
        return uploadFrom(file, answer, resent);
      }
      resent = true;
      const delayMs = 500 + Math.random() * 1500;
      if (answer === 'unreachable') this.#wait('ConnectionFailed', 'the server cannot be reached', delayMs);
      else this.#wait(answer.error.code, answer.error.detail, delayMs);
      await sleep(delayMs, undefined, { signal: this.#signal }).catch(() => this.#signal.throwIfAborted());
    }
  }

  async #upload(
    file: SourceFile,
    content: Uint8Array,
    onRetry: (notice: RetryNotice) => void,
  ): Promise<Submission | undefined | 'unreachable'> {
    try {
      const { documents } = await this.#client.documents.upload([{ name: file.sourceId, content }], this.#fields, {
        signal: this.#signal,
        onRetry,
      });
      return documents[0];
    } catch (error) {
      if (error instanceof ConnectionError) return 'unreachable';
      throw error;
    }
  }

  #wait(code: string, why: string, delayMs: number): void {
    this.#patience.refused(code, why);
    this.#options.onWait(why, delayMs);
  }
}

/** `resent`: the file was sent more than once. An attempt without a response may have been accepted; the next one is then skipped. */
const uploadFrom = (file: SourceFile, submission: Submission | undefined, resent: boolean): Upload => {
  if (submission === undefined) return { outcome: 'failed', file, code: 'NoAnswer', detail: 'the server returned no result for the file' };
  if (submission.status === 'rejected') return { outcome: 'failed', file, ...submission.error };
  // The server skips bytes that it failed to read before. Nothing was done, but the user has to know.
  if (submission.status === 'skipped' && submission.error) return { outcome: 'failed', file, ...submission.error };
  const outcome = resent ? 'accepted' : submission.status;
  return { outcome, file, documentId: submission.documentId, version: submission.version };
};
