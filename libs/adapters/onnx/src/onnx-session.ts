import { join } from 'node:path';

import { InferenceSession, Tensor } from './onnx-runtime.ts';

/** The runtime's scale is 0 (all) to 4. Its warnings (no GPU found, for example) are not useful here. */
const ONLY_ERRORS = 3;

/** The tokens of one run. `types`: of each token, for pairs; default: 0. */
export type Tokens = Readonly<{ ids: readonly number[]; types?: readonly number[] }>;

/** Inputs of BERT-like models, built from the tokens. */
const INPUTS: Readonly<Record<string, (tokens: Tokens) => BigInt64Array>> = {
  input_ids: ({ ids }) => BigInt64Array.from(ids, BigInt),
  attention_mask: ({ ids }) => new BigInt64Array(ids.length).fill(1n),
  token_type_ids: ({ ids, types }) => (types === undefined ? new BigInt64Array(ids.length) : BigInt64Array.from(types, BigInt)),
};

export type Output = Readonly<{ data: Float32Array; dims: readonly number[] }>;

export interface OnnxSession {
  /** The name of the output that `run` returns. */
  readonly output: string;
  /** Undefined if the output is not float32. Blocks the thread while it computes. */
  run(tokens: Tokens): Promise<Output | undefined>;
  close(): Promise<void>;
}

/**
 * Opens `model.onnx` with one thread. Texts are never batched: int8 activations are scaled over the whole batch, so a result would depend on
 * the other texts. `outputs`: names of the output, in the order of preference; default: the first one.
 */
export const openOnnxSession = async (folder: string, outputs: readonly string[]): Promise<OnnxSession> => {
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
  const output = outputs.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? '';

  return {
    output,
    run: async (tokens) => {
      const feeds = Object.fromEntries(
        session.inputNames.map((name) => [name, new Tensor('int64', INPUTS[name]?.(tokens) ?? [], [1, tokens.ids.length])]),
      );
      const tensor = (await session.run(feeds, [output]))[output];
      return tensor?.type === 'float32' ? { data: tensor.data as Float32Array, dims: tensor.dims } : undefined;
    },
    close: () => session.release(),
  };
};
