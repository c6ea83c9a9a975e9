import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FakePlatform, problem } from '../../test/fake-platform.ts';
import type { ReceivedRequest } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';

/** 40 characters each; the second has an accordion of two UTF-16 units as its first character. */
const TIDES = 'The moon pulls seas.Tides rise at night.';
const SUN = '🪗 is not the sun. The sun shines by day.';
const QUESTIONS = [
  { _id: 'q1', text: 'tides', corpus_id: 'tides', refs: [{ start: 10, end: 30, content: TIDES.slice(10, 30) }] },
  { _id: 'q2', text: 'sun', corpus_id: 'sun', refs: [{ start: 0, end: 18, content: SUN.slice(0, 19) }] },
];
/** What a server that cuts after 20 UTF-16 units lists. */
const cut = (id: string, text: string): Record<string, unknown>[] => [
  { chunkId: `${id}0`, start: 0, end: 20, text: text.slice(0, 20) },
  { chunkId: `${id}1`, start: 20, end: text.length, text: text.slice(20) },
];

let platform: FakePlatform;
let folder: Awaited<ReturnType<typeof aFolder>>;
let chunks: Record<string, Record<string, unknown>[]>;
beforeEach(async () => {
  platform = await FakePlatform.open();
  folder = await aFolder({ 'My Texts/tides.md': TIDES, 'My Texts/questions.jsonl': lines(QUESTIONS) });
  await writeFile(join(folder.path, 'My Texts/sun.md.gz'), gzipSync(SUN));
  chunks = { tides: cut('tides', TIDES), sun: cut('sun', SUN) };
  const pageOf = ({ route, query }: ReceivedRequest): Record<string, unknown> => {
    const all = chunks[route.split('/').at(-2) ?? ''] ?? [];
    // One chunk a page.
    const at = Number(query.get('cursor') ?? 0);
    return { chunks: all.slice(at, at + 1), ...(at + 1 < all.length ? { next: String(at + 1) } : {}) };
  };
  const existing = new Set<unknown>();
  platform
    .on('GET /v1/knowledge-bases/*', ({ route }) => {
      const id = route.split('/').at(-1) ?? '';
      return existing.has(id) ? { json: { id, scope: `team:${id}` } } : problem(404, 'NotFound', 'unknown');
    })
    .on('POST /v1/knowledge-bases', ({ json }) => {
      existing.add(json['id']);
      return { status: 201, json: {} };
    })
    .on('POST /v1/documents', ({ json: { sourceId } }) => ({
      status: 202,
      json: { documents: [{ documentId: sourceId, sourceId, version: 1, status: 'accepted' }], position: '1' },
    }))
    .on('GET /v1/documents/*', (request) => ({
      json: request.route.endsWith('/chunks') ? pageOf(request) : { version: 1, status: 'indexed' },
    }))
    // Always returns the first chunk of each text.
    .on('POST /v1/search', () => ({ json: { hits: ['tides0', 'sun0'].map((chunkId) => ({ chunkId, text: 'twenty characters …!' })) } }));
});
afterEach(async () => {
  await platform.close();
  await folder.remove();
});
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const evaluate = (...args: string[]) => run(['eval', 'chunking', 'My Texts', ...args, '--url', platform.url], { cwd: folder.path });

describe('palimpsest eval chunking', () => {
  it('creates a knowledge base for each chunking, searches every question, and compares the places of results and references', async () => {
    const { code, out, err } = await evaluate('--size', '200', '--size', 'default', '--overlap', '0', '--overlap', '50', '--strategy', 'DenseOnly', '--json'); // prettier-ignore
    expect([code, err]).toEqual([0, expect.stringContaining('tokens 200, overlap 50: DenseOnly 2 of 2')]);
    const { results, ...rest } = JSON.parse(out) as { results: Record<string, unknown>[] };
    expect(rest).toEqual({ testSet: 'my-texts', texts: 2, questions: 2, references: 2, top: 5, level: 0.05, seed: 1 });
    expect(results.map(({ knowledgeBase, chunking }) => [knowledgeBase, chunking])).toEqual([
      ['chunks-my-texts.tokens-200-0', { tokens: { maxTokens: 200, overlap: 0 } }],
      ['chunks-my-texts.tokens-200-50', { tokens: { maxTokens: 200, overlap: 50 } }],
      ['chunks-my-texts.tokens-default', {}],
    ]);
    // q1: 10 of 20 characters are found, 40 are read. q2: the first chunk, 20 units, holds all 19 units of the reference, and 40 are read.
    const mean = (a: number, b: number) => expect.objectContaining({ mean: expect.closeTo((a + b) / 2, 12), deviation: expect.closeTo(Math.abs(a - b) / Math.SQRT2, 12) }); // prettier-ignore
    expect(results[0]).toMatchObject({
      ...{ chunks: 4, chunkLength: 20.25, chunksWithoutPlace: 0, precisionOmega: mean(20 / 40, 19 / 20) },
      strategies: [
        {
          ...{ strategy: 'DenseOnly', hitsWithoutPlace: 0 },
          ...{ recall: mean(10 / 20, 1), precision: mean(10 / 40, 19 / 40), iou: mean(10 / 50, 19 / 40) },
        },
      ],
    });
    const created = platform.requestsTo('POST /v1/knowledge-bases').map(({ json }) => json);
    expect(created[1]).toEqual({
      ...{ id: 'chunks-my-texts.tokens-200-50', scope: 'team:chunks-my-texts.tokens-200-50' },
      chunking: { tokens: { maxTokens: 200, overlap: 50 } },
    });
    expect(platform.requestsTo('POST /v1/search')[0]?.json).toMatchObject({ knowledgeBases: ['chunks-my-texts.tokens-200-0'], topK: 5, strategy: 'DenseOnly' }); // prettier-ignore
    expect(platform.requestsTo('POST /v1/documents')[0]?.json).toMatchObject({ text: SUN, mediaType: 'text/plain' });
  });

  it('uses the knowledge bases of an earlier run', async () => {
    const first = await evaluate('--size', '200', '--json');
    expect(platform.requestsTo('POST /v1/knowledge-bases')).toHaveLength(1);
    expect(await evaluate('--size', '200', '--json')).toMatchObject({ code: 0, out: first.out });
    expect(platform.requestsTo('POST /v1/knowledge-bases')).toHaveLength(1);
  });

  it('prints means, deviations and intervals of every chunking and strategy', async () => {
    const { code, out } = await evaluate('--top', '2');
    expect(code).toBe(0);
    expect(out).toContain('my-texts: 2 texts, 2 questions, 2 references, 2 results each');
    expect(out).toMatch(
      /tokens 400, overlap 100\s+4\s+20\s+SparseOnly\s+0\.750 ± 0\.354\s+0\.36[23] ± 0\.159\s+0\.33[78] ± 0\.194\s+0\.725 ± 0\.318/,
    );
    expect(out).toMatch(/intervals of the means \(95 %\)\n/);
    expect(out).toMatch(/tokens default\s+DenseSparseHybrid\s+0\.500 to 1\.000/);
    expect(out).not.toContain('no certain place');
  });

  it('sends Markdown to the chunker for Markdown', async () => {
    expect(await evaluate('--chunker', 'markdown', '--size', '800')).toMatchObject({ code: 0 });
    expect(platform.requestsTo('POST /v1/knowledge-bases')[0]?.json).toMatchObject({ chunking: { markdown: { maxChars: 800 } } });
    expect(platform.requestsTo('POST /v1/documents')[0]?.json).toMatchObject({ mediaType: 'text/markdown' });
  });

  it('counts chunks whose place is not certain as read, but not as found, and says how many', async () => {
    chunks['tides'] = [{ chunkId: 'tides0', start: 0, end: 20, text: 'Not in that text ...' }, ...(chunks['tides'] ?? []).slice(1)];
    platform.on('POST /v1/search', () => ({
      json: { hits: ['tides0', 'unknown'].map((chunkId) => ({ chunkId, text: 'twenty characters …!' })) },
    }));
    const { out } = await evaluate('--size', '200', '--strategy', 'DenseOnly');
    expect(out).toContain('tokens 200, overlap 0, DenseOnly: 1 chunks and 4 results have no certain place in the texts');
    // Without that chunk, half of the first reference is in no chunk: 10 of 30, and 19 of 20.
    expect(out).toMatch(/DenseOnly\s+0\.000 ± 0\.000\s+0\.000 ± 0\.000\s+0\.000 ± 0\.000\s+0\.642 ±/);
  });

  it('stops if the server could not index a text, or refuses the numbers before anything is sent', async () => {
    chunks['sun'] = [];
    expect(await evaluate('--size', '200')).toMatchObject({ code: 2, err: expect.stringContaining('sun in chunks-my-texts.tokens-200-0 has no chunks') }); // prettier-ignore
    platform.on('POST /v1/knowledge-bases', () => problem(400, 'InvalidValue', 'chunking.tokens.overlap: expected at most a quarter'));
    const sent = platform.requestsTo('POST /v1/documents').length;
    expect(await evaluate('--size', '300', '--size', '400', '--overlap', '200')).toMatchObject({ code: 2, err: expect.stringContaining('at most a quarter') }); // prettier-ignore
    expect(platform.requestsTo('POST /v1/documents')).toHaveLength(sent);
  });

  it.each([
    ['--chunker markdown --overlap 10', '--overlap and --min-tokens belong to --chunker tokens'],
    ['--chunker markdown --size 1500', '--size 1500: expected another number'],
    ['--size 500 --overlap 50 --min-tokens 100', 'the server takes these former defaults for "default"'],
    ['--size none', 'Must be "default" or a whole number above 0.'],
    ['--top 0', 'Must be a whole number from 1 to 100.'],
  ])('refuses %s', async (args, message) => {
    expect(await evaluate(...args.split(' '))).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  const [first, second] = QUESTIONS;
  const withRefs = (...refs: unknown[]) => lines([first, { ...second, refs }]);
  it.each([
    ['{"_id":"q1"\n', 'questions.jsonl line 1: expected a JSON object with _id, text, corpus_id and refs'],
    [lines([first, 7]), 'questions.jsonl line 2: expected a JSON object with _id, text, corpus_id and refs'],
    [lines([first, { ...second, text: ' ' }]), 'questions.jsonl line 2: expected a JSON object with _id, text, corpus_id and refs'],
    [lines([first, { ...second, corpus_id: 'moon' }]), 'questions.jsonl line 2: corpus_id: expected one of sun, tides, got "moon"'],
    [lines([first, first]), 'questions.jsonl line 2: expected each _id once, got q1 again'],
    [withRefs(), 'questions.jsonl line 2: refs: expected at least one place of the answer'],
    [withRefs({ start: 30, end: 41 }), 'line 2: refs[0]: expected whole numbers 0 <= start < end <= 40, the length of sun, got 30 and 41'],
    [withRefs({ start: 0, end: 1 }, { start: 5, end: 5 }), 'line 2: refs[1]: expected whole numbers'],
    [withRefs({ start: 1.5 }), 'line 2: refs[0]: expected whole numbers 0 <= start < end <= 40, the length of sun, got 1.5 and none'],
    [withRefs({ start: 0, end: 4, content: 'none' }), 'line 2: refs[0]: expected content to be the characters 0 to 4 of sun'],
    ['\n', 'questions.jsonl: expected a question in each line, the file is empty'],
  ])('names file, line and what it expected: %j', async (text, message) => {
    await writeFile(join(folder.path, 'My Texts/questions.jsonl'), text);
    expect(await evaluate()).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(platform.requests).toEqual([]);
  });

  it('names what is missing in a folder', async () => {
    const other = await aFolder({ 'no-questions/a.md': 'a', 'no-texts/questions.jsonl': lines([first]), 'blank/a.md': ' \n', 'blank/questions.jsonl': lines([first]) }); // prettier-ignore
    const errorOf = async (name: string) => (await run(['eval', 'chunking', name, '--url', platform.url], { cwd: other.path })).err;
    expect(await errorOf('no-questions')).toContain('questions.jsonl (or questions.jsonl.gz) is missing');
    expect(await errorOf('no-texts')).toContain('expected files <name>.md or <name>.md.gz');
    expect(await errorOf('blank')).toContain('a.md: expected a text, the file is blank');
    await other.remove();
  });
});
