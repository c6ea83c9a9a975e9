import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The token limit of all-MiniLM-L6-v2; the rest is truncated, as in the platform. */
const REACH = 256;

/** A mean-pooled ONNX model in a folder (`model.onnx`, `tokenizer.json`), one text at a time, for evaluations only. */
export const openEmbedder = async (folder) => {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  const ort = await import('@palimpsest/adapters-onnx/runtime');
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')), {});
  const session = await ort.InferenceSession.create(join(folder, 'model.onnx'), { intraOpNumThreads: 1, interOpNumThreads: 1 });

  const embed = async (text) => {
    const all = tokenizer.encode(text).ids;
    const ids = all.length <= REACH ? all : [...all.slice(0, REACH - 1), all.at(-1)];
    const tensor = (value) =>
      new ort.Tensor(
        'int64',
        BigInt64Array.from(ids, (id) => BigInt(value(id))),
        [1, ids.length],
      );
    const inputs = { input_ids: tensor((id) => id), attention_mask: tensor(() => 1), token_type_ids: tensor(() => 0) };
    const outputs = await session.run(Object.fromEntries(session.inputNames.map((name) => [name, inputs[name]])));
    const { data, dims } = outputs[session.outputNames[0]];
    const width = dims[2];
    const vector = new Float32Array(width);
    for (let at = 0; at < data.length; at++) vector[at % width] += data[at];
    const norm = Math.hypot(...vector);
    return vector.map((value) => value / norm);
  };
  return { embed, dot: (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0) };
};
