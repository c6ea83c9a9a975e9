import { QuotaExceeded, RateLimited, sourceId, UNLIMITED, type Admission, type Position } from '@palimpsest/knowledge';
import { BASE, SCOPE, sections, World, WRITER } from '../../test/world.ts';

const QUOTA = new QuotaExceeded({ limit: 'chunks', allowed: 1, used: 0 }, '3 more are asked for');

/** Tells what it was asked, and what became of the room that it gave. */
const watching = (over: Partial<Admission> = {}) => {
  const told: string[] = [];
  const hold = (what: string) => ({ taken: (at: Position) => void told.push(`${what} taken ${at > 0n}`), givenBack: () => void told.push(`${what} given back`) });
  const admission: Admission = {
    ...UNLIMITED,
    request: async ({ actor }, kind) => void told.push(`${kind} of ${actor}`),
    roomForDocument: async (tenant, _, bytes) => (told.push(`${bytes} bytes for ${tenant}`), hold('bytes')),
    roomForChunks: async (tenant, _, chunks) => (told.push(`${chunks} chunks for ${tenant}`), hold('chunks')),
    roomForKnowledgeBase: async (_, id) => (told.push(`knowledge base ${id}`), hold('knowledge base')),
    ...over,
  };
  return { told, admission };
};

describe('handing in within limits', () => {
  const begin = async (over: Partial<Admission> = {}) => {
    const { told, admission } = watching(over);
    const world = await new World().begin();
    world.admission = admission;
    return { told, world };
  };

  it('counts a request once, and holds room until it is on the log', async () => {
    const { told, world } = await begin();
    await world.submit('12345');
    expect(told).toEqual(['writes of key-1', '5 bytes for acme', 'bytes taken true']);
  });

  it('asks for no room for what is skipped, nor for a knowledge base that is there', async () => {
    const { told, world } = await begin();
    await world.index(sections('One'));
    told.splice(0);
    await world.submit(sections('One'));
    await world.knowledgeBases.make(WRITER, { id: BASE, scope: SCOPE.scope, settings: await settingsOf(world) }, 'r').catch(() => undefined);
    expect(told).toEqual(['writes of key-1']);
  });

  it('does nothing at all when the request, or its room, is refused', async () => {
    for (const refusal of [new RateLimited('slow down', 3), QUOTA]) {
      const { world } = await begin(refusal === QUOTA ? { roomForDocument: async () => Promise.reject(refusal) } : { request: async () => Promise.reject(refusal) });
      const before = await world.log.head();
      await expect(world.submit('Some text.')).rejects.toBe(refusal);
      expect(await world.log.head()).toBe(before);
    }
  });

  it('gives room back when the document does not come to the log', async () => {
    const { told, world } = await begin();
    world.waiting = 1_000_000;
    await expect(world.submit('Some text.')).rejects.toThrow(/are waiting to be indexed/);
    expect(told.at(-1)).toBe('bytes given back');
  });

  it('has a document that comes to too many chunks failed, and asks no model about it', async () => {
    const { world } = await begin({ roomForChunks: async () => Promise.reject(QUOTA) });
    const { documentId } = await world.index(sections('One', 'Two', 'Three'));
    expect(await world.state(documentId)).toMatchObject({ status: 'failed', failure: { reason: 'quota-exceeded', detail: expect.stringContaining('this tenant allows 1 chunks') } });
    expect(world.embedded().size).toBe(0);
  });

  it('indexes it once there is room, when it is handed in again just as it was', async () => {
    const { told, world } = await begin({ roomForChunks: async () => Promise.reject(QUOTA) });
    const text = sections('One', 'Two');
    const { documentId } = await world.index(text);
    world.admission = watching().admission;
    expect(await world.index(text)).toMatchObject({ documentId, version: 2, status: 'accepted' });
    expect((await world.state(documentId)).status).toBe('indexed');
    expect(told).toContain('writes of key-1');
  });

  it('takes the room of chunks when they are indexed', async () => {
    const { told, world } = await begin();
    await world.index(sections('One', 'Two'), { sourceId: sourceId('two.md') });
    expect(told.slice(-2)).toEqual(['2 chunks for acme', 'chunks taken true']);
  });
});

const settingsOf = async (world: World) => (await world.knowledgeBases.writable(WRITER, BASE)).settings;
