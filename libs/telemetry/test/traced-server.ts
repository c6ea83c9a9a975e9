import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { DEFAULT_TENANT, documentId } from '@palimpsest/knowledge/values';
import { InMemoryEventLog } from '@palimpsest/test-kit';
import type { Observer } from '../src/observer.ts';

const ID = documentId('0'.repeat(32));

export type TracedServer = Readonly<{
  /** Sends a request over the network, because a real connection affects the context of a trace. */
  ask: (path: string, init?: RequestInit) => Promise<Readonly<{ status: number; text: string }>>;
  events: () => Promise<readonly RecordedEvent[]>;
  stop: () => Promise<void>;
}>;

/** A server and an event log with an observer. `POST /documents/:name` reads a text and appends an event; `GET /broken` fails. */
export const aTracedServer = async (observer: Observer): Promise<TracedServer> => {
  const stored = new InMemoryEventLog({ now: () => Date.now() });
  const log = observer.eventLog(stored);
  const server = fastify();
  observer.requests(server);
  server.post<{ Params: { name: string }; Body: string }>('/documents/:name', async ({ params, body }) => {
    const data = { name: params.name, text: body };
    await log.append(
      documentStream(DEFAULT_TENANT, ID),
      [{ id: randomUUID(), type: 'DocumentSubmitted', data, metadata: {} }],
      'no-stream',
    );
    return { documentId: ID };
  });
  server.get('/broken', async () => {
    throw new Error('a secret text');
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  return {
    ask: async (path, init) => {
      const answer = await fetch(`${url}${path}`, init);
      return { status: answer.status, text: await answer.text() };
    },
    events: async () => {
      const all: RecordedEvent[] = [];
      for await (const event of stored.readAll()) all.push(event);
      return all;
    },
    stop: () => server.close(),
  };
};
