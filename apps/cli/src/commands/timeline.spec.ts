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
const of = { at, documentId: 'd', knowledgeBase: 'handbook', source: 'holidays.md', title: 'Holidays' };
const ENTRIES = [
  { ...of, kind: 'left', position: '9', version: 3, chunks: { added: 0, removed: 2, kept: 0 } },
  { ...of, kind: 'failed', position: '8', version: 3, reason: 'password', detail: 'It has a password.' },
  { ...of, kind: 'changed', position: '7', version: 2, chunks: { added: 1, removed: 1, kept: 1 } },
  { ...of, kind: 'changed', position: '6', version: 2, chunks: { added: 0, removed: 0, kept: 2 } },
  {
    ...{ kind: 'model', position: '5', at, change: 'rolled-back', generation: 'g1', embeddingVersion: 'a:b/4', chunkList: 'default' },
    serving: { generation: 'g1', embeddingVersion: 'a:b/4' },
  },
  { kind: 'model', position: '4', at, change: 'started', generation: 'g1', embeddingVersion: 'a:b/4', chunkList: 'default' },
  { kind: 'knowledge-base', position: '3', at, knowledgeBase: 'handbook', change: 'created', name: 'The handbook' },
  { kind: 'knowledge-base', position: '2', at, knowledgeBase: 'handbook', change: 'paused' },
  { kind: 'unreadable', position: '1', at, reason: 'erased' },
];
const to = { position: '9', at };

describe('palimpsest timeline', () => {
  it('prints a row for each entry, of the deployment scope by default', async () => {
    platform.on('GET /v1/scopes/deployment/timeline', () => ({ json: { entries: ENTRIES, to } }));
    const { code, out } = await palimpsest('timeline');
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').trim())).toEqual([
      'position | time | what | about | details',
      `9 | ${at} | left | handbook/holidays.md v3 | -2 chunks`,
      `8 | ${at} | failed | handbook/holidays.md v3 | password: It has a password.`,
      `7 | ${at} | changed | handbook/holidays.md v2 | +1 -1 chunks, 1 kept`,
      `6 | ${at} | changed | handbook/holidays.md v2 | no chunks changed, 2 kept`,
      `5 | ${at} | model rolled-back | g1 a:b/4 | serving: a:b/4`,
      `4 | ${at} | model started | g1 a:b/4 | nothing serves`,
      `3 | ${at} | created | handbook | The handbook`,
      `2 | ${at} | paused | handbook`,
      `1 | ${at} | erased`,
      '',
    ]);
  });

  it('sends its filters, reads page by page, and notes that there is more', async () => {
    platform.on('GET /v1/scopes/team:red/timeline', ({ query }) => ({
      json:
        query.get('cursor') === null ? { entries: ENTRIES.slice(0, 1), next: 'p9', to } : { entries: ENTRIES.slice(1, 3), next: 'p7', to },
    }));
    const { out, err } = await palimpsest(
      'timeline',
      'team:red',
      '--kb',
      'handbook',
      '--after',
      '2',
      '--before',
      at,
      '--limit',
      '2',
      '--json',
    );
    expect(JSON.parse(out)).toEqual({ entries: ENTRIES.slice(0, 2), to, more: true });
    expect(err).toBe('');
    const queries = platform.requestsTo('GET /v1/scopes/team:red/timeline').map(({ query }) => Object.fromEntries(query));
    const filters = { knowledgeBase: 'handbook', after: '2', before: at };
    expect(queries).toEqual([
      { ...filters, limit: '3' },
      { ...filters, limit: '2', cursor: 'p9' },
    ]);
    expect((await palimpsest('timeline', 'team:red', '--limit', '2')).err).toContain('the first 2 entries, more exist');
  });

  it('prints that there are no entries', async () => {
    platform.on('GET /v1/scopes/deployment/timeline', () => ({ json: { entries: [], to } }));
    expect((await palimpsest('timeline')).out).toBe('no entries\n');
  });
});
