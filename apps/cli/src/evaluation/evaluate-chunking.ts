import type { ChunkView, Hit, PalimpsestClient, Strategy } from '@palimpsest/client';
import { REQUEST_LIMITS } from '@palimpsest/client';
import { describeMeans, passageFigures, precisionOmega } from '@palimpsest/evaluation';
import type { DescribedMean, Span } from '@palimpsest/evaluation';
import { runAll } from '../run-all.ts';
import type { ChunkingSet } from './chunking-folder.ts';
import type { Loaded, Step } from './evaluate.ts';
import { placesIn } from './place-chunks.ts';

/** The seed of the drawn samples. */
export const SEED = 1;
/** 5 % of the intervals miss the true mean. */
export const LEVEL = 0.05;

/** A chunk, and its place in its text unless that is not certain. */
type Placed = Readonly<{ textId: string; length: number; place: Span | undefined }>;

/** How the texts were cut. */
export type Cut = Readonly<{ knowledgeBase: string; byId: ReadonlyMap<string, Placed> }>;

/** Figures of the cut, whatever a search does. `chunkLength`: mean number of characters. */
export type CutFigures = Readonly<{ chunks: number; chunkLength: number; chunksWithoutPlace: number; precisionOmega: DescribedMean }>;

/** `hitsWithoutPlace`: results whose chunk has no certain place. They count as read, but as not found. */
export type StrategyFigures = Readonly<{
  strategy: Strategy;
  hitsWithoutPlace: number;
  recall: DescribedMean;
  precision: DescribedMean;
  iou: DescribedMean;
}>;

/** Reads how the server cut each text. @throws Error if a text has no chunks */
export const readCut = async (
  client: PalimpsestClient,
  { texts }: ChunkingSet,
  { knowledgeBase, idOf }: Loaded,
  step: Step,
): Promise<Cut> => {
  const sources = new Map(texts.map(({ id, text }) => [id, text]));
  const byId = new Map<string, Placed>();
  await runAll([...idOf], step.concurrency, async ([documentId, textId]) => {
    const findPlace = placesIn(sources.get(textId) ?? '');
    const chunks = await chunksOf(client, documentId, step.signal);
    if (chunks.length === 0) throw new Error(`${textId} in ${knowledgeBase} has no chunks: it could not be indexed`);
    for (const chunk of chunks) byId.set(chunk.chunkId, { textId, length: chunk.text.length, place: findPlace(chunk) });
    step.onStep();
  });
  return { knowledgeBase, byId };
};

const chunksOf = async (client: PalimpsestClient, documentId: string, signal: AbortSignal): Promise<readonly ChunkView[]> => {
  const all: ChunkView[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: REQUEST_LIMITS.page.documents, ...(cursor === undefined ? {} : { cursor }) };
    const { chunks, next } = await client.documents.chunks(documentId, page, { signal });
    all.push(...chunks);
    cursor = next;
  } while (cursor !== undefined);
  return all;
};

export const figuresOfCut = ({ questions }: ChunkingSet, { byId }: Cut): CutFigures => {
  const chunks = [...byId.values()];
  const byText = Map.groupBy(chunks, ({ textId }) => textId);
  const placesOf = (textId: string): readonly Span[] => (byText.get(textId) ?? []).flatMap(({ place }) => place ?? []);
  const values = questions.map(({ textId, references }) => precisionOmega(references, placesOf(textId)));
  return {
    chunks: chunks.length,
    chunkLength: chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length,
    chunksWithoutPlace: chunks.filter(({ place }) => place === undefined).length,
    ...describeMeans({ precisionOmega: values }, { seed: SEED, level: LEVEL }),
  };
};

/** Asks every question and compares the places of the results with those of the answers. */
export const figuresOfSearch = async (
  client: PalimpsestClient,
  { questions }: ChunkingSet,
  { knowledgeBase, byId }: Cut,
  { strategy, top }: Readonly<{ strategy: Strategy; top: number }>,
  step: Step,
): Promise<StrategyFigures> => {
  let hitsWithoutPlace = 0;
  const figures = await runAll(questions, step.concurrency, async ({ text, textId, references }) => {
    const request = { query: text, knowledgeBases: [knowledgeBase], topK: top, strategy };
    const { hits } = await client.search(request, { signal: step.signal });
    step.onStep();
    const placed = hits.map((hit) => placedHit(hit, byId));
    hitsWithoutPlace += placed.filter(({ place }) => place === undefined).length;
    const own = placed.flatMap(({ textId: of, place }) => (of === textId && place !== undefined ? [place] : []));
    const elsewhere = placed.filter(({ textId: of, place }) => of !== textId || place === undefined);
    return passageFigures(references, { places: own, elsewhere: elsewhere.reduce((sum, { length }) => sum + length, 0) });
  });
  const columns = {
    recall: figures.map(({ recall }) => recall),
    precision: figures.map(({ precision }) => precision),
    iou: figures.map(({ iou }) => iou),
  };
  return { strategy, hitsWithoutPlace, ...describeMeans(columns, { seed: SEED, level: LEVEL }) };
};

/** A chunk that is in none of the texts was left by an earlier run with other texts: it has no place. */
const placedHit = ({ chunkId, text }: Hit, byId: Cut['byId']): Placed =>
  byId.get(chunkId) ?? { textId: '', length: text.length, place: undefined };
