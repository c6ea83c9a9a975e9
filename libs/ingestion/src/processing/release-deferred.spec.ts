import { TOPICS } from '@palimpsest/contracts';
import { ServerAway } from '@palimpsest/knowledge/errors';
import type { Message } from '@palimpsest/knowledge/ports';
import { ReleaseDeferred } from './release-deferred.ts';

type Ports = ConstructorParameters<typeof ReleaseDeferred>[0];

describe('releasing documents that wait for a model', () => {
  it('reports that the bus is away, and publishes the documents when it is back', async () => {
    const failures: Error[] = [new ServerAway('no answer from Kafka')];
    const published: (readonly [string, readonly Message[]])[] = [];
    const faults: unknown[] = [];
    const stop = new AbortController();
    const scope = { tenant: 'acme', scope: 'deployment' };
    const ports = {
      catalog: {
        scopes: async () => [{ scope, generations: [{ status: 'active', embeddingVersion: 'a:b/1' }] }],
        deferredDocuments: async () => [{ documentId: 'd1', version: 1, deferredAt: '2026-01-01T00:00:00.000Z' }],
      },
      bus: {
        lag: async () => 0,
        publish: async (topic: string, messages: readonly Message[]) => {
          const failure = failures.shift();
          if (failure !== undefined) throw failure;
          published.push([topic, messages]);
          stop.abort();
        },
      },
      providers: { of: () => ({}) },
    } as unknown as Ports;
    await new ReleaseDeferred(ports, (error) => void faults.push(error)).keepLooking(stop.signal);
    expect(faults).toEqual([expect.any(ServerAway)]);
    expect(published).toEqual([[TOPICS.ingestion, [expect.objectContaining({ id: 'd1/1/2026-01-01T00:00:00.000Z', key: 'acme/d1' })]]]);
  });
});
