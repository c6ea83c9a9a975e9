import fc from 'fast-check';
import type { Access } from '@palimpsest/knowledge/access';
import { documentStream } from '@palimpsest/knowledge/deciders';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { DEFAULT_CHUNK_LIST, recipeWith, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { ACME, aDocument, caller, RED } from '../../test/event-world.ts';
import { LARGE, LONG_CHUNKS, LONG_LIST, SCOPE, SMALL, TimelineWorld } from '../../test/timeline-world.ts';
import type { Timeline } from './list-timeline.ts';

const reader = caller('reader');
const BLUE = vectorScope('team:blue');
const OTHER = { tenant: tenantId('other'), scope: RED };

/** In the order in which it happened, in a few words. */
const linesOf = ({ rows }: Pick<Timeline, 'rows'>): readonly string[] =>
  rows
    .map(({ entry }) => {
      if (entry.kind === 'model') return `model ${entry.change} ${entry.generation}: ${entry.serving?.generation ?? 'nothing'} serves`;
      if (entry.kind === 'knowledge-base') return `${entry.knowledgeBase} ${entry.change}`;
      if (entry.kind === 'unreadable') return entry.reason;
      const about = `${Number(entry.documentId)}.${entry.version} ${entry.kind}`;
      if (entry.kind === 'failed') return `${about} ${entry.reason}`;
      const { added, removed, kept } = entry.chunks;
      return `${about} +${added} -${removed} =${kept}`;
    })
    .reverse();

const all = async (world: TimelineWorld, query: object = {}, access: Access = reader): Promise<Timeline> => {
  const rows: Timeline['rows'][number][] = [];
  for (let cursor: string | undefined; ;) {
    const page = await world.page(access, { limit: 200, ...query, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.rows);
    if (page.next === undefined) return { ...page, rows };
    cursor = page.next;
  }
};
const documentsIn = async (world: TimelineWorld) => linesOf(await all(world)).filter((line) => /^\d/.test(line));

describe('The timeline of a scope', () => {
  it('lists what arrived, changed, failed and left, with the chunks of each change', async () => {
    const world = new TimelineWorld();
    await world.base('handbook');
    await world.open();
    await world.index(1, 'abc');
    await world.index(2, 'a');
    await world.index(1, 'bcde');
    await world.fail(2, await world.submit(2));
    await world.remove(1);
    await world.index(1, 'ab');
    expect(linesOf(await all(world))).toEqual([
      'handbook created',
      'model started g1: nothing serves',
      'model activated g1: g1 serves',
      '1.1 arrived +3 -0 =0',
      '2.1 arrived +1 -0 =0',
      '1.2 changed +2 -1 =2',
      '2.2 failed password',
      '1.2 left +0 -4 =0',
      '1.3 arrived +2 -0 =0',
    ]);
  });

  it('describes each document by title, source and knowledge base, also after it left or failed', async () => {
    const world = new TimelineWorld();
    await world.open();
    await world.index(1, { chunks: 'a', title: 'Holidays' });
    await world.remove(1);
    await world.fail(2, await world.submit(2));
    const about = { knowledgeBase: 'handbook', version: 1, at: expect.any(String), position: expect.any(String) };
    expect((await all(world)).rows.slice(0, 3).map(({ entry }) => entry)).toEqual([
      {
        ...about,
        kind: 'failed',
        documentId: aDocument(2),
        source: '2.md',
        title: '2.md',
        reason: 'password',
        detail: 'It has a password.',
      },
      { ...about, kind: 'left', documentId: aDocument(1), source: '1.md', title: 'Holidays', chunks: { added: 0, removed: 1, kept: 0 } },
      { ...about, kind: 'arrived', documentId: aDocument(1), source: '1.md', title: 'Holidays', chunks: { added: 1, removed: 0, kept: 0 } },
    ]);
  });

  it('counts chunks correctly where only the title changed, and all of them are written', async () => {
    const world = new TimelineWorld();
    await world.open();
    await world.index(1, { chunks: 'abc', title: 'One' });
    await world.index(1, { chunks: 'abd', title: 'Two' });
    await world.index(1, { chunks: 'abd', title: 'Three' });
    expect(await documentsIn(world)).toEqual(['1.1 arrived +3 -0 =0', '1.2 changed +1 -1 =2', '1.3 changed +0 -0 =3']);
  });

  it('lists a version as arrived if all versions before it failed', async () => {
    const world = new TimelineWorld();
    await world.open();
    await world.fail(1, await world.submit(1));
    await world.index(1, 'ab');
    expect(await documentsIn(world)).toEqual(['1.1 failed password', '1.2 arrived +2 -0 =0']);
  });

  it('agrees with a comparison of the versions, for any history of a document', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.record({ chunks: fc.subarray([...'abcde']), title: fc.constantFrom('One', 'Two') }),
            fc.constantFrom('fail', 'delete'),
          ),
          { maxLength: 12 },
        ),
        async (steps) => {
          const world = new TimelineWorld();
          await world.open();
          const expected: string[] = [];
          let [version, before]: [number, readonly string[] | undefined] = [0, undefined];
          let exists = false;
          for (const step of steps) {
            if (step === 'fail') {
              await world.fail(1, await world.submit(1));
              expected.push(`1.${++version} failed password`);
              exists = true;
            } else if (step === 'delete') {
              if (exists) {
                await world.remove(1);
                expected.push(`1.${version} left +0 -${before?.length ?? 0} =0`);
              }
              [before, exists] = [undefined, false];
            } else {
              const { chunks, title } = step as { chunks: string[]; title: string };
              await world.index(1, { chunks: chunks.join(''), title });
              const kept = chunks.filter((chunk) => before?.includes(chunk)).length;
              const counts = `+${chunks.length - kept} -${(before?.length ?? 0) - kept} =${kept}`;
              expected.push(`1.${++version} ${before ? 'changed' : 'arrived'} ${counts}`);
              [before, exists] = [chunks, true];
            }
          }
          expect(await documentsIn(world)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    ));

  it('shows which model serves from when on, also after a roll back', async () => {
    const world = new TimelineWorld();
    await world.open();
    await world.swap('g2');
    await world.model({ type: 'RollBack' });
    await world.model({ type: 'CutOver' });
    await world.model({ type: 'Retire', generation: 'g1' });
    await world.model({ type: 'StartGeneration', recipe: recipeWith({ version: SMALL }) });
    await world.model({ type: 'Cancel' });
    const { rows } = await all(world);
    expect(linesOf({ rows })).toEqual([
      'model started g1: nothing serves',
      'model activated g1: g1 serves',
      'model started g2: g1 serves',
      'model activated g2: g2 serves',
      'model rolled-back g1: g1 serves',
      'model activated g2: g2 serves',
      'model retired g1: g2 serves',
      'model started g3: g2 serves',
      'model cancelled g3: g2 serves',
    ]);
    expect(rows[0]?.entry).toMatchObject({
      embeddingVersion: SMALL,
      chunkList: 'default',
      serving: { generation: 'g2', embeddingVersion: LARGE },
    });
  });

  it('does not list chunk lists that a swap makes as changes, before and after its cut-over', async () => {
    const world = new TimelineWorld();
    await world.open();
    await world.index(1, 'abc');
    await world.swap('g2', SMALL, LONG_CHUNKS, () => world.rechunk(1, LONG_LIST, 'x'));
    await world.index(1, { chunks: 'xy', list: LONG_LIST, others: { [DEFAULT_CHUNK_LIST]: 'abcd' } });
    // A worker that read the scope before the cut-over completes the list that served then first.
    await world.index(1, { chunks: 'abe', list: DEFAULT_CHUNK_LIST, others: { [LONG_LIST]: 'xyz' } });
    await world.rechunk(1, LONG_LIST, 'xyz');
    expect(await documentsIn(world)).toEqual(['1.1 arrived +3 -0 =0', '1.2 changed +1 -0 =1', '1.3 changed +1 -0 =2']);
  });

  it('lists the changes of a knowledge base with its name', async () => {
    const world = new TimelineWorld();
    await world.base('handbook');
    for (const type of ['Pause', 'Resume', 'Archive']) await world.base('handbook', { type });
    const { rows } = await all(world);
    expect(linesOf({ rows })).toEqual(['handbook created', 'handbook paused', 'handbook resumed', 'handbook archived']);
    expect(rows.at(-1)?.entry).toMatchObject({ name: 'handbook' });
  });

  it('can be limited to a knowledge base and to a span of positions or times', async () => {
    const world = new TimelineWorld();
    await world.base('handbook');
    await world.base('travel');
    await world.open();
    await world.index(1, 'a');
    await world.index(2, 'b', SCOPE, 'travel');
    await world.remove(1);
    expect(linesOf(await all(world, { knowledgeBase: 'travel' }))).toEqual([
      'travel created',
      'model started g1: nothing serves',
      'model activated g1: g1 serves',
      '2.1 arrived +1 -0 =0',
    ]);
    const { rows } = await all(world);
    const [left, second, first] = rows.map(({ entry }) => entry);
    const span = { after: first?.position, before: left?.position };
    expect(linesOf(await all(world, span))).toEqual(['2.1 arrived +1 -0 =0']);
    expect(linesOf(await all(world, { after: first?.at, before: left?.at }))).toEqual(['2.1 arrived +1 -0 =0']);
    expect((await all(world, { after: '2000-01-01T00:00:00Z' })).rows).toEqual(rows);
    expect((await all(world, { before: '2000-01-01T00:00:00+01:00' })).rows).toEqual([]);
    expect((await all(world, { after: second?.at, before: '9999999999999' })).rows).toEqual(rows.slice(0, 1));
  });

  it('says how far the history of the scope reaches', async () => {
    const world = new TimelineWorld();
    expect(await world.page(reader)).toEqual({ rows: [], to: { position: '0', at: '2026-11-01T09:00:00.000Z' } });
    await world.open();
    await world.index(1, 'a');
    const { from, to } = await world.page(reader, { limit: 1 });
    expect([from, to.position]).toEqual([{ position: expect.any(String), at: expect.any(String) }, String(await world.log.head())]);
  });

  it('returns each entry once for any page size, any scan limit and any limit of comparisons', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ document: fc.integer({ min: 1, max: 3 }), chunks: fc.subarray([...'abcd']), mine: fc.boolean() }), {
          maxLength: 12,
        }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 9 }),
        async (history, limit, scanned, readBack) => {
          const world = new TimelineWorld({ scanned, readBack });
          for (const scope of [SCOPE, OTHER]) await world.open(scope);
          for (const { document, chunks, mine } of history) await world.index(document, chunks.join(''), mine ? SCOPE : OTHER);
          const listed = await documentsIn(world);
          expect((await all(world, { limit })).rows.length).toBe(listed.length + 2);
          expect(listed.length).toBe(history.filter(({ mine }) => mine).length);
        },
      ),
      { numRuns: 40 },
    ));

  it('shows damage and erased scopes as entries without contents', async () => {
    const world = new TimelineWorld();
    await world.open();
    await world.index(1, 'a');
    await world.log.append(
      documentStream(ACME, aDocument(9)),
      [
        {
          id: '00000000-0000-8000-8000-000000000001',
          type: 'DocumentDeleted',
          data: { version: 'none' },
          metadata: { tenant: ACME, scope: RED, schemaVersion: 1 },
        },
      ],
      'no-stream',
    );
    expect(linesOf(await all(world)).slice(2)).toEqual(['1.1 arrived +1 -0 =0', 'unreadable']);
    await world.keys.destroy(SCOPE);
    const erased = await all(world);
    expect(linesOf(erased)).toEqual(['erased', 'erased', 'erased', 'erased']);
    expect(JSON.stringify(erased)).not.toMatch(/Title|\.md|000001/);
  });
});

describe('Who sees a timeline', () => {
  const aWorld = async (): Promise<TimelineWorld> => {
    const world = new TimelineWorld();
    for (const [i, of] of [SCOPE, { tenant: ACME, scope: BLUE }, OTHER].entries()) {
      await world.base(`base-${i}`, { type: 'Create' }, of);
      await world.open(of);
      await world.index(i + 1, 'a', of);
    }
    return world;
  };

  it('shows only events of this scope and tenant', async () => {
    const world = await aWorld();
    for (const [access, scope, expected] of [
      [reader, 'team:red', 1],
      [caller('reader', { teams: ['blue'] }), 'team:blue', 2],
      [caller('admin', { teams: ['*'] }), 'team:blue', 2],
      [caller('reader', { tenant: OTHER.tenant }), 'team:red', 3],
    ] as const) {
      const { rows } = await world.page(access, {}, scope);
      expect(linesOf({ rows })).toEqual([
        `base-${expected - 1} created`,
        'model started g1: nothing serves',
        'model activated g1: g1 serves',
        `${expected}.1 arrived +1 -0 =0`,
      ]);
    }
  });

  it('reports what the caller may not read like what does not exist', async () => {
    const world = await aWorld();
    const refused = async (access: Access, query: object, scope: string) =>
      String(await world.page(access, query, scope).catch((error: unknown) => error));
    const strangers = [reader, caller('reader', { teams: [] }), caller('admin', { tenant: tenantId('third'), teams: ['*'] })];
    for (const access of strangers)
      for (const scope of ['team:blue', 'team:none']) expect(await refused(access, {}, scope)).toBe(`NotFound: scope "${scope}" not found`);
    for (const name of ['base-1', 'base-2', 'none'])
      expect(await refused(reader, { knowledgeBase: name }, 'team:red')).toBe(`NotFound: knowledge base "${name}" not found`);
    // Also one that the caller may read, in another scope.
    const both = caller('reader', { teams: ['red', 'blue'] });
    expect(await refused(both, { knowledgeBase: 'base-1' }, 'team:red')).toBe('NotFound: knowledge base "base-1" not found');
    await expect(world.page(reader, {}, 'team:blue')).rejects.toThrow(NotFound);
  });

  it('refuses operators, who see no contents', () =>
    expect(new TimelineWorld().page(caller('operator', { teams: ['*'] }))).rejects.toThrow('requires the role "reader"'));

  it.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '201' }, 'limit'],
    [{ cursor: 'r1' }, 'cursor'],
    [{ cursor: '' }, 'cursor'],
    [{ after: 'yesterday' }, 'after'],
    [{ before: '2026-02-30T00:00:00Z' }, 'before'],
    [{ before: '-1' }, 'before'],
    [{ colour: 'red' }, 'colour'],
  ])('rejects %j and names %s', async (query, field) => {
    const error: unknown = await new TimelineWorld().page(reader, query).then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(error).toBeInstanceOf(InvalidValue);
    expect(error).toMatchObject({ field });
  });
});
