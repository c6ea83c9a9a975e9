import { join } from 'node:path';
import { onnxTextWindow } from '@palimpsest/adapters-onnx';
import { linesOf } from '@palimpsest/contracts';
import type { TextWindow } from '@palimpsest/knowledge';
import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';
import { palimpsest } from './command-line.ts';
import { figure } from './figures.ts';
import { realData } from './real-data.ts';

/** Prose of several hundred chunks, in Markdown and as the text of a PDF: half a minute of embedding, twice. */
const FILES = ['md/fastify/Guides', 'pdf/pypdf-resources/GeoBase_NHNC1_Data_Model_UML_EN.pdf'].map((name) => join(realData('documents'), name));
/** Longer than the model reads: its owner's wish. */
const LARGE = { markdown: { maxChars: 1_600 }, tokens: { maxTokens: 400, overlap: 0 } };
const SENTENCES = 100;
const ENOUGH = 50;
const AS_OFTEN = 0.95;

/** What is looked at of a chunk's line in an export. */
type Chunk = Readonly<{ kind: string; text: string; contextPrefix: string; truncated: boolean; furtherVectors?: readonly string[] }>;
type Place = 'within' | 'beyond';
const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A draw that is the same every time. */
const drawn = <T>(all: readonly T[], count: number): readonly T[] => {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[Math.floor(i * step)] as T);
};

/** Sentences by where they stand in their chunk: in what the model reads of it at once, or behind that. */
const sentencesOf = (chunks: readonly Chunk[], { count, tokens }: TextWindow): Readonly<Record<Place, readonly string[]>> => {
  const found = { within: new Set<string>(), beyond: new Set<string>() };
  for (const { text, contextPrefix } of chunks)
    for (const { 0: sentence, index } of text.matchAll(/\p{Lu}[^.!?\n]{40,300}[.!?](?=\s|$)/gu)) {
      const before = count(contextPrefix) + count(text.slice(0, index));
      if (before >= tokens) found.beyond.add(squeezed(sentence));
      else if (before + count(sentence) <= tokens) found.within.add(squeezed(sentence));
    }
  // What an overlap or another page repeats is found there.
  return { within: drawn([...found.within], SENTENCES), beyond: drawn([...found.beyond].filter((sentence) => !found.within.has(sentence)), SENTENCES) };
};

describe('a sentence of a real document, looked for by dense search', () => {
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
    for await (const line of linesOf(platform.client.transfer.exportScope(scope))) {
      const record = JSON.parse(line) as Chunk;
      if (record.kind === 'chunk') found.push(record);
    }
    const vectors = found.reduce((sum, { furtherVectors = [] }) => sum + 1 + furtherVectors.length, 0);
    figure(`chunks, vectors of "${knowledgeBase}"`, `${found.length}, ${vectors}`);
    chunks.set(knowledgeBase, found);
    return found;
  };

  /** Of sentences, the part of which at least half is in one of the first ten hits. */
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

  it('is one of enough, on both sides of what the model reads at once', () => {
    expect(Math.min(sentences.within.length, sentences.beyond.length)).toBeGreaterThanOrEqual(ENOUGH);
  });

  it('is found where the model did not read it in a longer chunk as often as where it did, now that chunks fit', async () => {
    const [within, beyond] = [await recall('fitting', 'within'), await recall('fitting', 'beyond')];
    figure('recall@10 in "fitting"', `${within.toFixed(3)} of what was within the window, ${beyond.toFixed(3)} of what was beyond`);
    expect(beyond).toBeGreaterThanOrEqual(AS_OFTEN * within);
  });

  it('is found in a chunk that is too long for one vector as often as in chunks that fit', async () => {
    for (const place of ['within', 'beyond'] as const) {
      const [large, fitting] = [await recall('large', place), await recall('fitting', place)];
      figure(`recall@10 in "large", ${place}`, large.toFixed(3));
      expect(large).toBeGreaterThanOrEqual(AS_OFTEN * fitting);
    }
  });

  it('stands in a chunk whose end is in one of its vectors, whatever the size', () => {
    for (const [, found] of chunks) expect(found.filter(({ truncated }) => truncated)).toEqual([]);
    const tooLong = (found: readonly Chunk[] = []) => found.filter(({ text, contextPrefix }) => window.count(contextPrefix) + window.count(text) > window.tokens);
    expect(tooLong(chunks.get('fitting')).filter(({ furtherVectors }) => furtherVectors === undefined)).toEqual([]);
    expect(tooLong(chunks.get('large')).filter(({ furtherVectors }) => furtherVectors === undefined)).toEqual([]);
    expect(tooLong(chunks.get('large')).length).toBeGreaterThan(20);
    expect(tooLong(chunks.get('fitting')).length).toBeLessThan(0.02 * (chunks.get('fitting')?.length ?? 0));
  });
});
