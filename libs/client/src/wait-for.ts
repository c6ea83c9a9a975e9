import { ProblemError } from './errors.ts';
import { pause } from './retry.ts';
import type { DocumentView } from './views/documents.ts';
import type { StatusView } from './views/operations.ts';

/** A document that was submitted; with its version, an older one that is still shown does not count. */
export type Awaited = Readonly<{ documentId: string; version?: number | undefined }>;

export type WaitProgress = Readonly<{ settled: number; total: number; failed: number }>;

export type WaitOptions = Readonly<{
  onProgress?: ((progress: WaitProgress) => void) | undefined;
  /** Default 500. */
  pollMs?: number | undefined;
  signal?: AbortSignal | undefined;
}>;

export type WaitResult = Readonly<{
  /** Each as it was when it came to rest: `indexed` or `failed`. */
  documents: readonly DocumentView[];
  /** Deleted while we waited. */
  gone: readonly string[];
}>;

const POLL_MS = 500;
/** Looked at in one go: so many from the head, for the server works in order, and as many in turn, should the head be stuck. */
const WINDOW = 8;
/** A document may be unknown for a moment after it was accepted; after this long it is taken for deleted. */
const GONE_AFTER_MS = 15_000;

type Look = (documentId: string) => Promise<DocumentView>;

/** Waits until each document is indexed or failed. A round in which something settled is followed by the next at once. */
export const waitForDocuments = async (look: Look, awaited: readonly Awaited[], options: WaitOptions): Promise<WaitResult> => {
  const { onProgress, pollMs = POLL_MS, signal } = options;
  const open = new Map(awaited.map((document) => [document.documentId, document]));
  const total = open.size;
  const settled: DocumentView[] = [];
  const gone: string[] = [];
  const missingSince = new Map<string, number>();
  let round = 0;

  const lookAt = async (document: Awaited): Promise<void> => {
    const view = await lookOrMissing(look, document.documentId);
    if (view !== undefined && hasSettled(view, document)) settled.push(view);
    else if (view === undefined && missingFor(missingSince, document.documentId) > GONE_AFTER_MS) gone.push(document.documentId);
    else return;
    open.delete(document.documentId);
  };
  while (open.size > 0) {
    signal?.throwIfAborted();
    const before = open.size;
    await Promise.all(windowOf([...open.values()], round++).map(lookAt));
    onProgress?.({ settled: total - open.size, total, failed: settled.filter(({ status }) => status === 'failed').length });
    if (open.size === before) await pause(pollMs, signal);
  }
  return { documents: settled, gone };
};

/** Waits until no document at all is pending or being processed; those of paused knowledge bases may wait for ever, and are left out. */
export const waitForAll = async (status: () => Promise<StatusView>, options: WaitOptions): Promise<StatusView['documents']> => {
  const { onProgress, pollMs = POLL_MS, signal } = options;
  for (;;) {
    const { documents } = await status();
    const { pending, processing, failed, total, held = 0 } = documents;
    const waiting = pending + processing - held;
    onProgress?.({ settled: total - waiting, total, failed });
    if (waiting === 0) return documents;
    await pause(pollMs, signal);
  }
};

const windowOf = (open: readonly Awaited[], round: number): readonly Awaited[] => {
  const head = open.slice(0, WINDOW);
  const rest = open.slice(WINDOW);
  const turns = Math.ceil(rest.length / WINDOW);
  const from = turns === 0 ? 0 : (round % turns) * WINDOW;
  return [...head, ...rest.slice(from, from + WINDOW)];
};

const hasSettled = (view: DocumentView, { version = 0 }: Awaited): boolean =>
  view.version >= version && (view.status === 'indexed' || view.status === 'failed');

const missingFor = (since: Map<string, number>, documentId: string): number => {
  const now = Date.now();
  const first = since.get(documentId) ?? now;
  since.set(documentId, first);
  return now - first;
};

const lookOrMissing = async (look: Look, documentId: string): Promise<DocumentView | undefined> => {
  try {
    return await look(documentId);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return undefined;
    throw error;
  }
};
