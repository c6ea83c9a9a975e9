import type { PairFolder } from './pair-description.ts';
import { openOnnxSession, type Tokens } from './onnx-session.ts';

const SCORE_OUTPUTS = ['logits', 'scores'];

export interface PairModel {
  /** Scores the tokens of one pair. Blocks the thread while it computes. */
  scoreOf(tokens: Tokens): Promise<number>;
  close(): Promise<void>;
}

/** A cross-encoder with one logit for each pair, or two: for "not relevant" and "relevant". */
export const openPairModel = async ({ folder, description }: PairFolder): Promise<PairModel> => {
  const session = await openOnnxSession(folder, SCORE_OUTPUTS);
  return {
    scoreOf: async (tokens) => {
      const output = await session.run(tokens);
      const [first, second, ...more] = output?.data ?? [];
      if (first === undefined || more.length > 0) throw new Error(`output "${session.output}" is not one or two float32 numbers per pair`);
      const logit = second === undefined ? first : second - first;
      const score = description.activation === 'sigmoid' ? 1 / (1 + Math.exp(-logit)) : logit;
      if (!Number.isFinite(score)) throw new Error('the model returned a score that is no number');
      return score;
    },
    close: () => session.close(),
  };
};
