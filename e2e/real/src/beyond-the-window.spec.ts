import { join } from 'node:path';
import { onnxTextWindow } from '@palimpsest/adapters-onnx';
import { linesOf } from '@palimpsest/contracts';
import type { TextWindow } from '@palimpsest/knowledge/ports';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { palimpsest } from './command-line.ts';
import { figure } from '@palimpsest/e2e-support/figures';
import { realData } from '@palimpsest/e2e-support/real-data';

/** Prose of several hundred chunks, in Markdown and from a PDF; embedding takes half a minute, twice. */
const FILES = ['md/fastify/Guides', 'pdf/pypdf-resources/GeoBase_NHNC1_Data_Model_UML_EN.pdf'].map((name) =>
  join(realData('documents'), name),
);
/** Chunks longer than the window of the model, as an owner may configure them. */
const LARGE = { markdown: { maxChars: 1_600 }, tokens: { maxTokens: 400, overlap: 0 } };
const SENTENCES = 100;
const ENOUGH = 50;
const MIN_RATIO = 0.95;

/** The used fields of a chunk in an export. */
type Chunk = Readonly<{ kind: string; text: string; contextPrefix: string; truncated: boolean; furtherVectors?: readonly string[] }>;
type Place = 'within' | 'beyond';
const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A deterministic sample. */
const sample = <T>(all: readonly T[], count: number): readonly T[] => {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[Math.floor(i * step)] as T);
};

/** The sentences within the window of the model at the start of their chunk, and those beyond it. */
const sentencesOf = (chunks: readonly Chunk[], { count, tokens }: TextWindow): Readonly<Record<Place, readonly string[]>> => {
  const found = { within: new Set<string>(), beyond: new Set<string>() };
  for (const { text, contextPrefix } of chunks)
    for (const { 0: sentence, index } of text.matchAll(/\p{Lu}[^.!?\n]{40,300}[.!?](?=\s|$)/gu)) {
      const before = count(contextPrefix) + count(text.slice(0, index));
      if (before >= tokens) found.beyond.add(squeezed(sentence));
      else if (before + count(sentence) <= tokens) found.within.add(squeezed(sentence));
    }
  // Sentences that an overlap or another page repeats within the window are left out.
  return {
    within: sample([...found.within], SENTENCES),
    beyond: sample(
      [...found.beyond].filter((sentence) => !found.within.has(sentence)),
      SENTENCES,
    ),
  };
};

describe('dense search for a sentence of a real document', () => {
  let platform: PlatformUnderTest;
  let sentences: Readonly<Record<Place, readonly string[]>>;
  let window: TextWindow;
  const chunks = new Map<string, readonly Chunk[]>();

  const indexed = async (knowledgeBase: string, chunking?: Readonly<Record<string, unknown>>): Promise<readonly Chunk[]> => {
    const scope = `team:${knowledgeBase}`;
    await platform.client.knowledgeBases.create({ id: knowledgeBase, scope, ...(chunking === undefined ? {} : { chunking }) });
    const { code, stderr } = await palimpsest(platform.data, 'ingest', ...FILES, '--knowledge-base', knowledgeBase);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const found: Chunk[] = [];
    for await (const line of linesOf(platform.client.transfer.exportScope(scope, { portable: true }))) {
      const record = JSON.parse(line) as Chunk;
      if (record.kind === 'chunk') found.push(record);
    }
    const vectors = found.reduce((sum, { furtherVectors = [] }) => sum + 1 + furtherVectors.length, 0);
    figure(`chunks, vectors of "${knowledgeBase}"`, `${found.length}, ${vectors}`);
    chunks.set(knowledgeBase, found);
    return found;
  };

  /** The fraction of sentences of which at least half is in one of the first ten results. */
  const recall = async (knowledgeBase: string, place: Place): Promise<number> => {
    let found = 0;
    for (const sentence of sentences[place]) {
      const { hits } = await platform.client.search({ query: sentence, knowledgeBases: [knowledgeBase], strategy: 'DenseOnly', topK: 10 });
      const half = Math.ceil(sentence.length / 2);
      const halves = [sentence.slice(0, half), sentence.slice(-half)];
      if (hits.some(({ text }) => halves.some((part) => squeezed(text).includes(part)))) found += 1;
    }
    return found / sentences[place].length;
  };

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
    window = await onnxTextWindow();
    sentences = sentencesOf(await indexed('large', LARGE), window);
    await indexed('fitting');
  });

  it('has enough sentences within and beyond the window', () => {
    expect(Math.min(sentences.within.length, sentences.beyond.length)).toBeGreaterThanOrEqual(ENOUGH);
  });

  it('finds sentences beyond the window of a longer chunk as often as others, if chunks fit the window', async () => {
    const [within, beyond] = [await recall('fitting', 'within'), await recall('fitting', 'beyond')];
    figure('recall@10 in "fitting"', `${within.toFixed(3)} within the window, ${beyond.toFixed(3)} beyond it`);
    expect(beyond).toBeGreaterThanOrEqual(MIN_RATIO * within);
  });

  it('finds sentences in a chunk that is too long for one vector as often as in chunks that fit', async () => {
    for (const place of ['within', 'beyond'] as const) {
      const [large, fitting] = [await recall('large', place), await recall('fitting', place)];
      figure(`recall@10 in "large", ${place}`, large.toFixed(3));
      expect(large).toBeGreaterThanOrEqual(MIN_RATIO * fitting);
    }
  });

  it('has further vectors for every chunk that is longer than the window', () => {
    for (const [, found] of chunks) expect(found.filter(({ truncated }) => truncated)).toEqual([]);
    const tooLong = (found: readonly Chunk[] = []) =>
      found.filter(({ text, contextPrefix }) => window.count(contextPrefix) + window.count(text) > window.tokens);
    expect(tooLong(chunks.get('fitting')).filter(({ furtherVectors }) => furtherVectors === undefined)).toEqual([]);
    expect(tooLong(chunks.get('large')).filter(({ furtherVectors }) => furtherVectors === undefined)).toEqual([]);
    expect(tooLong(chunks.get('large')).length).toBeGreaterThan(20);
    expect(tooLong(chunks.get('fitting')).length).toBeLessThan(0.02 * (chunks.get('fitting')?.length ?? 0));
  });
});
