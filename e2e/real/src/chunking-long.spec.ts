import { join } from 'node:path';
import { figure, rounded } from '@palimpsest/e2e-support/figures';
import { realData } from '@palimpsest/e2e-support/real-data';
import { palimpsest } from './command-line.ts';
import { aPlatform } from './evaluate.ts';

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
  it('has a place for each chunk, reaches the published recall, and gives the same figures again without new chunks', async () => {
    const data = await aPlatform();
    const evaluate = () =>
      palimpsest<Evaluation>(data, ...['eval', 'chunking', join(realData('beir'), 'chunk-eval'), '--size', '200', '--size', '800', '--strategy', 'DenseOnly']); // prettier-ignore
    const { answer, code, stderr, seconds } = await evaluate();
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(answer).toMatchObject({ texts: 5, questions: 472, references: 790 });
    for (const { knowledgeBase, chunks, precisionOmega, strategies } of answer.results)
      for (const { strategy, recall, precision, iou } of strategies)
        figure(
          `${knowledgeBase} ${strategy}`,
          `${chunks} chunks; recall ${recall.mean.toFixed(3)}, precision ${precision.mean.toFixed(3)}, IoU ${iou.mean.toFixed(3)}, precision Ω ${precisionOmega.mean.toFixed(3)}; ${rounded(seconds)} for all`,
        );
    const [small, large] = answer.results;
    for (const each of [small, large]) {
      expect(each).toMatchObject({ chunksWithoutPlace: 0, strategies: [{ hitsWithoutPlace: 0 }] });
      expect(each?.strategies[0]?.recall.mean).toBeGreaterThan(PUBLISHED_RECALL);
    }
    expect(small?.precisionOmega.mean).toBeGreaterThan(large?.precisionOmega.mean ?? 1);
    expect(small?.strategies[0]?.precision.mean).toBeGreaterThan(large?.strategies[0]?.precision.mean ?? 1);

    const again = await evaluate();
    expect(again.answer).toEqual(answer);
    const { answer: known } = await palimpsest<{ knowledgeBases: readonly { id: string; documents: number }[] }>(data, 'kb', 'list');
    expect(known.knowledgeBases.filter(({ id }) => id.startsWith('chunks-chunk-eval')).map(({ documents }) => documents)).toEqual([5, 5]);
  });
});
