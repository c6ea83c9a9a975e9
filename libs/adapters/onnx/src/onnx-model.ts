import { join } from 'node:path';

import type { ModelFolder } from './model-folder.ts';
import { InferenceSession, Tensor } from './onnx-runtime.ts';
import { unitVector } from './pooling.ts';

/** The runtime's scale is 0 (all) to 4. Its warnings (no GPU found, for example) are not useful here. */
const ONLY_ERRORS = 3;

/** Inputs of BERT-like models, built from the token ids. */
const INPUTS: Readonly<Record<string, (ids: readonly number[]) => BigInt64Array>> = {
  input_ids: (ids) => BigInt64Array.from(ids, BigInt),
  attention_mask: (ids) => new BigInt64Array(ids.length).fill(1n),
  token_type_ids: (ids) => new BigInt64Array(ids.length),
};

/** Names that exporters give to the output with one vector per token; some models have others in front of it. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

export interface OnnxModel {
  /** Converts the token ids of one text to its unit vector. Blocks the thread while it computes. */
  vectorOf(ids: readonly number[]): Promise<Float32Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/**
 * Opens a session with one thread. Texts are never batched: int8 activations are scaled over the whole batch, so a vector would
 * depend on the other texts.
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
  if (unknown.length > 0) throw new Error(`the model requires unknown inputs: ${unknown.join(', ')}`);
  const outputName = TOKEN_OUTPUTS.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? '';

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
      if (vector === undefined) throw new Error('the model returned a vector without a direction');
      return vector;
    },
    close: () => session.release(),
  };
};
