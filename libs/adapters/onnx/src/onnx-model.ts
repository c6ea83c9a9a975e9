import { join } from 'node:path';

import type { ModelFolder } from './model-folder.ts';
import { InferenceSession, Tensor } from './onnx-runtime.ts';
import { unitVector } from './pooling.ts';

/** The runtime's scale is 0 (all) to 4; its warnings (no GPU found, and the like) are of no use to anybody here. */
const ONLY_ERRORS = 3;

/** Inputs that BERT-like models ask for, each made from the number of tokens. */
const INPUTS: Readonly<Record<string, (ids: readonly number[]) => BigInt64Array>> = {
  input_ids: (ids) => BigInt64Array.from(ids, BigInt),
  attention_mask: (ids) => new BigInt64Array(ids.length).fill(1n),
  token_type_ids: (ids) => new BigInt64Array(ids.length),
};

export interface OnnxModel {
  /** Token ids of one text into its unit vector. Blocks the thread while it computes. */
  vectorOf(ids: readonly number[]): Promise<Float32Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/**
 * A session on one thread. Texts are never put together: int8 activations are scaled over the whole batch, so that a
 * vector would depend on the texts beside it.
 */
export const openOnnxModel = async ({ folder, description }: ModelFolder): Promise<OnnxModel> => {
  const session = await InferenceSession.create(join(folder, 'model.onnx'), {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: ONLY_ERRORS,
  });
  const unknown = session.inputNames.filter((name) => !Object.hasOwn(INPUTS, name));
  if (unknown.length > 0) throw new Error(`the model asks for ${unknown.join(', ')}, which nothing is known of`);
  const [outputName = ''] = session.outputNames;

  return {
    vectorOf: async (ids) => {
      const feeds = Object.fromEntries(
        session.inputNames.map((name) => [name, new Tensor('int64', INPUTS[name]?.(ids) ?? [], [1, ids.length])]),
      );
      const output = (await session.run(feeds, [outputName]))[outputName];
      const [, tokens, width] = output?.dims ?? [];
      if (output?.type !== 'float32' || tokens !== ids.length || width === undefined)
        throw new Error(`output "${outputName}" is not one float32 vector per token`);
      const vector = unitVector(output.data as Float32Array, tokens, width, description.pooling);
      if (vector === undefined) throw new Error('the model gave a vector without a direction');
      return vector;
    },
    close: () => session.release(),
  };
};
