import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FakePlatform } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';

const document = { version: 1, indexedAt: '2026-11-28T08:00:00.000Z' };
const generation = (name: string) => ({ generation: name, embeddingVersion: `model-${name}` });
/** Words find document 2 before document 1; together with vectors it is the other way round, and document 3 is found. */
const HITS: Readonly<Record<string, readonly object[]>> = {
  SparseOnly: [
    { documentId: 'doc2', score: 9, explain: lexical(1, 9, ['<moon>']) },
    { documentId: 'doc1', score: 4, explain: lexical(2, 4, ['tide']) },
  ],
  DenseSparseHybrid: [
    { documentId: 'doc1', score: 1.5, explain: hybrid(1, 0.71, 1, 2) },
    { documentId: 'doc2', score: 0.5, explain: hybrid(2, 0.42, 8, 1) },
    { documentId: 'doc2', score: 0.4, explain: hybrid(3, 0.41, 9, 2) },
    { documentId: 'doc3', score: -0.25, explain: { ...hybrid(4, 0.4, 10, 3), skipped: { rerank: 'took more than 20 ms' } } },
  ],
};
function lexical(rank: number, score: number, terms: readonly string[]) {
  const stages = { lexical: { rank, score }, fuse: { rank, score } };
  return { fusion: { label: 'words only', value: score }, lexical: { rank, score, terms }, stages, generation: generation('g1'), document };
}
function hybrid(rank: number, cosine: number, denseRank: number, lexicalRank: number) {
  return {
    fusion: {
      label: 'weighted sum',
      value: 1.5,
      parts: [
        { label: `0.6 × dense ${cosine}`, value: 1 },
        { label: '0.4 × lexical 0.5', value: 0.5 },
      ],
    },
    stages: {
      dense: { rank: denseRank, score: cosine },
      lexical: { rank: lexicalRank, score: 3, note: 'a & b' },
      fuse: { rank, score: 1.5 },
    },
    generation: generation('g2'),
    document,
  };
}

let platform: FakePlatform;
let folder: Awaited<ReturnType<typeof aFolder>>;
beforeEach(async () => {
  platform = await FakePlatform.open();
  folder = await aFolder({
    'sea/corpus.jsonl': '{"_id":"1","text":"The tide."}\n{"_id":"2","text":"The moon."}\n{"_id":"3","text":"A stone."}\n',
    'sea/queries.jsonl': '{"_id":"q1","text":"what moves\\nthe <sea>?"}\n',
    'sea/qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\t1\t2\nq1\t3\t0\n',
  });
  platform
    .on('POST /v1/knowledge-bases', () => ({ status: 201, json: {} }))
    .on('POST /v1/documents', ({ json: { sourceId } }) => ({
      status: 202,
      json: { documents: [{ documentId: `doc${String(sourceId)}`, sourceId, version: 1, status: 'accepted' }], position: '1' },
    }))
    .on('GET /v1/documents/*', () => ({ json: { version: 1, status: 'indexed' } }))
    .on('POST /v1/search', ({ json }) => ({ json: { hits: HITS[String(json['strategy'])] } }));
});
afterEach(async () => {
  await platform.close();
  await folder.remove();
});

const evaluate = (strategy: string, ...args: string[]) =>
  run(['eval', 'sea', '--strategy', strategy, ...args, '--url', platform.url], { cwd: folder.path });
const bothRuns = async () => {
  expect(await evaluate('SparseOnly', '--run', 'words.trec', '--explain')).toMatchObject({ code: 0 });
  expect(await evaluate('DenseSparseHybrid', '--run', 'hybrid.trec', '--explain')).toMatchObject({ code: 0 });
};
const compare = (...args: string[]) =>
  run(['eval', 'compare', 'words.trec', 'hybrid.trec', '--qrels', 'sea/qrels/test.tsv', ...args], { cwd: folder.path });
const file = (name: string) => join(folder.path, name);

describe('palimpsest eval --explain', () => {
  it('asks for explanations, and writes those of documents at their best chunk next to the run', async () => {
    await evaluate('DenseSparseHybrid', '--run', 'hybrid.trec', '--explain');
    expect(platform.requestsTo('POST /v1/search')[0]?.json).toMatchObject({ explain: true });
    const lines = (await readFile(file('hybrid.trec.explain.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        ...{ query: 'q1', text: 'what moves\nthe <sea>?' },
        documents: [
          { id: '1', rank: 1, explain: hybrid(1, 0.71, 1, 2) },
          { id: '2', rank: 2, explain: hybrid(2, 0.42, 8, 1) },
          { id: '3', rank: 3, explain: { ...hybrid(4, 0.4, 10, 3), skipped: { rerank: 'took more than 20 ms' } } },
        ],
      },
    ]);
  });

  it('leaves out documents after the first ten without a judgement', async () => {
    const hits = Array.from({ length: 30 }, (_, index) => ({
      documentId: `doc${index === 20 ? 1 : index + 50}`,
      score: 1 / (index + 1),
      explain: hybrid(1, 1, 1, 1),
    }));
    platform.on('POST /v1/search', () => ({ json: { hits } }));
    await evaluate('DenseSparseHybrid', '--run', 'long.trec', '--explain');
    const { documents } = JSON.parse(await readFile(file('long.trec.explain.jsonl'), 'utf8')) as {
      documents: { id: string; rank: number }[];
    };
    expect(documents.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 21]);
    expect(documents.at(-1)?.id).toBe('1');
  });

  it('needs a run, overwrites nothing, and asks for no explanation without it', async () => {
    expect(await evaluate('SparseOnly', '--explain')).toMatchObject({ code: 2, err: expect.stringContaining('name its file with --run') });
    await writeFile(file('words.trec.explain.jsonl'), 'of yesterday');
    const { code, err } = await evaluate('SparseOnly', '--run', 'words.trec', '--explain');
    expect([code, err]).toEqual([2, expect.stringContaining('words.trec.explain.jsonl exists; name another file')]);
    expect(await readdir(folder.path)).not.toContain('words.trec');
    expect(platform.requestsTo('POST /v1/search')).toEqual([]);
    expect(await evaluate('SparseOnly')).toMatchObject({ code: 0 });
    expect(platform.requestsTo('POST /v1/search')[0]?.json['explain']).toBe(false);
  });
});

describe('palimpsest eval compare, with explained runs', () => {
  it('shows which judged documents moved and in which stages, with both explanations in JSON', async () => {
    await bothRuns();
    const { out } = await compare();
    expect(out).toContain('\nq1: what moves the <sea>?\n  1 (grade 2): rank 2 → 1; dense – → 1, lexical 2 → 2, fuse 2 → 1\n');
    const { best, worst } = JSON.parse((await compare('--json')).out) as { best: unknown[]; worst: unknown[] };
    expect(worst).toEqual([]);
    expect(best).toEqual([
      {
        ...{
          query: 'q1',
          text: 'what moves\nthe <sea>?',
          before: expect.closeTo(1 / Math.log2(3)),
          after: 1,
          difference: expect.closeTo(1 - 1 / Math.log2(3)),
        },
        documents: [
          {
            ...{ document: '1', grade: 2 },
            before: { rank: 2, score: 4, explain: lexical(2, 4, ['tide']) },
            after: { rank: 1, score: 1.5, explain: hybrid(1, 0.71, 1, 2) },
          },
          { document: '3', grade: 0, after: { rank: 3, score: -0.25, explain: expect.anything() } },
        ],
        moreDocuments: 0,
      },
    ]);
  });

  it('shows both explanations in the report, as text, with what differs between them emphasised', async () => {
    await bothRuns();
    await compare('--html', 'report.html');
    const report = await readFile(file('report.html'), 'utf8');
    expect(report).toContain('<h4><bdi>q1</bdi>: <bdi>what moves\nthe &lt;sea&gt;?</bdi></h4>');
    const before =
      '<li>lexical: rank 2 <span class="quiet">4; words tide</span></li><li><b>fuse: rank 2</b> <span class="quiet">4</span></li>';
    const after =
      '<li><b>dense: rank 1</b> <span class="quiet">0.71</span></li><li>lexical: rank 2 <span class="quiet">3; a &amp; b</span></li>' +
      '<li><b>fuse: rank 1</b> <span class="quiet">1.5</span></li><li><span class="quiet">weighted sum 1.5: 0.6 × dense 0.71 and 0.4 × lexical 0.5</span></li>' +
      '<li><span class="quiet">generation g2, model model-g2</span></li>';
    expect(report).toContain(`<td><bdi>1</bdi></td><td>2</td><td>2</td><td>1</td><td><ul>${before}<li><span class="quiet">generation g1, model model-g1</span></li></ul></td><td><ul>${after}</ul></td>`); // prettier-ignore
    expect(report).toContain('<td>not found</td><td>3</td><td><span class="quiet">not found</span></td>');
    expect(report).toContain('<li><span class="quiet">rerank was skipped: took more than 20 ms</span></li>');
    expect(report).toContain('<td>explanations</td><td>of <bdi>words.trec</bdi>, <bdi>hybrid.trec</bdi></td>');
  });

  it('compares an explained run with one that is not', async () => {
    await bothRuns();
    await rm(file('words.trec.explain.jsonl'));
    await writeFile(file('hybrid.trec.explain.jsonl.gz'), gzipSync(await readFile(file('hybrid.trec.explain.jsonl'))));
    await rm(file('hybrid.trec.explain.jsonl'));
    const { out, code } = await compare('--html', 'report.html');
    expect(code).toBe(3);
    expect(out).toContain('\nq1: what moves the <sea>?\n  1 (grade 2): rank 2 → 1\n');
    const report = await readFile(file('report.html'), 'utf8');
    expect(report).toContain('<td><span class="quiet">not explained</span></td><td><ul><li><b>dense: rank 1</b>');
    expect(report).toContain('<td>of <bdi>hybrid.trec</bdi></td>');
  });

  it('refuses explanations of another run, and lines that are none', async () => {
    await bothRuns();
    await writeFile(file('words.trec.explain.jsonl'), await readFile(file('hybrid.trec.explain.jsonl'), 'utf8'));
    expect(await compare()).toMatchObject({
      code: 2,
      err: expect.stringContaining('words.trec.explain.jsonl line 1: expected document 1 at rank 1 of query q1 in words.trec'),
    });
    const explain = lexical(1, 9, []);
    const wrong = [
      '{"query":"q1"',
      '[]',
      '{"query":"q1","text":"a"}',
      ...[
        { ...explain, stages: { fuse: { rank: '1', score: 2 } } },
        { ...explain, fusion: { label: 'sum', value: 1, parts: [{}] } },
        { ...explain, lexical: { terms: [1] } },
        { ...explain, skipped: { rerank: 2 } },
        { ...explain, generation: {} },
        undefined,
      ].map((broken) => JSON.stringify({ query: 'q1', text: 'a', documents: [{ id: '2', rank: 1, explain: broken }] })),
    ];
    for (const line of wrong) {
      await writeFile(file('words.trec.explain.jsonl'), `${line}\n`);
      expect(await compare()).toMatchObject({
        code: 2,
        err: expect.stringContaining('words.trec.explain.jsonl line 1: expected query, text and documents with id, rank and explain'),
      });
    }
  });
});
