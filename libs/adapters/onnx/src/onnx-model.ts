import type { ModelFolder } from './model-folder.ts';
import { openOnnxSession } from './onnx-session.ts';
import { unitVector } from './pooling.ts';

/** Names that exporters give to the output with one vector per token; some models have others in front of it. */
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

export interface OnnxModel {
  /** Converts the token ids of one text to its unit vector. Blocks the thread while it computes. */
  vectorOf(ids: readonly number[]): Promise<Float32Array<ArrayBuffer>>;
  close(): Promise<void>;
}

export const openOnnxModel = async ({ folder, description }: ModelFolder): Promise<OnnxModel> => {
  const session = await openOnnxSession(folder, TOKEN_OUTPUTS);
  return {
    vectorOf: async (ids) => {
      const output = await session.run({ ids });
      const [, tokens, width] = output?.dims ?? [];
      if (output === undefined || tokens !== ids.length || width === undefined)
        throw new Error(`output "${session.output}" is not one float32 vector per token`);
      const vector = unitVector(output.data, tokens, width, description.pooling);
      if (vector === undefined) throw new Error('the model returned a vector without a direction');
      return vector;
    },
    close: () => session.close(),
  };
};
