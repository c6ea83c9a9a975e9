import type { Access } from '@palimpsest/knowledge/access';
import { GOLDEN_LIMITS, goldenQueriesStream, goldenSetName, type JudgedQuery } from '@palimpsest/knowledge/golden';
import { knowledgeBaseId, sha256, tenantId } from '@palimpsest/knowledge/values';
import { ADMIN, BLUE, collect, HANDBOOK, RED, World } from '../test/world.ts';
import { contentOf, GoldenLog } from './golden-log.ts';
import { LogGoldenQueries } from './log-golden-queries.ts';

const FAQ = goldenSetName('faq');
const CARRY = { id: 'carry', text: 'how many days may be carried over?', judgements: [{ source: 'holidays.md', grade: 2 }] };
const TRAINS = {
  id: 'trains',
  text: 'who books the trains?',
  synthetic: true,
  judgements: [
    { source: 'travel.md', grade: 1 },
    { source: 'holidays.md', grade: 0 },
  ],
};
const many = (count: number, textOf = (i: number): string => `question ${i}`) =>
  Array.from({ length: count }, (_, i) => ({ id: `q${i}`, text: textOf(i), judgements: [{ source: 'a.md', grade: 1 }] }));

describe('an import', () => {
  it('gives a set its first version, and counts judgements of documents that do not exist', async () => {
    const world = await World.open();
    await world.exists('holidays.md');
    expect(await world.import(FAQ, [TRAINS, CARRY])).toMatchObject({
      set: 'faq',
      version: 1,
      queries: 2,
      synthetic: 1,
      judgements: 3,
      missing: 1,
      changed: true,
    });
    expect(await world.list()).toMatchObject([{ set: 'faq', version: 1, missing: 1 }]);
    expect(await world.get(FAQ)).toMatchObject({
      items: [
        { ...CARRY, synthetic: false, judgements: [{ source: 'holidays.md', knowledgeBase: 'handbook', grade: 2, missing: false }] },
        { id: 'trains', synthetic: true },
      ],
    });
    const judgements = (await world.get(FAQ)).items[1]?.judgements;
    expect(judgements).toContainEqual(
      expect.objectContaining({ source: 'travel.md', documentId: await world.idOf('travel.md'), missing: true }),
    );
    expect(judgements).toContainEqual(expect.objectContaining({ source: 'holidays.md', grade: 0, missing: false }));
  });

  it('changes nothing if the content is the same in another order', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY, TRAINS]);
    const before = await world.log.head();
    const again = await world.import(FAQ, [{ ...TRAINS, judgements: TRAINS.judgements.toReversed() }, CARRY]);
    expect(again).toMatchObject({ version: 1, changed: false });
    expect(await world.log.head()).toBe(before);
  });

  it('replaces all queries, stores the same ones once, and can return to an earlier version', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY]);
    await world.import(FAQ, [TRAINS]);
    expect((await world.get(FAQ)).items.map(({ id }) => id)).toEqual(['trains']);
    expect(await world.import(FAQ, [CARRY])).toMatchObject({ version: 3 });
    expect(await world.events()).toEqual([
      'GoldenQueriesStored',
      'GoldenSetImported',
      'GoldenQueriesStored',
      'GoldenSetImported',
      'GoldenSetImported',
    ]);
  });

  it('is refused if the set was changed since, and stores nothing', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY], { expected: 0 });
    const before = await world.log.head();
    await expect(world.import(FAQ, [TRAINS], { expected: 0 })).rejects.toMatchObject({ code: 'Conflict' });
    expect(await world.log.head()).toBe(before);
    expect(await world.import(FAQ, [TRAINS], { expected: 1 })).toMatchObject({ version: 2 });
  });

  it('of two people at the same time wins once', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY]);
    const outcomes = await Promise.allSettled([
      world.import(FAQ, [TRAINS], { expected: 1 }),
      world.import(FAQ, [CARRY, TRAINS], { expected: 1 }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'Conflict' } });
    expect(await world.list()).toMatchObject([{ version: 2 }]);
  });

  it('is divided over events, is visible once it is complete, and continues after a crash', async () => {
    const world = await World.open();
    const lines = many(300, (i) => `${i} ${'ü'.repeat(1_500)}`);
    await world.import(FAQ, lines);
    const stored = (await world.events()).filter((type) => type === 'GoldenQueriesStored').length;
    expect(stored).toBeGreaterThanOrEqual(3);
    expect((await world.export(FAQ)).map(({ text }) => text).sort()).toEqual(lines.map(({ text }) => text).sort());

    const crashed = await World.open();
    const queries: JudgedQuery[] = [];
    for (const { id, text } of lines.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      queries.push({
        id,
        text,
        synthetic: false,
        judgements: [{ documentId: await crashed.idOf('a.md'), knowledgeBase: HANDBOOK, sourceId: 'a.md' as never, grade: 1 }],
      });
    const content = contentOf(await crashed.keys.cipher(RED), queries);
    const log = new GoldenLog(crashed.journal);
    const metadata = { ...RED, actor: 'spec', correlationId: 'spec' };
    await log.store(RED, { ...content, parts: content.parts.slice(0, 2) }, metadata);
    expect(await crashed.list()).toEqual([]);
    expect(await crashed.import(FAQ, lines)).toMatchObject({ version: 1, queries: 300 });
    expect((await crashed.events()).filter((type) => type === 'GoldenQueriesStored')).toHaveLength(stored);
  });

  it('stores queries and sources only sealed', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY, TRAINS]);
    const log = JSON.stringify(
      (await collect(world.log.readAll())).filter(({ type }) => type.startsWith('Golden')),
      (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    );
    expect(log).toContain('"faq"');
    for (const secret of ['carried over', 'trains', 'holidays.md', 'travel.md']) expect(log).not.toContain(secret);
  });
});

describe('judged documents', () => {
  it('can be named by id, also those that do not exist', async () => {
    const world = await World.open();
    const documentId = await world.exists('holidays.md');
    const unknown = 'f'.repeat(32);
    const line = {
      ...CARRY,
      judgements: [
        { documentId, grade: 1 },
        { documentId: unknown, grade: 1 },
      ],
    };
    expect(await world.import(FAQ, [line])).toMatchObject({ missing: 1 });
    expect(await world.export(FAQ)).toMatchObject([
      {
        judgements: expect.arrayContaining([
          { source: 'holidays.md', knowledgeBase: 'handbook', grade: 1 },
          { documentId: unknown, grade: 1 },
        ]),
      },
    ]);
  });

  it('are missing once they are deleted, and found when they are back', async () => {
    const world = await World.open();
    const documentId = await world.exists('holidays.md');
    expect(await world.import(FAQ, [CARRY])).toMatchObject({ missing: 0 });
    await world.isDeleted(documentId);
    expect(await world.list()).toMatchObject([{ missing: 1, judgements: 1 }]);
    expect((await world.get(FAQ)).items[0]?.judgements).toMatchObject([{ source: 'holidays.md', missing: true }]);
    await world.exists('holidays.md');
    expect(await world.list()).toMatchObject([{ missing: 0 }]);
  });

  it('of another scope count as missing, even if they are named by id', async () => {
    const world = await World.open();
    const theirs = await world.exists('plan.md', knowledgeBaseId('other'), BLUE);
    await world.import(FAQ, [{ ...CARRY, judgements: [{ documentId: theirs, grade: 1 }] }]);
    expect((await world.get(FAQ)).items[0]?.judgements).toEqual([{ documentId: theirs, grade: 1, missing: true }]);
  });

  it('need the name of a knowledge base if the scope has several', async () => {
    const world = await World.open();
    await world.knowledgeBase(knowledgeBaseId('wiki'));
    await expect(world.import(FAQ, [CARRY])).rejects.toMatchObject({
      code: 'InvalidValue',
      message: expect.stringMatching(/^line 1\.judgements\[0\]\.knowledgeBase: expected one of handbook, wiki/),
    });
    await world.import(
      FAQ,
      [
        {
          ...CARRY,
          judgements: [
            { source: 'x.md', grade: 1 },
            { source: 'x.md', knowledgeBase: 'wiki', grade: 1 },
          ],
        },
      ],
      {
        knowledgeBase: HANDBOOK,
      },
    );
    const ids = (await world.get(FAQ)).items[0]?.judgements.map(({ documentId }) => documentId);
    expect(ids?.sort()).toEqual([await world.idOf('x.md'), await world.idOf('x.md', knowledgeBaseId('wiki'))].sort());
  });

  it.each(['other', 'nothing'])('are not looked for in the knowledge base "%s", which the scope does not have', async (name) => {
    const world = await World.open();
    const knowledgeBase = knowledgeBaseId(name);
    const refusal = {
      code: 'InvalidValue',
      message: expect.stringContaining(`knowledgeBase: expected a knowledge base of the scope "team:red", got "${name}"`),
    };
    await expect(world.import(FAQ, [CARRY], { knowledgeBase })).rejects.toMatchObject(refusal);
    await expect(world.import(FAQ, [{ ...CARRY, judgements: [{ source: 'a', knowledgeBase, grade: 1 }] }])).rejects.toMatchObject(refusal);
  });
});

describe('an invalid line', () => {
  const judged = (judgement: object) => ({ ...CARRY, judgements: [judgement] });
  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{"id"', /^line 2\.body: expected JSON/],
    ['no object', 5, /^line 2\.body: expected/],
    ['an unknown field', { ...TRAINS, answer: 'x' }, /^line 2\.answer: expected a known field/],
    ['an id that was used', { ...TRAINS, id: 'carry' }, /^line 2\.id: expected an id that no other query/],
    ['an id with a space', { ...TRAINS, id: 'a b' }, /^line 2\.id: expected 1-200 characters without spaces/],
    ['an empty query', { ...TRAINS, text: ' ' }, /^line 2\.text: expected a query that is not empty/],
    ['a query that is too long', { ...TRAINS, text: 'x'.repeat(4_001) }, /^line 2\.text: expected at most 4000 characters/],
    ['no judgement', { ...TRAINS, judgements: [] }, /^line 2\.judgements: expected at least one judgement/],
    [
      'too many judgements',
      { ...TRAINS, judgements: many(1_001).map(({ id }) => ({ source: id, grade: 1 })) },
      /^line 2\.judgements: expected at most 1000 judgements/,
    ],
    ['a negative grade', judged({ source: 'a', grade: -1 }), /^line 2\.judgements\[0\]\.grade: /],
    ['a fraction as grade', judged({ source: 'a', grade: 0.5 }), /^line 2\.judgements\[0\]\.grade: /],
    ['neither source nor id', judged({ grade: 1 }), /^line 2\.judgements\[0\]: expected either a source or a documentId/],
    ['source and id', judged({ source: 'a', documentId: 'f'.repeat(32), grade: 1 }), /^line 2\.judgements\[0\]: expected either/],
    [
      'a document that is judged twice',
      {
        ...TRAINS,
        judgements: [
          { source: 'a', grade: 1 },
          { source: 'a', grade: 2 },
        ],
      },
      /^line 2\.judgements\[1\]\.grade: expected one judgement/,
    ],
    [
      'a query that is too large with its judgements',
      { ...TRAINS, judgements: many(1_000).map(({ id }) => ({ source: id + 'x'.repeat(1_000), grade: 1 })) },
      /^line 2\.judgements: expected a query of at most 262144 bytes/,
    ],
  ])('is reported by number and field: %s', async (_, line, message) => {
    const world = await World.open();
    const first = { ...CARRY, judgements: [{ source: 'first.md', grade: 1 }] };
    await expect(world.import(FAQ, [first, line])).rejects.toMatchObject({ code: 'InvalidValue', message: expect.stringMatching(message) });
    expect(await world.events()).toEqual([]);
  });

  it('is one too many, or there is none', async () => {
    const world = await World.open();
    await expect(world.import(FAQ, many(GOLDEN_LIMITS.queries + 1))).rejects.toMatchObject({
      message: expect.stringMatching(/^line 10001\.id: expected at most 10000 queries/),
    });
    await expect(
      world.import(
        FAQ,
        many(4_500, (i) => `${i}${'x'.repeat(3_900)}`),
      ),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/^line \d+\.text: expected at most 16777216 bytes/),
    });
    await expect(world.import(FAQ, [])).rejects.toMatchObject({ message: expect.stringMatching(/^body: expected at least one line/) });
  });
});

describe('the pages of a set', () => {
  it('are complete, and belong to one version', async () => {
    const world = await World.open();
    await world.import(FAQ, many(7));
    const seen: string[] = [];
    let page = await world.get(FAQ, { limit: 3 });
    for (; page.next !== undefined; page = await world.get(FAQ, { limit: 3, cursor: page.next }))
      seen.push(...page.items.map(({ id }) => id));
    seen.push(...page.items.map(({ id }) => id));
    expect(seen).toEqual(many(7).map(({ id }) => id));
    const { next = '' } = await world.get(FAQ, { limit: 3 });
    await world.import(FAQ, many(8));
    await expect(world.get(FAQ, { cursor: next })).rejects.toMatchObject({ code: 'Conflict' });
    await expect(world.get(FAQ, { cursor: 'x' })).rejects.toMatchObject({ code: 'InvalidValue', field: 'cursor' });
  });
});

describe('a removed set', () => {
  it('is gone, and another import continues its numbers', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY]);
    await expect(world.remove(FAQ, { expected: 3 })).rejects.toMatchObject({ code: 'Conflict' });
    await world.remove(FAQ, { expected: 1 });
    expect(await world.list()).toEqual([]);
    for (const ask of [() => world.get(FAQ), () => world.export(FAQ), () => world.remove(FAQ)])
      await expect(ask()).rejects.toMatchObject({ code: 'NotFound' });
    expect(await world.import(FAQ, [CARRY])).toMatchObject({ version: 2 });
  });
});

describe('golden queries', () => {
  it('are read by a gate: the latest version of each set, with judgements of documents that do not exist', async () => {
    const world = await World.open();
    const holidays = await world.exists('holidays.md');
    await world.import(FAQ, [CARRY]);
    await world.import(FAQ, [TRAINS, CARRY]);
    await world.import(goldenSetName('all'), [CARRY]);
    await world.import(goldenSetName('removed'), [CARRY]);
    await world.remove(goldenSetName('removed'));
    const carry = { id: 'carry', text: CARRY.text, synthetic: false, relevant: new Map([[holidays, 2]]) };
    const trains = {
      id: 'trains',
      text: TRAINS.text,
      synthetic: true,
      relevant: new Map([
        [holidays, 0],
        [await world.idOf('travel.md'), 1],
      ]),
    };
    const queries = new LogGoldenQueries(world.journal);
    expect(await queries.ofScope(RED)).toEqual([
      { name: 'all', version: 1, queries: [carry] },
      { name: 'faq', version: 2, queries: [carry, trains] },
    ]);
    expect(await queries.ofScope(BLUE)).toEqual([]);
    expect(await queries.ofScope({ ...RED, tenant: tenantId('other') })).toEqual([]);
  });

  it('do not exist any more once the key of the scope is destroyed', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY]);
    await world.keys.destroy(RED);
    expect(await new LogGoldenQueries(world.journal).ofScope(RED)).toEqual([]);
    expect(await world.list()).toEqual([]);
    for (const ask of [() => world.get(FAQ), () => world.export(FAQ)]) await expect(ask()).rejects.toMatchObject({ code: 'NotFound' });
    await expect(world.import(FAQ, [CARRY])).rejects.toMatchObject({ code: 'ScopeKeyDestroyed' });
  });

  it('are reported as damaged if a part is missing', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY]);
    const { state } = await new GoldenLog(world.journal).load(RED);
    const version = [...state.current.values()][0];
    const damaged = { ...version, parts: 2 } as NonNullable<typeof version>;
    await expect(collect(new GoldenLog(world.journal).parts(RED, damaged))).rejects.toMatchObject({ code: 'Corrupt' });
    expect(goldenQueriesStream(RED, sha256('a'.repeat(64)))).not.toBe(goldenQueriesStream(BLUE, sha256('a'.repeat(64))));
  });
});

describe('the roles', () => {
  const as = (role: Access['roles'][number], teams = ['red']): Access => ({ ...ADMIN, teams, roles: [role], actor: `key:${role}` });

  it.each(['reader', 'writer', 'operator'] as const)('of a %s do not allow changes', async (role) => {
    const world = await World.open();
    await world.import(FAQ, [CARRY]);
    for (const change of [() => world.import(FAQ, [TRAINS], { access: as(role) }), () => world.remove(FAQ, { access: as(role) })])
      await expect(change()).rejects.toMatchObject({ code: expect.stringMatching(/^(Forbidden|NotFound)$/) });
    expect(await world.list()).toMatchObject([{ version: 1 }]);
  });

  it('of a reader allow reading in its own scopes only', async () => {
    const world = await World.open();
    await world.import(FAQ, [CARRY]);
    expect(await world.list({ access: as('reader') })).toHaveLength(1);
    expect((await world.get(FAQ, { access: as('reader') })).items).toHaveLength(1);
    const strangers = [as('admin', ['blue']), { ...as('admin'), tenant: tenantId('other') }];
    for (const access of [as('reader', ['blue']), ...strangers])
      for (const ask of [() => world.list({ access }), () => world.get(FAQ, { access }), () => world.export(FAQ, { access })])
        await expect(ask()).rejects.toMatchObject({ code: 'NotFound' });
    for (const access of strangers)
      for (const change of [() => world.import(FAQ, [TRAINS], { access }), () => world.remove(FAQ, { access })])
        await expect(change()).rejects.toMatchObject({ code: 'NotFound' });
    expect(await world.list()).toMatchObject([{ version: 1 }]);
  });
});
