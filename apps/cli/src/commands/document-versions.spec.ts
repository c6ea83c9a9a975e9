import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

const at = '2026-11-01T09:00:00.000Z';
const moment = { position: '7', at };
const about = { documentId: 'd', knowledgeBase: 'handbook', scope: 'deployment', source: 'holidays.md', deleted: false };
const chunk = (index: number) => ({
  ...{ chunkId: `c${index}`, index, of: 2, text: `Text ${index}.`, contextPrefix: '', headings: index === 0 ? ['Holidays', 'When'] : [] },
  ...{ start: 0, end: 7, fromLine: 1, toLine: index + 1, language: 'en' },
});
const side = (version: number) => ({ version, title: 'Holidays', indexed: moment, chunkList: 'default', chunks: 2 });
const place = (index: number) => ({ index, fromLine: 3, toLine: 5 });
const DIFF = {
  ...about,
  from: side(1),
  to: side(2),
  counts: { added: 1, removed: 1, kept: 1 },
  chunks: [
    { change: 'kept', chunkId: 'a', headings: ['Holidays'], from: place(0), to: place(0) },
    { change: 'removed', chunkId: 'b', headings: ['Holidays', 'When'], from: place(1) },
    { change: 'added', chunkId: 'c', headings: [], to: { ...place(1), toLine: 3 } },
  ],
  unified: '--- holidays.md@1\n+++ holidays.md@2\n@@ -1,2 +1,2 @@\n same\n-5 days\n+10 days\n',
  truncated: false,
};

describe('palimpsest documents version', () => {
  const version = {
    ...about,
    version: 1,
    title: 'Holidays',
    status: 'indexed',
    submitted: moment,
    indexed: moment,
    chunkList: 'default',
    total: 2,
  };

  it('prints the texts of all chunks', async () => {
    platform.on('GET /v1/documents/d/versions/1', ({ query }) => ({
      json: query.get('cursor') === null ? { ...version, chunks: [chunk(0)], next: '1' } : { ...version, chunks: [chunk(1)] },
    }));
    expect((await palimpsest('documents', 'version', 'd', '1')).out).toBe(
      [
        `Holidays  handbook/holidays.md version 1, submitted ${at}`,
        ...['', 'chunk 1 of 2, Holidays › When, line 1', 'Text 0.', '', 'chunk 2 of 2, lines 1-2', 'Text 1.', ''],
      ].join('\n'),
    );
    const { out } = await palimpsest('documents', 'version', 'd', '1', '--json');
    expect(JSON.parse(out)).toEqual({ ...version, chunks: [chunk(0), chunk(1)] });
  });

  it('prints why it was not indexed, and that the document was deleted', async () => {
    const failed = {
      ...version,
      deleted: true,
      deletion: moment,
      status: 'failed',
      reason: 'password',
      detail: 'It has one.',
      total: 0,
      chunks: [],
    };
    platform.on('GET /v1/documents/d/versions/1', () => ({ json: failed }));
    expect((await palimpsest('documents', 'version', 'd', '1')).out).toContain(
      `\ndeleted ${at}, position 7\nfailed password: It has one.\n`,
    );
    platform.on('GET /v1/documents/d/versions/1', () => ({ json: { ...version, status: 'superseded', total: 0, chunks: [] } }));
    expect((await palimpsest('documents', 'version', 'd', '1')).out).toContain('\nsuperseded\n');
  });

  it('refuses what is not a version', async () => expect((await palimpsest('documents', 'version', 'd', 'x')).code).toBe(2));
});

describe('palimpsest documents diff', () => {
  it('prints changed chunks and a unified diff', async () => {
    platform.on('GET /v1/documents/d/diff', () => ({ json: DIFF }));
    expect((await palimpsest('documents', 'diff', 'd')).out.split('\n')).toEqual([
      `holidays.md  version 1 (${at}) → 2 (${at})`,
      'chunks: 1 added, 1 removed, 1 kept',
      '- Holidays › When, lines 3-5',
      '+ line 3',
      '',
      '--- holidays.md@1',
      '+++ holidays.md@2',
      '@@ -1,2 +1,2 @@',
      ' same',
      '-5 days',
      '+10 days',
      '',
    ]);
    expect(platform.requestsTo('GET /v1/documents/d/diff').map(({ query }) => String(query))).toEqual(['']);
  });

  it('asks for the versions, and prints the response as JSON', async () => {
    platform.on('GET /v1/documents/d/diff', () => ({ json: DIFF }));
    const { out } = await palimpsest('documents', 'diff', 'd', '--from', '1', '--to', '3', '--json');
    expect(JSON.parse(out)).toEqual(DIFF);
    expect(platform.requestsTo('GET /v1/documents/d/diff').map(({ query }) => String(query))).toEqual(['from=1&to=3']);
  });

  it('says what is missing or cut, and that nothing changed', async () => {
    const { unified: _, ...without } = DIFF;
    platform.on('GET /v1/documents/d/diff', () => ({
      json: { ...without, unifiedMissing: 'too-different', truncated: true, deletion: moment },
    }));
    const { out, err } = await palimpsest('documents', 'diff', 'd');
    expect(err).toBe('too many lines differ to list them\nthe comparison is longer than what is shown\n');
    expect(out).toContain(`deleted ${at}, position 7`);
    platform.on('GET /v1/documents/d/diff', () => ({ json: { ...DIFF, unified: '' } }));
    expect((await palimpsest('documents', 'diff', 'd')).out).toContain('the texts are the same');
  });
});
