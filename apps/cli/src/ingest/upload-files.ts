import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@palimpsest/client';
import type { DocumentFields, PalimpsestClient, Submission } from '@palimpsest/client';
import { runAll } from '../run-all.ts';
import type { SourceFile } from './collect-files.ts';

/** What became of one file when it was sent. */
export type Upload =
  | Readonly<{ outcome: 'accepted' | 'skipped'; file: SourceFile; documentId: string; version: number }>
  | Readonly<{ outcome: 'failed'; file: SourceFile; code: string; detail: string }>;

export type UploadOptions = Readonly<{ concurrency: number; signal: AbortSignal; onUpload: (upload: Upload) => void }>;

/** Refusals that concern the caller or the server as a whole: going on with the next file would only repeat them. */
const HOPELESS = new Set([401, 403, 404]);

/**
 * Sends each file by itself, so that one that is refused takes no other with it. A full queue is waited for.
 * @throws ProblemError or ConnectionError when no file would be accepted; files that were accepted stay accepted
 */
export const uploadFiles = (
  client: PalimpsestClient,
  files: readonly SourceFile[],
  fields: DocumentFields,
  { concurrency, signal, onUpload }: UploadOptions,
): Promise<readonly Upload[]> =>
  runAll(files, concurrency, async (file) => {
    const upload = await send(client, file, fields, signal);
    onUpload(upload);
    return upload;
  });

const send = async (client: PalimpsestClient, file: SourceFile, fields: DocumentFields, signal: AbortSignal): Promise<Upload> => {
  let content: Uint8Array;
  try {
    content = await readFile(file.path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'failed', file, code: 'Unreadable', detail: (error as Error).message };
  }
  try {
    return uploadFrom(file, await submitUntilAnswered(client, file.sourceId, content, fields, signal));
  } catch (error) {
    if (!(error instanceof ProblemError) || HOPELESS.has(error.status)) throw error;
    return { outcome: 'failed', file, code: error.code, detail: error.detail };
  }
};

/** The client waits when the whole request is refused; a file of an accepted request may still be told to come again. */
const submitUntilAnswered = async (
  client: PalimpsestClient,
  name: string,
  content: Uint8Array,
  fields: DocumentFields,
  signal: AbortSignal,
): Promise<Submission | undefined> => {
  for (;;) {
    const { documents } = await client.documents.upload([{ name, content }], fields, { signal });
    const [answer] = documents;
    if (answer?.status !== 'rejected' || answer.error.code !== 'Overloaded') return answer;
    await sleep(500 + Math.random() * 1500, undefined, { signal });
  }
};

const uploadFrom = (file: SourceFile, submission: Submission | undefined): Upload => {
  if (submission === undefined) return { outcome: 'failed', file, code: 'NoAnswer', detail: 'the server said nothing about it' };
  if (submission.status === 'rejected') return { outcome: 'failed', file, ...submission.error };
  // What the server skips since it could not read the same bytes before: nothing was done, but the user has to know.
  if (submission.status === 'skipped' && submission.error) return { outcome: 'failed', file, ...submission.error };
  return { outcome: submission.status, file, documentId: submission.documentId, version: submission.version };
};
