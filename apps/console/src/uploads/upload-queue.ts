import pLimit from 'p-limit';
import type { Submission } from '@palimpsest/client';

/** The state of one upload. */
export type UploadState =
  | Readonly<{ is: 'waiting' }>
  | Readonly<{ is: 'sending'; sent: number; total: number }>
  /** The server asked to retry later. */
  | Readonly<{ is: 'busy'; delayMs: number }>
  | Readonly<{ is: 'answered'; submission: Submission }>
  | Readonly<{ is: 'refused'; error: unknown }>
  | Readonly<{ is: 'cancelled' }>;

export type Upload = Readonly<{ id: number; name: string; bytes: number; knowledgeBase: string; state: UploadState }>;

/** A file with the name of its document: a path if a folder was chosen. */
export type NamedFile = Readonly<{ name: string; file: Blob }>;

export type Sending = Readonly<{
  signal: AbortSignal;
  onProgress: (sent: number, total: number) => void;
  onBusy: (delayMs: number) => void;
}>;
export type SendFile = (file: NamedFile, knowledgeBase: string, sending: Sending) => Promise<Submission>;

/** Uploads at the same time. More would only wait at the server and occupy the browser's few connections. */
const PARALLEL = 3;

const OVER: ReadonlySet<UploadState['is']> = new Set(['answered', 'refused', 'cancelled']);
export const isOver = ({ state }: Pick<Upload, 'state'>): boolean => OVER.has(state.is);

/** The uploads, in the order in which their files were chosen. The queue lives as long as the session, on whatever page the user is. */
export class UploadQueue {
  readonly #send: SendFile;
  readonly #limit = pLimit(PARALLEL);
  readonly #files = new Map<number, NamedFile>();
  readonly #aborts = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  #uploads: readonly Upload[] = [];
  #lastId = 0;

  constructor(send: SendFile) {
    this.#send = send;
  }

  readonly snapshot = (): readonly Upload[] => this.#uploads;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  add(files: readonly NamedFile[], knowledgeBase: string): void {
    const added = files.map((file) => ({
      id: ++this.#lastId,
      name: file.name,
      bytes: file.file.size,
      knowledgeBase,
      state: { is: 'waiting' } as const,
    }));
    added.forEach(({ id }, index) => this.#files.set(id, files[index] as NamedFile));
    this.#set([...this.#uploads, ...added]);
    for (const upload of added) this.#start(upload);
  }

  cancel(id: number): void {
    const upload = this.#uploads.find((each) => each.id === id);
    if (upload === undefined || isOver(upload)) return;
    this.#aborts.get(id)?.abort();
    this.#change(id, { is: 'cancelled' });
  }

  cancelAll(): void {
    for (const { id } of this.#uploads) this.cancel(id);
  }

  retry(id: number): void {
    const upload = this.#uploads.find((each) => each.id === id);
    if (upload === undefined || !this.#files.has(id) || !isOver(upload)) return;
    this.#change(id, { is: 'waiting' });
    this.#start(upload);
  }

  /** Removes finished uploads from the list. */
  clear(): void {
    for (const { id } of this.#uploads.filter(isOver)) this.#files.delete(id);
    this.#set(this.#uploads.filter((upload) => !isOver(upload)));
  }

  #start({ id, knowledgeBase }: Upload): void {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    void this.#limit(() => this.#run(id, knowledgeBase, abort));
  }

  async #run(id: number, knowledgeBase: string, { signal }: AbortController): Promise<void> {
    const file = this.#files.get(id);
    if (signal.aborted || file === undefined) return;
    const change = (state: UploadState): void => {
      if (!signal.aborted) this.#change(id, state);
    };
    change({ is: 'sending', sent: 0, total: file.file.size });
    try {
      const submission = await this.#send(file, knowledgeBase, {
        signal,
        onProgress: (sent, total) => change({ is: 'sending', sent, total }),
        onBusy: (delayMs) => change({ is: 'busy', delayMs }),
      });
      change({ is: 'answered', submission });
      // An accepted file is never sent again, so its bytes can be released.
      if (submission.status !== 'rejected') this.#files.delete(id);
    } catch (error) {
      change({ is: 'refused', error });
    }
  }

  #change(id: number, state: UploadState): void {
    this.#set(this.#uploads.map((upload) => (upload.id === id ? { ...upload, state } : upload)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    for (const listener of this.#listeners) listener();
  }
}
