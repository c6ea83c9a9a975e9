import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FakePlatform } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';

let platform: FakePlatform;
let folder: Awaited<ReturnType<typeof aFolder>>;
beforeEach(async () => {
  platform = await FakePlatform.open();
  folder = await aFolder({
    'My Set/corpus.jsonl': '{"_id":"1","title":"Tides","text":"The moon."}\n{"_id":"2","title":"","text":"The sun."}\n',
    'My Set/qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\t1\t1\nq2\t2\t1\nq3\t1\t0\n',
  });
  const queries = '{"_id":"q1","text":"moon"}\n{"_id":"q2","text":"sun"}\n{"_id":"q3","text":"unjudged"}\n';
  await writeFile(join(folder.path, 'My Set/queries.jsonl.gz'), gzipSync(queries));
  platform
    .on('POST /v1/knowledge-bases', () => ({ status: 201, json: {} }))
    .on('POST /v1/documents', ({ json }) => ({
      status: 202,
      json: {
        documents: [{ documentId: `doc${String(json['sourceId'])}`, sourceId: json['sourceId'], version: 1, status: 'accepted' }],
        position: '1',
      },
    }))
    .on('GET /v1/documents/*', () => ({ json: { version: 1, status: 'indexed' } }))
    // Always returns document 1 (two of its chunks), then document 2.
    .on('POST /v1/search', () => ({ json: { hits: [{ documentId: 'doc1' }, { documentId: 'doc1' }, { documentId: 'doc2' }] } }));
});
afterEach(async () => {
  await platform.close();
  await folder.remove();
});
const evaluate = (...args: string[]) => run(['eval', 'My Set', ...args, '--url', platform.url], { cwd: folder.path });

describe('palimpsest eval', () => {
  it('loads the corpus, runs the judged queries with each strategy, and counts each document once, at its best chunk', async () => {
    const { code, out } = await evaluate('--json');
    expect(code).toBe(0);
    const figures = { ndcg10: (1 + 1 / Math.log2(3)) / 2, recall10: 1, recall100: 1, mrr10: 0.75 };
    expect(JSON.parse(out)).toEqual({
      ...{ testSet: 'my-set', documents: 2, failed: 0, queries: 2 },
      results: ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'].map((strategy) => ({ strategy, ...figures })),
    });
    expect(platform.requestsTo('POST /v1/documents').map(({ json }) => json['text'])).toEqual(['Tides\n\nThe moon.', 'The sun.']);
    expect(platform.requestsTo('POST /v1/search')[0]?.json).toMatchObject({ knowledgeBases: ['eval-my-set'], topK: 100 });
  });

  it('prints a table, with only the selected strategy', async () => {
    const { out } = await evaluate('--strategy', 'SparseOnly');
    expect(out).toContain('my-set: 2 documents (0 failed), 2 queries');
    expect(out).toMatch(/SparseOnly\s+0\.8155\s+1\.0000\s+1\.0000\s+0\.7500/);
    expect(out).not.toContain('DenseOnly');
  });

  it('writes what the searches returned, in an order that `eval compare` reads', async () => {
    const hits = [
      { documentId: 'doc1', score: 0.5 },
      { documentId: 'doc1', score: 0.5 },
      { documentId: 'doc2', score: 0.5 },
    ];
    platform.on('POST /v1/search', () => ({ json: { hits } }));
    expect(await evaluate('--strategy', 'SparseOnly', '--run', 'sparse.trec')).toMatchObject({ code: 0 });
    const written = await readFile(join(folder.path, 'sparse.trec'), 'utf8');
    expect(written).toMatch(/^q1 Q0 1 1 0\.5 SparseOnly\nq1 Q0 2 2 0\.4999\d* SparseOnly\nq2 Q0 1 1 0\.5 SparseOnly\n/);
    const args = ['eval', 'compare', 'sparse.trec', 'sparse.trec', '--qrels', 'My Set/qrels/test.tsv', '--json'];
    const { code, out } = await run(args, { cwd: folder.path });
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      queries: 2,
      measures: [{ measure: 'nDCG@10', before: (1 + 1 / Math.log2(3)) / 2 }, {}, {}, {}],
    });
  });

  it('overwrites no run, and says so before the work', async () => {
    await writeFile(join(folder.path, 'sparse.trec'), 'of yesterday');
    const { code, err } = await evaluate('--strategy', 'SparseOnly', '--run', 'sparse.trec');
    expect([code, err]).toEqual([2, expect.stringContaining('sparse.trec exists; name another file')]);
    expect(await readFile(join(folder.path, 'sparse.trec'), 'utf8')).toBe('of yesterday');
    expect(platform.requestsTo('POST /v1/documents')).toEqual([]);
  });

  it('writes the run of one strategy only', async () => {
    expect(await evaluate('--run', 'all.trec')).toMatchObject({ code: 2, err: expect.stringContaining('name it with --strategy') });
    expect(platform.requestsTo('POST /v1/documents')).toEqual([]);
  });

  it('counts a document without text, but does not send it', async () => {
    await writeFile(
      join(folder.path, 'My Set/corpus.jsonl'),
      '{"_id":"1","title":"Tides","text":"The moon."}\n{"_id":"2","title":"","text":" "}\n',
    );
    const { code, out } = await evaluate('--strategy', 'SparseOnly', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ documents: 2, failed: 0 });
    expect(platform.requestsTo('POST /v1/documents').map(({ json }) => json['sourceId'])).toEqual(['1']);
  });

  it('names a missing file and an invalid line', async () => {
    await mkdir(join(folder.path, 'empty'));
    expect(await run(['eval', 'empty', '--url', platform.url], { cwd: folder.path })).toMatchObject({
      code: 2,
      err: expect.stringContaining('corpus.jsonl (or corpus.jsonl.gz) is missing'),
    });
    await writeFile(join(folder.path, 'My Set/corpus.jsonl'), '{"_id":"1","text":"fine"}\n{"_id":"2"\n');
    expect(await evaluate()).toMatchObject({ code: 2, err: expect.stringContaining('corpus.jsonl line 2: expected a JSON object') });
  });
});
