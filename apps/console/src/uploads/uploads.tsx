import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { fetchWithProgress } from '@palimpsest/client';
import type { PalimpsestClient, ProgressRequest } from '@palimpsest/client';
import { useSession } from '../session/session.ts';
import { isOver, UploadQueue, type SendFile, type Upload } from './upload-queue.ts';

const QueueContext = createContext<UploadQueue | undefined>(undefined);

/** Sends one file per request, so that each file has its own progress and a bad one does not delay the others. */
const sendBy =
  (client: PalimpsestClient, signOut: () => void): SendFile =>
  async ({ name, file }, knowledgeBase, { signal, onProgress, onBusy }) => {
    const send = fetchWithProgress(
      () => new XMLHttpRequest() as unknown as ProgressRequest,
      ({ sent, total }) => onProgress(sent, total === 0 ? file.size : total),
    );
    const checked: typeof fetch = async (input, init) => {
      const response = await send(input, init);
      if (response.status === 401) signOut();
      return response;
    };
    // No limit on retries: the queue waits however long the server is busy, and the user decides when to cancel.
    const options = { signal, fetch: checked, retries: Infinity, onRetry: ({ delayMs }: { delayMs: number }) => onBusy(delayMs) };
    const { documents } = await client.documents.upload([{ name, content: file }], { knowledgeBase }, options);
    const [submission] = documents;
    if (submission === undefined) throw new Error('The server returned no result for the file.');
    return submission;
  };

/** Uploads continue while the user visits other pages, and end with the session. */
export function UploadsProvider({ children }: Readonly<{ children: ReactNode }>) {
  const { client, signOut } = useSession();
  const [queue] = useState(() => new UploadQueue(sendBy(client, signOut)));
  useEffect(() => () => queue.cancelAll(), [queue]);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (queue.snapshot().some((upload) => !isOver(upload))) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [queue]);
  return <QueueContext value={queue}>{children}</QueueContext>;
}

export const useUploads = (): Readonly<{ queue: UploadQueue; uploads: readonly Upload[] }> => {
  const queue = useContext(QueueContext);
  if (queue === undefined) throw new Error('useUploads is called outside of UploadsProvider');
  return { queue, uploads: useSyncExternalStore(queue.subscribe, queue.snapshot) };
};
