import { ProblemError } from './errors.ts';
import { pause } from './retry.ts';
import type { DocumentView, StatusView } from '@palimpsest/contracts/http';

/** A submitted document. With a version, older versions that are still shown do not count. */
export type Awaited = Readonly<{ documentId: string; version?: number | undefined }>;

export type WaitProgress = Readonly<{ settled: number; total: number; failed: number }>;

export type WaitOptions = Readonly<{
  onProgress?: ((progress: WaitProgress) => void) | undefined;
  /** Default 500. */
  pollMs?: number | undefined;
  signal?: AbortSignal | undefined;
}>;

export type WaitResult = Readonly<{
  /** Each document as it was when it became `indexed` or `failed`. */
  documents: readonly DocumentView[];
  /** Ids of the documents that were deleted while waiting. */
  gone: readonly string[];
}>;

const POLL_MS = 500;
/**
 * Each round polls this many documents from the head, as the server works in order, and as many others in rotation, in case the head is
 * stuck.
 */
const WINDOW = 8;
/** A document may be unknown for a moment after it was accepted. After this time it is considered deleted. */
const GONE_AFTER_MS = 15_000;

type GetDocument = (documentId: string) => Promise<DocumentView>;

/** Waits until each document is indexed or failed. After a round in which a document settled, the next round starts immediately. */
export const waitForDocuments = async (
  getDocument: GetDocument,
  awaited: readonly Awaited[],
  options: WaitOptions,
): Promise<WaitResult> => {
  const { onProgress, pollMs = POLL_MS, signal } = options;
  const open = new Map(awaited.map((document) => [document.documentId, document]));
  const total = open.size;
  const settled: DocumentView[] = [];
  const gone: string[] = [];
  const missingSince = new Map<string, number>();
  let round = 0;

  const poll = async (document: Awaited): Promise<void> => {
    const view = await getOrUndefined(getDocument, document.documentId);
    if (view !== undefined && hasSettled(view, document)) settled.push(view);
    else if (view === undefined && missingFor(missingSince, document.documentId) > GONE_AFTER_MS) gone.push(document.documentId);
    else return;
    open.delete(document.documentId);
  };
  while (open.size > 0) {
    signal?.throwIfAborted();
    const before = open.size;
    await Promise.all(windowOf([...open.values()], round++).map(poll));
    onProgress?.({ settled: total - open.size, total, failed: settled.filter(({ status }) => status === 'failed').length });
    if (open.size === before) await pause(pollMs, signal);
  }
  return { documents: settled, gone };
};

/**
 * Waits until no document is pending or being processed. Documents held back by a paused knowledge base are not counted; they may wait
 * indefinitely.
 */
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
  const windows = Math.ceil(rest.length / WINDOW);
  const from = windows === 0 ? 0 : (round % windows) * WINDOW;
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

const getOrUndefined = async (getDocument: GetDocument, documentId: string): Promise<DocumentView | undefined> => {
  try {
    return await getDocument(documentId);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return undefined;
    throw error;
  }
};
