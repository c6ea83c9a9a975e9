import { FakeServer } from '../test/fake-server.ts';
import type { WaitProgress } from './wait-for.ts';
import { PalimpsestClient } from './palimpsest-client.ts';

let server: FakeServer;
let client: PalimpsestClient;
beforeEach(async () => {
  server = await FakeServer.open();
  client = new PalimpsestClient({ url: server.url });
});
afterEach(() => server.close());

/** A server on which document `d<n>` reaches its final status at the nth request. */
const settlesAtRequest = (final: 'indexed' | 'failed') => {
  const requests = new Map<string, number>();
  server.answers(({ url }) => {
    const documentId = url.split('/').at(-1) ?? '';
    const count = (requests.get(documentId) ?? 0) + 1;
    requests.set(documentId, count);
    return { json: { documentId, version: 1, status: count >= Number(documentId.slice(1)) ? final : 'processing' } };
  });
};

describe('Waiting for documents', () => {
  it('ends when each document is indexed or failed, and reports progress', async () => {
    settlesAtRequest('failed');
    const progress: WaitProgress[] = [];
    const awaited = [{ documentId: 'd1' }, { documentId: 'd2' }, { documentId: 'd3' }];
    const { documents, gone } = await client.waitFor(awaited, { pollMs: 1, onProgress: (at) => progress.push(at) });
    expect(documents.map(({ documentId }) => documentId)).toEqual(['d1', 'd2', 'd3']);
    expect(gone).toEqual([]);
    expect(progress.at(-1)).toEqual({ settled: 3, total: 3, failed: 3 });
  });

  it('is not misled by an older version that is still shown as indexed', async () => {
    server.answersInTurn(
      { json: { documentId: 'd', version: 1, status: 'indexed' } },
      { json: { documentId: 'd', version: 2, status: 'pending' } },
      { json: { documentId: 'd', version: 2, status: 'indexed' } },
    );
    const { documents } = await client.waitFor([{ documentId: 'd', version: 2 }], { pollMs: 1 });
    expect(documents).toMatchObject([{ version: 2, status: 'indexed' }]);
  });

  it('notices documents that settle behind others that are stuck', async () => {
    const stuck = 20;
    let released = false;
    server.answers(({ url }) => {
      const documentId = url.split('/').at(-1) ?? '';
      return { json: { documentId, version: 1, status: released || Number(documentId) >= stuck ? 'indexed' : 'processing' } };
    });
    const awaited = Array.from({ length: 60 }, (_, n) => ({ documentId: String(n) }));
    const { documents } = await client.waitFor(awaited, { pollMs: 1, onProgress: ({ settled }) => (released = settled >= 60 - stuck) });
    expect(documents).toHaveLength(60);
  });

  it('waits for a document that the catalog does not know yet', async () => {
    server.answersInTurn({ status: 404, json: { code: 'NotFound' } }, { json: { documentId: 'd', version: 1, status: 'indexed' } });
    const { documents } = await client.waitFor([{ documentId: 'd' }], { pollMs: 1 });
    expect(documents).toHaveLength(1);
  });

  it('rejects with any other error', async () => {
    server.answers(() => ({ status: 401, json: { code: 'Unauthorized', detail: 'no such key' } }));
    await expect(client.waitFor([{ documentId: 'd' }])).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('ends immediately when it is aborted', async () => {
    server.answers(() => ({ json: { documentId: 'd', version: 1, status: 'pending' } }));
    const abort = new AbortController();
    const waiting = client.waitFor([{ documentId: 'd' }], { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) });
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('Waiting for all', () => {
  it('does not wait for documents that a paused knowledge base holds back', async () => {
    server.answersInTurn(
      { json: { documents: { pending: 3, processing: 1, indexed: 1, failed: 0, total: 5, held: 3 } } },
      { json: { documents: { pending: 3, processing: 0, indexed: 2, failed: 0, total: 5, held: 3 } } },
    );
    expect((await client.waitForAll({ pollMs: 1 })).indexed).toBe(2);
  });
  it('ends when nothing is pending or being processed', async () => {
    const counts = (pending: number, processing: number) => ({
      json: { documents: { pending, processing, indexed: 5 - pending - processing, failed: 0, total: 5 } },
    });
    server.answersInTurn(counts(3, 1), counts(0, 1), counts(0, 0));
    const settled: number[] = [];
    expect(await client.waitForAll({ pollMs: 1, onProgress: (at) => settled.push(at.settled) })).toMatchObject({ indexed: 5 });
    expect(settled).toEqual([1, 4, 5]);
  });
});
