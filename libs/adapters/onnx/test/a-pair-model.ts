import { createHash } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DEFAULT_FOLDER, defaultDescription } from './a-model-folder.ts';

/** A part of a protocol buffer: a field with a number, a text, or further fields. */
type Field = readonly [field: number, value: number | string | Uint8Array];

const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);

/** https://protobuf.dev/programming-guides/encoding: varints, and values with a length. */
const message = (...fields: readonly Field[]): Uint8Array =>
  Uint8Array.from(
    fields.flatMap(([field, value]) => {
      if (typeof value === 'number') return [...varint(field * 8), ...varint(value)];
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      return [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
    }),
  );

/** Numbers of fields and types: onnx/onnx.proto. */
const [FLOAT, INT64] = [1, 7];
const INT = 2;

const attribute = (name: string, whole: number): Field => [5, message([1, name], [3, whole], [20, INT])];

const node = (op: string, inputs: readonly string[], output: string, ...attributes: readonly Field[]): Field => [
  1,
  message(...inputs.map((name): Field => [1, name]), [2, output], [4, op], ...attributes),
];

/** A constant with one number, or with the shape of a list of them. */
const constant = (name: string, type: number, values: readonly number[], shape: readonly number[]): Field => {
  const raw = type === FLOAT ? new Uint8Array(Float32Array.from(values).buffer) : new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return [5, message(...shape.map((size): Field => [1, size]), [2, type], [8, name], [9, raw])];
};

const value = (field: number, name: string, type: number, shape: readonly (number | string)[]): Field => {
  const dimensions = shape.map((size): Field => [1, message(typeof size === 'number' ? [1, size] : [2, size])]);
  return [field, message([1, name], [2, message([1, message([1, type], [2, message(...dimensions)])])])];
};

/**
 * A cross-encoder that counts the pairs of equal tokens in the query (type 0) and in the passage (type 1), without special tokens. `factor`:
 * of the result; 0/0 if it is NaN. `outputs`: how many numbers it returns for a pair.
 */
const overlapModel = ({ factor = 1, outputs = 1 }: Readonly<{ factor?: number; outputs?: number }>): Uint8Array => {
  const tokens = (name: string): Field => value(11, name, INT64, [1, 'tokens']);
  const ordinary = 998;
  const graph = message(
    node('Cast', ['token_type_ids'], 'inPassage', attribute('to', FLOAT)),
    node('Sub', ['one', 'inPassage'], 'inQuery'),
    node('Greater', ['input_ids', 'ordinary'], 'isWord'),
    node('Cast', ['isWord'], 'word', attribute('to', FLOAT)),
    node('Mul', ['inQuery', 'word'], 'queryWord'),
    node('Mul', ['inPassage', 'word'], 'passageWord'),
    node('Unsqueeze', ['input_ids', 'last'], 'rows'),
    node('Unsqueeze', ['input_ids', 'middle'], 'columns'),
    node('Equal', ['rows', 'columns'], 'isEqual'),
    node('Cast', ['isEqual'], 'equal', attribute('to', FLOAT)),
    node('Unsqueeze', ['passageWord', 'last'], 'passageColumn'),
    node('Unsqueeze', ['queryWord', 'middle'], 'queryRow'),
    node('MatMul', ['equal', 'passageColumn'], 'matches'),
    node('MatMul', ['queryRow', 'matches'], 'count'),
    node('Reshape', ['count', 'shape'], 'flat'),
    node('Mul', ['flat', 'factor'], 'logits'),
    [2, 'overlap'],
    constant('one', FLOAT, [1], [1]),
    constant('ordinary', INT64, [ordinary], [1]),
    constant('last', INT64, [2], [1]),
    constant('middle', INT64, [1], [1]),
    constant('shape', INT64, [1, 1], [2]),
    constant(
      'factor',
      FLOAT,
      Array.from({ length: outputs }, (_, i) => (i === outputs - 1 ? factor : 0)),
      [1, outputs],
    ),
    tokens('input_ids'),
    tokens('token_type_ids'),
    value(12, 'logits', FLOAT, [1, outputs]),
  );
  const opset = message([1, ''], [2, 17]);
  return message([1, 8], [7, graph], [8, opset]);
};

const created: string[] = [];
afterAll(() => Promise.all(created.map((folder) => rm(folder, { recursive: true, force: true }))));

/** A folder with a cross-encoder that counts equal words, and with the tokenizer of the default model. */
export const aPairFolder = async (
  changes: Readonly<Record<string, unknown>> = {},
  model: Parameters<typeof overlapModel>[0] = {},
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-pair-'));
  created.push(folder);
  const bytes = overlapModel(model);
  await writeFile(join(folder, 'model.onnx'), bytes);
  await symlink(join(DEFAULT_FOLDER, 'tokenizer.json'), join(folder, 'tokenizer.json'));
  const { files } = await defaultDescription();
  const sums = { 'model.onnx': createHash('sha256').update(bytes).digest('hex'), 'tokenizer.json': files['tokenizer.json'] };
  const description = {
    provider: 'onnx',
    task: 'rerank',
    model: 'overlap',
    maxTokens: 64,
    lowercase: false,
    activation: 'none',
    files: sums,
  };
  await writeFile(join(folder, 'model.json'), JSON.stringify({ ...description, ...changes }));
  return folder;
};
