import type { DocumentChange } from '@palimpsest/client';
import { EXIT } from '../failure.ts';
import { cut } from '../render/highlight.ts';
import type { Output } from '../render/output.ts';
import { refusedChunks } from '../render/refused-chunks.ts';
import type { Session } from '../session.ts';

type WatchOptions = Readonly<{ kb?: string; document?: string; after?: string }>;

/** Prints documents as they change, until interrupted. */
export const watchDocuments = async (session: Session, { kb, document, after }: WatchOptions): Promise<number> => {
  const { output, signal } = session;
  const changes = session.connect().documents.follow(
    { knowledgeBase: kb, document },
    {
      after,
      signal,
      onReconnect: ({ reason, delayMs }) => output.note(`the stream ended (${reason}); reconnecting in ${Math.ceil(delayMs / 1_000)} s`),
    },
  );
  for await (const change of changes) output.item(change, () => output.line(lineOf(output, change)));
  signal.throwIfAborted();
  return EXIT.ok;
};

const lineOf = ({ colors }: Output, { at, documentId, status, progress, document }: DocumentChange): string => {
  const state =
    status === 'failed' ? colors.red(`failed ${document?.reason ?? ''}`.trim()) : status === 'indexed' ? colors.green(status) : status;
  const chunks = progress
    ? ` ${progress.chunks}/${progress.of} chunks`
    : status === 'indexed'
      ? ` ${document?.chunks ?? 0} chunks${document ? refusedChunks(document) : ''}`
      : '';
  return `${at}  ${documentId}  ${state}${chunks}  ${cut(document?.sourceId ?? '', 80)}`.trimEnd();
};
