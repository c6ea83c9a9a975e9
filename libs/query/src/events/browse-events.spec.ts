import fc from 'fast-check';
import { LISTED_EVENTS } from '@palimpsest/contracts/http';
import type { Access } from '@palimpsest/knowledge/access';
import { documentStream, knowledgeBaseStream, retrievalStream, tenantStream } from '@palimpsest/knowledge/deciders';
import { Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { knowledgeBaseId, position, tenantId, vectorScope, type Position } from '@palimpsest/knowledge/values';
import { ACME, aDocument, caller, EventWorld, RED } from '../../test/event-world.ts';
import { shownEvents } from './opened-data.ts';
import type { VisibleEvent } from './to-event-view.ts';

const OTHER = tenantId('other');
const BLUE = vectorScope('team:blue');
const reader = caller('reader');

/** All events, read page by page. */
const all = async (world: EventWorld, access: Access, query: object = {}): Promise<readonly VisibleEvent[]> => {
  const events: VisibleEvent[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await world.page(access, { limit: 200, ...query, ...(cursor === undefined ? {} : { cursor }) });
    events.push(...page.events);
    if (page.next === undefined) return events;
    cursor = page.next;
  }
};
const visible = async (world: EventWorld, access: Access, query: object = {}) =>
  (await all(world, access, query)).map(({ type, content }) => `${type} ${content}`);

describe('The list of events', () => {
  it('can be filtered by each type whose data it shows, and by no other', () =>
    expect([...LISTED_EVENTS].sort()).toEqual([...shownEvents.handles].sort()));

  it('returns each event once, newest or oldest first, for any page size and any scan limit', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ document: fc.integer({ min: 1, max: 3 }), mine: fc.boolean() }), { maxLength: 25 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        fc.boolean(),
        async (history, limit, scanLimit, forwards, ofOne) => {
          const world = new EventWorld(scanLimit);
          const expected: string[] = [];
          for (const { document, mine } of history) {
            const at = await world.document(document, 'DocumentSkipped', mine ? {} : { tenant: OTHER });
            if (mine && (!ofOne || document === 1)) expected.push(String(at));
          }
          // A document without events does not exist: filtering by it is an error.
          if (ofOne && expected.length === 0) return;
          const listed = await all(world, reader, {
            limit,
            direction: forwards ? 'forwards' : 'backwards',
            ...(ofOne ? { document: aDocument(1) } : {}),
          });
          expect(listed.map((event) => event.position)).toEqual(forwards ? expected : expected.reverse());
        },
      ),
      { numRuns: 60 },
    ));

  it('scans at most the limit per request, also among events of other tenants, and continues from there', async () => {
    const world = new EventWorld(10);
    await world.document(1);
    for (let i = 0; i < 25; i++) await world.document(9, 'DocumentSkipped', { tenant: OTHER });
    const first = await world.page(reader, {});
    expect([first.events, typeof first.next]).toEqual([[], 'string']);
    expect((await all(world, reader)).map(({ documentId }) => documentId)).toEqual([aDocument(1)]);
  });

  it('returns the end of the log, so that following continues without a gap', async () => {
    const world = new EventWorld();
    expect(await world.page(reader, {})).toEqual({ events: [], head: '0' });
    const last = await world.document(1);
    expect((await world.page(reader, {})).head).toBe(String(last));
  });

  it('returns only events that match the filter', async () => {
    const world = new EventWorld();
    const data = { knowledgeBase: 'handbook' };
    await world.knowledgeBase('handbook');
    await world.document(1, 'DocumentSubmitted', { data });
    await world.chunk(1, 'one');
    await world.document(1, 'DocumentDeleted');
    await world.document(2, 'DocumentSubmitted', { data: { knowledgeBase: 'other' }, scope: vectorScope('deployment') });
    await world.document(2, 'DocumentFailed', { scope: vectorScope('deployment') });
    const of = async (query: object) => (await all(world, reader, { direction: 'forwards', ...query })).map(({ type }) => type);
    expect(await of({ knowledgeBase: 'handbook' })).toEqual([
      'KnowledgeBaseCreated',
      'DocumentSubmitted',
      'KnowledgeChunkIndexed',
      'DocumentDeleted',
    ]);
    expect(await of({ scope: 'deployment' })).toEqual(['DocumentSubmitted', 'DocumentFailed']);
    expect(await of({ document: aDocument(2) })).toEqual(['DocumentSubmitted', 'DocumentFailed']);
    expect(await of({ stream: documentStream(ACME, aDocument(1)), type: ['DocumentDeleted'] })).toEqual(['DocumentDeleted']);
    expect(await of({ stream: documentStream(ACME, aDocument(1)), document: aDocument(2) })).toEqual([]);
    expect(await of({ type: ['DocumentFailed', 'KnowledgeBaseCreated'] })).toEqual(['KnowledgeBaseCreated', 'DocumentFailed']);
    expect(await of({ type: ['DocumentFailed'], scope: 'team:red' })).toEqual([]);
  });

  it.each([
    [{ type: ['NoSuchEvent'] }, 'type[0]'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '201' }, 'limit'],
    [{ direction: 'sideways' }, 'direction'],
    [{ document: 'x' }, 'document'],
    [{ scope: 'x' }, 'scope'],
    [{ cursor: '' }, 'cursor'],
    [{ cursor: 'x1' }, 'cursor'],
    [{ cursor: 'p-1' }, 'cursor'],
    [{ cursor: 'r1' }, 'cursor'],
    [{ cursor: 'p1', document: aDocument(1) }, 'cursor'],
    [{ colour: 'red' }, 'colour'],
    [{ stream: '' }, 'stream'],
  ])('rejects %j and names %s', async (query, field) => {
    const error: unknown = await new EventWorld().page(reader, query).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(InvalidValue);
    expect(error).toMatchObject({ field });
  });
});

describe('The visibility of events', () => {
  const aWorld = async (): Promise<EventWorld> => {
    const world = new EventWorld();
    await world.document(1, 'DocumentSubmitted', { scope: RED });
    await world.document(2, 'DocumentFailed', { scope: BLUE });
    await world.document(3, 'DocumentDeleted', { scope: vectorScope('user:ann') });
    await world.key();
    await world.retrieval('key:me', ['team:red']);
    await world.retrieval('key:you', ['deployment']);
    await world.retrieval('key:you', ['deployment', 'team:blue']);
    for (const add of [
      () => world.document(4, 'DocumentIndexed', { tenant: OTHER }),
      () => world.key(OTHER),
      () => world.retrieval('key:me', [], OTHER),
    ])
      await add();
    return world;
  };

  it.each<[string, Access, readonly string[]]>([
    ['a reader', reader, ['KnowledgeRetrieved open', 'DocumentSubmitted open']],
    ['a reader of another team', caller('reader', { teams: ['blue'], actor: 'key:other' }), ['DocumentFailed open']],
    ['a user', caller('reader', { teams: [], user: 'ann', actor: 'key:other' }), ['DocumentDeleted open']],
    ['a writer of all teams', caller('writer', { teams: ['*'], actor: 'key:other' }), ['DocumentFailed open', 'DocumentSubmitted open']],
    [
      'an admin',
      caller('admin', { actor: 'key:other' }),
      ['KnowledgeRetrieved open', 'KnowledgeRetrieved open', 'ApiKeyIssued open', 'DocumentSubmitted open'],
    ],
    [
      'an operator',
      caller('operator', { teams: ['*'], user: 'ann' }),
      [
        'KnowledgeRetrieved withheld',
        'KnowledgeRetrieved withheld',
        'KnowledgeRetrieved withheld',
        'ApiKeyIssued withheld',
        'DocumentDeleted withheld',
        'DocumentFailed withheld',
        'DocumentSubmitted withheld',
      ],
    ],
    [
      'an operator who is also a reader',
      caller('reader', { roles: ['operator', 'reader'], teams: ['blue'], actor: 'key:other' }),
      [
        'KnowledgeRetrieved withheld',
        'KnowledgeRetrieved withheld',
        'KnowledgeRetrieved withheld',
        'ApiKeyIssued withheld',
        'DocumentDeleted withheld',
        'DocumentFailed open',
        'DocumentSubmitted withheld',
      ],
    ],
  ])('%s', async (_, access, expected) => expect(await visible(await aWorld(), access)).toEqual(expected));

  it('an operator sees sizes but no names, and cannot filter by name', async () => {
    const world = await aWorld();
    await world.chunk(1, 'a secret');
    const operator = caller('operator', { teams: ['*'], user: 'ann' });
    const listed = await all(world, operator);
    expect(listed[0]).toEqual({
      position: expect.any(String),
      type: 'KnowledgeChunkIndexed',
      schemaVersion: 1,
      category: 'document',
      revision: 1,
      recordedAt: expect.any(String),
      actor: 'key:ci',
      correlationId: 'r-1',
      causationId: 'e-1',
      bytes: expect.any(Number),
      content: 'withheld',
    });
    expect(listed[0]?.bytes).toBeGreaterThan(300);
    const text = JSON.stringify(listed);
    for (const name of ['team:', 'user:', 'secret', aDocument(1), 'handbook', 'key:ann', '.md'])
      expect({ name, shown: text.includes(name) }).toEqual({ name, shown: false });
    for (const query of [
      { document: aDocument(1) },
      { scope: 'team:red' },
      { knowledgeBase: 'handbook' },
      { stream: documentStream(ACME, aDocument(1)) },
    ])
      await expect(world.page(operator, query)).rejects.toThrow(Forbidden);
    // An operator who is also a reader can filter by the names of things that it may read.
    const both = caller('reader', { roles: ['operator', 'reader'], teams: ['blue'] });
    await expect(all(world, both, { document: aDocument(1) })).rejects.toThrow(NotFound);
    expect(await visible(world, both, { document: aDocument(2) })).toEqual(['DocumentFailed open']);
  });

  it('what the caller may not see is reported as not found, for every filter', async () => {
    const world = await aWorld();
    await world.knowledgeBase('theirs', { tenant: OTHER });
    await world.knowledgeBase('blue', { scope: BLUE });
    const foreign = [
      { document: aDocument(2) },
      { document: aDocument(4) },
      { scope: 'team:blue' },
      { knowledgeBase: 'theirs' },
      { knowledgeBase: 'blue' },
      { stream: documentStream(OTHER, aDocument(4)) },
      { stream: documentStream(ACME, aDocument(2)) },
      { stream: tenantStream(OTHER) },
      { stream: tenantStream(ACME) },
      { stream: retrievalStream(OTHER) },
      { stream: knowledgeBaseStream(OTHER, knowledgeBaseId('theirs')) },
      { stream: 'document-acme%2Dx-1' },
      { stream: '$all' },
      { stream: 'document' },
    ];
    const unknown = [
      { document: aDocument(99) },
      { scope: 'team:none' },
      { knowledgeBase: 'none' },
      { stream: documentStream(ACME, aDocument(99)) },
    ];
    for (const query of [...foreign, ...unknown]) {
      const [[name, value] = ['', '']] = Object.entries(query);
      const error: unknown = await world.page(reader, { ...query, limit: 1 }).catch((refused: unknown) => refused);
      expect(error).toBeInstanceOf(NotFound);
      expect(String(error)).toBe(`NotFound: ${name === 'knowledgeBase' ? 'knowledge base' : name} "${value}" not found`);
    }
  });

  it('a scope that the key names may be empty; a scope that only * permits must exist', async () => {
    const world = await aWorld();
    expect((await world.page(caller('reader', { teams: ['new'] }), { scope: 'team:new' })).events).toEqual([]);
    await expect(world.page(caller('reader', { teams: ['*'] }), { scope: 'team:new' })).rejects.toThrow('scope "team:new" not found');
  });

  it('a position that the log never assigned is reported as not found', async () => {
    const world = await aWorld();
    world.log.readAll = () => {
      throw new InvalidValue('position', 'a position that this log has handed out', '7');
    };
    await expect(world.browse.one(reader, position('7'))).rejects.toThrow('event "7" not found');
  });

  it('a cursor with a position that the log never assigned is rejected as an invalid cursor', async () => {
    const world = await aWorld();
    world.log.readAll = () => {
      throw new InvalidValue('position', 'a position that this log has handed out', '7');
    };
    await expect(world.page(reader, { cursor: 'p7' })).rejects.toMatchObject({ code: 'InvalidValue', field: 'cursor' });
  });

  it('one event is found by its position, or reported as not found', async () => {
    const world = await aWorld();
    const positions: Position[] = [];
    for await (const event of world.log.readAll()) positions.push(event.position);
    const [first = position('1'), second = position('2')] = positions;
    expect(await world.browse.one(reader, first)).toMatchObject({
      position: String(first),
      type: 'DocumentSubmitted',
      content: 'open',
      scope: 'team:red',
      documentId: aDocument(1),
      stream: documentStream(ACME, aDocument(1)),
    });
    expect(await world.browse.one(caller('operator'), second)).toMatchObject({ content: 'withheld' });
    const missing = async (access: Access, at: Position) =>
      (await world.browse.one(access, at).catch((error: unknown) => error)) as NotFound;
    const gone = [second, positions.at(-1) ?? second, (first + 1n) as Position, position('0'), position('99999999999999999999')];
    for (const at of gone) {
      const error = await missing(reader, at);
      expect(error).toBeInstanceOf(NotFound);
      expect(error.message).toBe(`event "${at}" not found`);
    }
  });
});

describe('The data of an event', () => {
  it('has its text unsealed, only the size of its vector, and no hash of a key', async () => {
    const world = new EventWorld();
    const at = await world.chunk(1, 'the sealed text');
    const key = await world.key();
    const chunk = await world.browse.one(reader, at);
    expect(chunk.data).toMatchObject({
      index: 0,
      of: 1,
      text: { text: 'the sealed text', contextPrefix: 'Above', headings: ['One'] },
      vector: { dimensions: 4, norm: 1 },
    });
    expect(Object.keys(chunk.data ?? {})).not.toEqual(expect.arrayContaining([expect.stringMatching(/^sealed/)]));
    const issued = await world.browse.one(caller('admin'), key);
    expect(issued.data).toMatchObject({ name: expect.any(String), roles: ['reader', 'writer'] });
    expect(JSON.stringify(issued)).not.toMatch(/hash|[0-9a-f]{64}/);
  });

  it('of a search lists no scope that the caller may not read', async () => {
    const world = new EventWorld();
    const at = await world.retrieval('key:me', ['team:red']);
    expect((await world.browse.one(reader, at)).data).toMatchObject({
      requestedScopes: ['deployment', 'team:red'],
      permittedScopes: ['team:red'],
    });
  });

  it('is erased with the key of its scope, without failing the page', async () => {
    const world = new EventWorld();
    await world.chunk(1, 'the sealed text');
    await world.document(1, 'DocumentDeleted');
    await world.document(2, 'DocumentDeleted', { scope: vectorScope('deployment') });
    await world.keys.destroy({ tenant: ACME, scope: RED });
    const events = await all(world, reader);
    expect(events.map(({ type, content }) => `${type} ${content}`)).toEqual([
      'DocumentDeleted open',
      'DocumentDeleted erased',
      'KnowledgeChunkIndexed erased',
    ]);
    expect(events[1]?.data ?? events[2]?.data).toBeUndefined();
  });

  it('is reported as unreadable when it is damaged or has a newer version; other events are not affected', async () => {
    const world = new EventWorld();
    await world.chunk(1, 'moved');
    await world.document(2, 'DocumentDeleted', { data: { version: 'none' } });
    await world.add(documentStream(ACME, aDocument(3)), 'DocumentDeleted', { metadata: { schemaVersion: 9 } });
    await world.document(4, 'KnowledgeChunkIndexed', { data: { sealedText: 'AAAA' } });
    await world.document(5, 'DocumentDeleted');
    expect(await visible(world, reader)).toEqual([
      'DocumentDeleted open',
      'KnowledgeChunkIndexed unreadable',
      'DocumentDeleted unreadable',
      'DocumentDeleted unreadable',
      'KnowledgeChunkIndexed open',
    ]);
  });
});
