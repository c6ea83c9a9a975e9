import { join } from 'node:path';
import { figure, rounded } from '@palimpsest/e2e-support/figures';
import { realData } from '@palimpsest/e2e-support/real-data';
import { palimpsest } from './command-line.ts';
import { aPlatform, TOLERANCE } from './evaluate.ts';

type Figure = Readonly<{ mean: number; deviation: number; interval: readonly [number, number] }>;
/** The output of `palimpsest eval chunking --json`. */
type Evaluation = Readonly<{
  texts: number;
  questions: number;
  references: number;
  results: readonly Readonly<{
    knowledgeBase: string;
    chunks: number;
    chunksWithoutPlace: number;
    precisionOmega: Figure;
    strategies: readonly Readonly<{ strategy: string; hitsWithoutPlace: number; recall: Figure; precision: Figure; iou: Figure }>[];
  }>[];
}>;

/** Recall of all-MiniLM-L6-v2 with the TokenTextSplitter, 200 tokens, no overlap and five results: Smith and Troynikov, 2024. */
const PUBLISHED_RECALL = 0.766;

describe('chunkings on the texts of chunking_evaluation, with the bundled model', () => {
  it('finds the place of each chunk, reaches the published recall, and gives the same figures again without new chunks', async () => {
    const data = await aPlatform();
    const args = ['eval', 'chunking', join(realData('beir'), 'chunk-eval'), '--size', '200', '--overlap', '0', '--strategy', 'DenseOnly'];
    const { answer, code, stderr, seconds } = await palimpsest<Evaluation>(data, ...args);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(answer).toMatchObject({ texts: 5, questions: 472, references: 790, results: [{ strategies: [{ strategy: 'DenseOnly' }] }] });
    for (const { knowledgeBase, chunks, chunksWithoutPlace, precisionOmega, strategies } of answer.results)
      for (const { hitsWithoutPlace, recall, precision, iou } of strategies) {
        const shown = { recall, precision, iou, precisionOmega };
        const means = Object.entries(shown).map(([name, { mean }]) => `${name} ${mean.toFixed(3)}`);
        figure(knowledgeBase, `${chunks} chunks; ${means.join(', ')}; ${rounded(seconds)}`);
        expect({ chunksWithoutPlace, hitsWithoutPlace }).toEqual({ chunksWithoutPlace: 0, hitsWithoutPlace: 0 });
        expect(recall.mean).toBeGreaterThanOrEqual(PUBLISHED_RECALL - TOLERANCE);
        expect(recall.interval[0]).toBeLessThan(recall.mean);
        expect(iou.mean).toBeLessThanOrEqual(precision.mean);
        expect(precision.mean).toBeLessThan(precisionOmega.mean);
      }

    const again = await palimpsest<Evaluation>(data, ...args);
    expect(again.answer).toEqual(answer);
    const { answer: documents } = await palimpsest<{ documents: readonly { version: number }[] }>(
      data,
      ...['documents', 'list', '--kb', answer.results[0]?.knowledgeBase ?? ''],
    );
    expect(documents.documents.map(({ version }) => version)).toEqual([1, 1, 1, 1, 1]);
  });
});
