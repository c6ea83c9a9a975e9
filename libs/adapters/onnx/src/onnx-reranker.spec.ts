import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeReranker } from '@palimpsest/test-kit';

import { aPairFolder } from '../test/a-pair-model.ts';
import { openOnnxReranker } from './onnx-reranker.ts';

const open = async (...given: Parameters<typeof aPairFolder>) => openOnnxReranker({ folder: await aPairFolder(...given), threads: 1 });

describeReranker('openOnnxReranker', {
  open: () => open(),
  openBroken: {
    'scores that are no numbers': () => open({}, { factor: NaN }),
    'infinite scores': () => open({}, { factor: Infinity }),
    'three numbers for each pair': () => open({}, { outputs: 3 }),
  },
});

const passage = (text: string) => ({ title: '', context: '', text });

describe('A local cross-encoder', () => {
  it('gives logits, or probabilities if its description says so', async () => {
    const [logits, probabilities] = [await open(), await open({ activation: 'sigmoid' })];
    expect(await logits.score('water pump', [passage('a lake'), passage('a pump'), passage('a water pump')])).toEqual([0, 1, 2]);
    const [none, one] = await probabilities.score('water pump', [passage('a lake'), passage('a pump')]);
    expect(none).toBe(0.5);
    expect(one).toBeCloseTo(1 / (1 + Math.exp(-1)), 6);
    await Promise.all([logits.close(), probabilities.close()]);
  });

  it('with two outputs gives the difference of "relevant" and "not relevant"', async () => {
    const two = await open({}, { outputs: 2 });
    expect(await two.score('water pump', [passage('a water pump'), passage('a lake')])).toEqual([2, 0]);
    await two.close();
  });

  it('has another version with another window, activation or file', async () => {
    const all = await Promise.all([open(), open(), open({ maxTokens: 32 }), open({ activation: 'sigmoid' }), open({}, { factor: 2 })]);
    expect(new Set(all.map(({ version }) => version)).size).toBe(4);
    expect(all[0]?.version).toMatch(/^onnx:overlap@[0-9a-f]{12}$/);
    await Promise.all(all.map((one) => one.close()));
  });

  it.each([
    ['task', { task: 'embed' }],
    ['activation', { activation: 'softmax' }],
    ['maxTokens', { maxTokens: 4 }],
    ['pooling', { pooling: 'mean' }],
    ['files', { files: {} }],
  ])('is not opened with an invalid %s', (field, changes) =>
    expect(open(changes)).rejects.toMatchObject({ code: 'InvalidValue', field: expect.stringContaining(`model.json: ${field}`) }),
  );

  it('is not opened if a file was changed', async () => {
    const folder = await aPairFolder();
    const file = join(folder, 'model.onnx');
    await writeFile(file, Buffer.concat([await readFile(file), Buffer.of(0)]));
    await expect(openOnnxReranker({ folder })).rejects.toMatchObject({ code: 'Corrupt' });
  });
});
