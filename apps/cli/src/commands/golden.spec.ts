import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FakePlatform, problem } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

const SETS = '/v1/scopes/team:red/golden-sets';
const SET = { set: 'faq', version: 3, queries: 2, synthetic: 1, judgements: 3, missing: 1, importedAt: '2026-11-26T08:00:00.000Z' };
const LINES = [
  {
    id: 'carry',
    text: 'may days, "holidays", be carried over?',
    synthetic: false,
    judgements: [
      { source: 'holidays.md', knowledgeBase: 'handbook', grade: 2 },
      { documentId: 'f'.repeat(32), grade: 0 },
    ],
  },
  { id: 'trains', text: 'who books trains?', synthetic: true, judgements: [{ source: 'travel.md', knowledgeBase: 'handbook', grade: 1 }] },
];
const QUERIES =
  '{"_id":"carry","text":"may days, \\"holidays\\", be carried over?"}\n{"_id":"trains","text":"who books trains?","metadata":{"synthetic":true}}\n';
const QRELS = `query-id\tcorpus-id\tscore\ncarry\tholidays.md\t2\ncarry\tdocument-id:${'f'.repeat(32)}\t0\ntrains\ttravel.md\t1\n`;
const CSV = `query,source,grade,id,synthetic\n"may days, ""holidays"", be carried over?",holidays.md,2,carry,false\n"may days, ""holidays"", be carried over?",document-id:${'f'.repeat(32)},0,carry,false\nwho books trains?,travel.md,1,trains,true\n`;
/** The same without the knowledge bases, which the files do not name. */
const SENT = LINES.map((line) => ({ ...line, judgements: line.judgements.map(({ knowledgeBase: _, ...judgement }) => judgement) }));

let platform: FakePlatform;
let folder: Awaited<ReturnType<typeof aFolder>>;
beforeEach(async () => {
  platform = await FakePlatform.open();
  folder = await aFolder({});
  platform
    .on(`PUT ${SETS}/faq`, () => ({ json: { ...SET, changed: true, position: '7' } }))
    .on(`GET ${SETS}/faq/export`, () => ({ text: LINES.map((line) => `${JSON.stringify(line)}\n`).join('') }));
});
afterEach(async () => {
  await platform.close();
  await folder.remove();
});
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url], { cwd: folder.path });
const sent = () =>
  platform.requestsTo(`PUT ${SETS}/faq`).map(({ body }) =>
    body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  );
const withFiles = async (files: Readonly<Record<string, string>>): Promise<void> => {
  await folder.remove();
  folder = await aFolder(files);
};
const importing = (path = '.', ...options: string[]) => palimpsest('golden', 'import', 'team:red', 'faq', path, ...options);

describe('palimpsest golden list and show', () => {
  it('list the sets with their version, marks and missing documents', async () => {
    platform.on(`GET ${SETS}`, () => ({ json: { sets: [SET] } }));
    const { code, out } = await palimpsest('golden', 'list', 'team:red');
    expect(code).toBe(0);
    expect(out).toMatch(/faq +3 +2 +1 +3 +1 +2026-11-26/);
    expect(JSON.parse((await palimpsest('golden', 'list', 'team:red', '--json')).out)).toEqual({ sets: [SET] });
  });

  it('show the queries of all pages up to the limit, mark synthetic ones and what does not exist', async () => {
    const items = LINES.map((line) => ({
      ...line,
      judgements: line.judgements.map(({ documentId = 'a'.repeat(32), ...each }: { documentId?: string }) => ({
        documentId,
        ...each,
        missing: documentId.startsWith('f'),
      })),
    }));
    platform.on(`GET ${SETS}/faq`, ({ query }) =>
      query.get('cursor') === null
        ? { json: { ...SET, items: items.slice(0, 1), next: '3.1' } }
        : { json: { ...SET, items: items.slice(1) } },
    );
    const { out } = await palimpsest('golden', 'show', 'team:red', 'faq');
    expect(out).toBe(
      `faq version 3: 2 queries (1 synthetic), 3 judgements, 1 of documents that do not exist
carry: may days, "holidays", be carried over?
     2  holidays.md
     0  ${'f'.repeat(32)} (does not exist)
trains (synthetic): who books trains?
     1  travel.md
`,
    );
    const first = await palimpsest('golden', 'show', 'team:red', 'faq', '--limit', '1');
    expect(first.out).not.toContain('trains');
    expect(first.err).toContain('1 of 2 queries');
  });
});

describe('palimpsest golden import', () => {
  it("reads BEIR's layout, with all files of judgements and marks", async () => {
    await withFiles({ 'queries.jsonl': `${QUERIES}{"_id":"unjudged","text":"who knows?"}\n`, 'qrels/test.tsv': QRELS });
    await writeFile(join(folder.path, 'qrels', 'more.tsv.gz'), gzipSync('trains\ttravel.md\t1\ntrains\tmore.md\t3\n'));
    const { code, out } = await importing('.', '--knowledge-base', 'handbook', '--expected-version', '2');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'imported faq version 3: 2 queries (1 synthetic), 3 judgements, 1 of documents that do not exist\n1 queries without judgements were left out\n',
    });
    const [carry, trains] = SENT;
    expect(sent()).toEqual([
      [
        carry,
        {
          ...trains,
          judgements: [
            { source: 'travel.md', grade: 1 },
            { source: 'more.md', grade: 3 },
          ],
        },
      ],
    ]);
    expect(platform.requestsTo(`PUT ${SETS}/faq`)[0]?.query.get('knowledgeBase')).toBe('handbook');
  });

  it('reads CSV, with and without ids, and can mark all queries as synthetic', async () => {
    await withFiles({ 'all.csv': CSV, 'short.csv': '\ufeffquery,source,grade\r\nwho?,a.md,1\r\nwho?,b.md,0\r\n\r\n"w\nhat?",a.md,1\r\n' });
    expect((await importing('all.csv')).code).toBe(0);
    expect((await importing('short.csv', '--synthetic')).code).toBe(0);
    expect((await importing('short.csv')).code).toBe(0);
    const [all, synthetic, again] = sent();
    expect(all).toEqual(SENT);
    expect(synthetic).toMatchObject([
      {
        text: 'who?',
        synthetic: true,
        judgements: [
          { source: 'a.md', grade: 1 },
          { source: 'b.md', grade: 0 },
        ],
      },
      { text: 'w\nhat?', synthetic: true },
    ]);
    expect((again as { id: string }[]).map(({ id }) => id)).toEqual((synthetic as { id: string }[]).map(({ id }) => id));
  });

  it.each<[message: string, path: string, files: Record<string, string>]>([
    ["is not in BEIR's layout: queries.jsonl", '.', {}],
    ["is not in BEIR's layout: qrels has no .tsv file", '.', { 'queries.jsonl': QUERIES }],
    ['queries.jsonl line 3: expected a JSON object', '.', { 'queries.jsonl': `${QUERIES}{"_id":\n`, 'qrels/a.tsv': QRELS }],
    ['queries.jsonl line 3, text: expected a query', '.', { 'queries.jsonl': `${QUERIES}{"_id":"x"}\n`, 'qrels/a.tsv': QRELS }],
    [
      'queries.jsonl line 3, _id: expected an id that no other',
      '.',
      { 'queries.jsonl': `${QUERIES}{"_id":"carry","text":"x"}\n`, 'qrels/a.tsv': QRELS },
    ],
    [
      'queries.jsonl line 3, _id: expected 1-200 characters without spaces',
      '.',
      { 'queries.jsonl': `${QUERIES}{"_id":"a b","text":"x"}\n`, 'qrels/a.tsv': QRELS },
    ],
    [
      'queries.jsonl line 1, text: expected a query of at most 4000',
      '.',
      { 'queries.jsonl': `{"_id":"x","text":"${'x'.repeat(4_001)}"}\n`, 'qrels/a.tsv': QRELS },
    ],
    [
      'qrels/a.tsv line 5: expected query-id, corpus-id and score',
      '.',
      { 'queries.jsonl': QUERIES, 'qrels/a.tsv': `${QRELS}carry\tx.md\n` },
    ],
    [
      'qrels/a.tsv line 5, score: expected a whole number from 0 to 1000, got "-1"',
      '.',
      { 'queries.jsonl': QUERIES, 'qrels/a.tsv': `${QRELS}carry\tx.md\t-1\n` },
    ],
    [
      'qrels/a.tsv line 5, query-id: expected a query of queries.jsonl, got "none"',
      '.',
      { 'queries.jsonl': QUERIES, 'qrels/a.tsv': `${QRELS}none\tx.md\t1\n` },
    ],
    [
      'qrels/a.tsv line 5, score: expected one grade for travel.md',
      '.',
      { 'queries.jsonl': QUERIES, 'qrels/a.tsv': `${QRELS}trains\ttravel.md\t2\n` },
    ],
    ['a.csv line 1, grade: expected a heading with the columns query, source, grade', 'a.csv', { 'a.csv': 'query,source\nx,y\n' }],
    ['a.csv line 1, answer: expected each of the columns', 'a.csv', { 'a.csv': 'query,source,grade,answer\n' }],
    ['a.csv line 2: expected 3 cells, got 2', 'a.csv', { 'a.csv': 'query,source,grade\nwho?,a.md\n' }],
    ['a.csv line 3, source: expected a source', 'a.csv', { 'a.csv': 'query,source,grade\nwho?,a.md,1\nwho?,,1\n' }],
    ['expected CSV with closed quotes', 'a.csv', { 'a.csv': 'query,source,grade\n"who?,a.md,1\n' }],
    [
      'a.csv line 3, query: expected the query that x has in a.csv line 2',
      'a.csv',
      { 'a.csv': 'query,source,grade,id\na,b,1,x\nc,d,1,x\n' },
    ],
    ['a.csv line 2, synthetic: expected true or false, got "maybe"', 'a.csv', { 'a.csv': 'query,source,grade,synthetic\na,b,1,maybe\n' }],
    ['a.csv: expected at least one query with a judgement', 'a.csv', { 'a.csv': 'query,source,grade\n' }],
    ["expected a folder in BEIR's layout or a .csv file", 'a.txt', { 'a.txt': CSV }],
    ['none.csv: no such file', 'none.csv', {}],
  ])('refuses in one line, before anything is sent: %s', async (message, path, files) => {
    await withFiles(files);
    const { code, out, err } = await importing(path);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(platform.requests).toEqual([]);
  });

  it('names the line of the file where the server refuses a query', async () => {
    platform.on(`PUT ${SETS}/faq`, () => {
      const { json, ...reply } = problem(
        400,
        'InvalidValue',
        'line 2.judgements[0].knowledgeBase: expected one of handbook, wiki, got undefined',
      );
      return { ...reply, json: { ...(json as object), field: 'line 2.judgements[0].knowledgeBase', expected: 'one of handbook, wiki' } };
    });
    await withFiles({ 'all.csv': CSV });
    const { code, err } = await importing('all.csv');
    expect(code).toBe(2);
    expect(err).toBe('palimpsest: all.csv line 4, knowledgeBase: expected one of handbook, wiki; name it with --knowledge-base\n');
  });
});

describe('palimpsest golden export and remove', () => {
  it('writes files that are imported as the same queries', async () => {
    expect(await palimpsest('golden', 'export', 'team:red', 'faq', 'out')).toMatchObject({
      code: 0,
      out: 'exported faq: 2 queries, 3 judgements to out\n',
    });
    expect((await palimpsest('golden', 'export', 'team:red', 'faq', 'out.csv')).code).toBe(0);
    expect(await readFile(join(folder.path, 'out', 'queries.jsonl'), 'utf8')).toBe(QUERIES);
    expect(await readFile(join(folder.path, 'out', 'qrels', 'test.tsv'), 'utf8')).toBe(QRELS);
    expect(await readFile(join(folder.path, 'out.csv'), 'utf8')).toBe(CSV);
    await importing('out');
    await importing('out.csv');
    expect(sent()).toEqual([SENT, SENT]);
  });

  it('overwrites nothing, and says what the layout cannot hold', async () => {
    await withFiles({ 'out.csv': 'mine' });
    expect((await palimpsest('golden', 'export', 'team:red', 'faq', 'out.csv')).err).toContain('out.csv already exists');
    const wiki = { ...LINES[1], id: 'w', judgements: [{ source: 'x', knowledgeBase: 'wiki', grade: 1 }] };
    platform.on(`GET ${SETS}/faq/export`, () => ({ text: [...LINES, wiki].map((line) => `${JSON.stringify(line)}\n`).join('') }));
    expect((await palimpsest('golden', 'export', 'team:red', 'faq', 'out')).err).toContain('several knowledge bases (handbook, wiki)');
    await palimpsest('golden', 'export', 'team:red', 'faq', 'both.csv');
    await importing('both.csv');
    expect(sent()[0]?.[2]).toEqual(wiki);
  });

  it('removes a set, if it has the expected version', async () => {
    platform.on(`DELETE ${SETS}/faq`, () => ({ status: 204 }));
    expect(await palimpsest('golden', 'remove', 'team:red', 'faq')).toMatchObject({ code: 0, out: 'removed faq\n' });
    platform.on(`DELETE ${SETS}/faq`, () => problem(409, 'Conflict', 'golden set "faq" is at version 4, not at version 3'));
    expect(await palimpsest('golden', 'remove', 'team:red', 'faq', '--expected-version', '3')).toMatchObject({
      code: 2,
      err: 'palimpsest: golden set "faq" is at version 4, not at version 3 (Conflict)\n',
    });
  });
});
