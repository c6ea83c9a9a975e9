import { QuotaExceeded, RateLimited } from '@palimpsest/knowledge/errors';
import { UNLIMITED, type QuotaPolicy } from '@palimpsest/knowledge/limits';
import { sourceId, type Position } from '@palimpsest/knowledge/values';
import { BASE, SCOPE, sections, World, WRITER } from '../../test/world.ts';

const QUOTA = new QuotaExceeded({ limit: 'chunks', allowed: 1, used: 0 }, '3 more requested');

/** A quota policy that records its calls, and whether reservations were committed or released. */
const recordingPolicy = (over: Partial<QuotaPolicy> = {}) => {
  const calls: string[] = [];
  const reservation = (what: string) => ({
    commit: (at: Position) => void calls.push(`${what} committed ${at > 0n}`),
    release: () => void calls.push(`${what} released`),
  });
  const quotaPolicy: QuotaPolicy = {
    ...UNLIMITED,
    request: async ({ actor }, kind) => void calls.push(`${kind} of ${actor}`),
    reserveDocument: async (tenant, _, bytes) => (calls.push(`${bytes} bytes for ${tenant}`), reservation('bytes')),
    reserveChunks: async (tenant, _, chunks) => (calls.push(`${chunks} chunks for ${tenant}`), reservation('chunks')),
    reserveKnowledgeBase: async (_, id) => (calls.push(`knowledge base ${id}`), reservation('knowledge base')),
    ...over,
  };
  return { calls, quotaPolicy };
};

describe('submitting within limits', () => {
  const begin = async (over: Partial<QuotaPolicy> = {}) => {
    const { calls, quotaPolicy } = recordingPolicy(over);
    const world = await new World().begin();
    world.quotaPolicy = quotaPolicy;
    return { calls, world };
  };

  it('counts a request once, and holds the reservation until the document is on the log', async () => {
    const { calls, world } = await begin();
    await world.submit('12345');
    expect(calls).toEqual(['writes of key-1', '5 bytes for acme', 'bytes committed true']);
  });

  it('reserves nothing for a skipped document or an existing knowledge base', async () => {
    const { calls, world } = await begin();
    await world.index(sections('One'));
    calls.splice(0);
    await world.submit(sections('One'));
    await world.knowledgeBases
      .create(WRITER, { id: BASE, scope: SCOPE.scope, settings: await settingsOf(world) }, 'r')
      .catch(() => undefined);
    expect(calls).toEqual(['writes of key-1']);
  });

  it('writes nothing if the request or the reservation is refused', async () => {
    for (const refusal of [new RateLimited('slow down', 3), QUOTA]) {
      const { world } = await begin(
        refusal === QUOTA ? { reserveDocument: async () => Promise.reject(refusal) } : { request: async () => Promise.reject(refusal) },
      );
      const before = await world.log.head();
      await expect(world.submit('Some text.')).rejects.toBe(refusal);
      expect(await world.log.head()).toBe(before);
    }
  });

  it('releases the reservation if the document does not reach the log', async () => {
    const { calls, world } = await begin();
    world.waiting = 1_000_000;
    await expect(world.submit('Some text.')).rejects.toThrow(/are waiting to be indexed/);
    expect(calls.at(-1)).toBe('bytes released');
  });

  it('fails a document that exceeds the chunk quota, without calling a model', async () => {
    const { world } = await begin({ reserveChunks: async () => Promise.reject(QUOTA) });
    const { documentId } = await world.index(sections('One', 'Two', 'Three'));
    expect(await world.state(documentId)).toMatchObject({
      status: 'failed',
      failure: { reason: 'quota-exceeded', detail: expect.stringContaining('this tenant allows 1 chunks') },
    });
    expect(world.embedded().size).toBe(0);
  });

  it('indexes the unchanged document when it is submitted again within the quota', async () => {
    const { calls, world } = await begin({ reserveChunks: async () => Promise.reject(QUOTA) });
    const text = sections('One', 'Two');
    const { documentId } = await world.index(text);
    world.quotaPolicy = recordingPolicy().quotaPolicy;
    expect(await world.index(text)).toMatchObject({ documentId, version: 2, status: 'accepted' });
    expect((await world.state(documentId)).status).toBe('indexed');
    expect(calls).toContain('writes of key-1');
  });

  it('commits the reservation of chunks when they are indexed', async () => {
    const { calls, world } = await begin();
    await world.index(sections('One', 'Two'), { sourceId: sourceId('two.md') });
    expect(calls.slice(-2)).toEqual(['2 chunks for acme', 'chunks committed true']);
  });
});

const settingsOf = async (world: World) => (await world.knowledgeBases.writable(WRITER, BASE)).settings;
