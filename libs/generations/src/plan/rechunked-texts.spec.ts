import fc from 'fast-check';
import { SeededRandom, SYSTEM } from '@palimpsest/foundation';
import { permittedScope } from '@palimpsest/knowledge/access';
import { DEFAULT_CHUNK_LIST, documentId, knowledgeBaseId, recipeWith, type DocumentId } from '@palimpsest/knowledge/values';
import { ADMIN, LARGE, SCOPE, theChunk } from '../../test/world.ts';
import type { PreviewOfDocument } from '../chunk-lists.ts';
import type { CountedChunk } from './count-texts.ts';
import { rechunkedTexts } from './rechunked-texts.ts';

const scope = permittedScope(ADMIN, SCOPE.scope);
const count = (text: string): number => text.split(' ').length;
const [handbook, faq] = [knowledgeBaseId('handbook'), knowledgeBaseId('faq')];

/** Numbers of chunks of a document: now, and afterwards. `words`: of each new chunk. Without `after` it keeps its chunks; null: it was deleted. */
type Doc = Readonly<{ before: number; after?: number | null; words?: number; reused?: number; base?: typeof handbook }>;

const idOf = (n: number): DocumentId => documentId(String(n).padStart(32, '0'));
const content = (words: number) => ({ text: Array.from({ length: words }, () => 'word').join(' '), contextPrefix: '', headings: [] });

const rechunked = (
  docs: readonly Doc[],
  {
    maxDocuments,
    texts = 4,
    seed = 1,
    isSameModel = false,
    read = Infinity,
    previewMs = 0,
    signal = new AbortController().signal,
  } = {} as {
    maxDocuments?: number;
    texts?: number;
    seed?: number;
    isSameModel?: boolean;
    read?: number;
    previewMs?: number;
    signal?: AbortSignal;
  },
) => {
  const random = new SeededRandom(seed);
  const all = docs.flatMap(({ before, base = handbook }, n) =>
    Array.from({ length: before }, (_, i): CountedChunk => ({
      ...{ chunkId: theChunk(String(n), String(i)), documentId: idOf(n), knowledgeBase: base, tokens: 10 },
    })),
  );
  const order = all
    .map((chunk) => ({ chunk, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ chunk }) => chunk);
  let now = 0;
  const preview = async ({ documentId: id }: Readonly<{ documentId: DocumentId }>): Promise<PreviewOfDocument | undefined> => {
    now += previewMs;
    const { before, after, words = 5, reused = 0 } = docs[Number(id)] as Doc;
    if (after === null) return undefined;
    if (after === undefined) return { present: before };
    return { present: before, chunks: Array.from({ length: after }, (_, i) => ({ content: content(words), isEmbedded: i < reused })) };
  };
  return rechunkedTexts(
    { rechunk: { preview }, elapsed: () => now, scheduler: SYSTEM.scheduler },
    scope,
    { count },
    { chunks: all.length, read: order.slice(0, read), texts: [] },
    {
      ...{ of: DEFAULT_CHUNK_LIST, recipe: recipeWith({ version: LARGE }), isSameModel, texts },
      ...(maxDocuments === undefined ? {} : { maxDocuments }),
    },
    { random, signal },
  );
};

describe('documents that are chunked again for a plan', () => {
  it('give exact figures if all of them were read', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            before: fc.integer({ min: 1, max: 9 }),
            after: fc.integer({ min: 1, max: 30 }),
            words: fc.integer({ min: 1, max: 20 }),
          }),
          {
            minLength: 1,
            maxLength: 12,
          },
        ),
        async (docs) => {
          const { chunks, tokens, documents } = await rechunked(docs);
          expect(chunks).toBe(docs.reduce((sum, { after }) => sum + after, 0));
          expect(Math.round(tokens.sum)).toBe(docs.reduce((sum, { after, words }) => sum + after * words, 0));
          expect([tokens.isComplete, tokens.read]).toEqual([true, chunks]);
          expect(documents).toEqual({
            present: docs.reduce((sum, { before }) => sum + before, 0),
            read: docs.length,
            kept: 0,
            exact: true,
          });
        },
      ),
    ));

  it('keep their chunks and, with the same model, their vectors where they cannot be chunked', async () => {
    const docs = [{ before: 3 }, { before: 2, after: 4, words: 5, reused: 1 }];
    expect(await rechunked(docs)).toMatchObject({
      chunks: 7,
      reuse: { chunks: 1, exact: true },
      documents: { read: 2, kept: 1, exact: true },
    });
    const same = await rechunked(docs, { isSameModel: true });
    expect(same.reuse.chunks).toBe(4);
    // 30 tokens that are kept and 5 of 20 that are new texts with a vector, of 50.
    expect(same.reuse.missing).toBeCloseTo(15 / 50);
  });

  it('count nothing if they were deleted meanwhile', async () =>
    expect(await rechunked([{ before: 3, after: null }])).toMatchObject({ chunks: 0, documents: { read: 1, kept: 0 } }));

  it('are a sample of a large scope, which is not biased by the size of documents', async () => {
    // Large documents get half as many chunks, small ones three times as many.
    const docs = Array.from({ length: 400 }, (_, n) =>
      n % 4 === 0 ? { before: 20, after: 10, words: 9 } : { before: 2, after: 6, words: 4 },
    );
    const [chunks, tokens] = [100 * 10 + 300 * 6, 100 * 90 + 300 * 24];
    const runs = await Promise.all(
      Array.from({ length: 60 }, (_, seed) => rechunked(docs, { seed: seed + 1, maxDocuments: 80, read: 1_000 })),
    );
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.abs(mean(runs.map((run) => run.chunks)) / chunks - 1)).toBeLessThan(0.05);
    expect(Math.abs(mean(runs.map((run) => run.tokens.sum)) / tokens - 1)).toBeLessThan(0.05);
    for (const { documents } of runs) expect(documents).toMatchObject({ read: 80, exact: false, error: expect.any(Number) });
    const within = runs.filter((run) => Math.abs(run.chunks - chunks) <= (run.documents.error ?? 0) * run.chunks);
    expect(within.length).toBeGreaterThanOrEqual(51);
  });

  it('differ by knowledge base', async () => {
    const { shares } = await rechunked([
      { before: 2, after: 6, words: 4 },
      { before: 4, after: 1, words: 8, base: faq },
    ]);
    expect([shares(handbook), shares(faq)]).toMatchObject([
      { chunks: 3, tokens: 12 },
      { chunks: 0.25, tokens: 2 },
    ]);
    // Of the others, the mean is the best that is known.
    expect(shares(knowledgeBaseId('later')).chunks).toBeCloseTo(7 / 6);
  });

  it('return some of their texts, drawn with the seed', async () => {
    const docs = Array.from({ length: 30 }, (_, n) => ({ before: 1, after: 3, words: n + 1 }));
    const [first, again, other] = [await rechunked(docs), await rechunked(docs), await rechunked(docs, { seed: 2 })];
    expect(first.texts).toHaveLength(4);
    expect(again.texts).toEqual(first.texts);
    expect(other.texts).not.toEqual(first.texts);
    expect((await rechunked(docs, { texts: 0 })).texts).toEqual([]);
  });

  it('are no longer read after twenty seconds, or when the plan is aborted', async () => {
    const docs = Array.from({ length: 30 }, () => ({ before: 2, after: 4 }));
    expect((await rechunked(docs, { previewMs: 8_000 })).documents).toMatchObject({ read: 3, exact: false });
    expect((await rechunked(docs, { previewMs: 60_000 })).documents.read).toBe(1);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(rechunked(docs, { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('of an empty scope are none', async () =>
    expect(await rechunked([])).toMatchObject({ chunks: 0, tokens: { sum: 0, isComplete: true }, documents: { read: 0, exact: true } }));
});
