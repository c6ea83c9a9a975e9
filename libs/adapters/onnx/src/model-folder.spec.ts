import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { aModelFolder, DEFAULT_FOLDER, defaultDescription } from '../test/a-model-folder.ts';
import { readModelFolder } from './model-folder.ts';

describe('a model folder', () => {
  it('is read if its files match model.json', async () => {
    await expect(readModelFolder(DEFAULT_FOLDER)).resolves.toMatchObject({ description: { dimensions: 384, pooling: 'mean' } });
  });

  it('is Corrupt if a file does not match, with the file, the expected and the actual checksum', async () => {
    const { files } = await defaultDescription();
    const folder = await aModelFolder();
    await rm(join(folder, 'tokenizer.json'));
    await writeFile(join(folder, 'tokenizer.json'), '{}');
    await expect(readModelFolder(folder)).rejects.toMatchObject({
      code: 'Corrupt',
      message: `${folder}/tokenizer.json: expected SHA-256 ${files['tokenizer.json']}, got 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a`,
    });
  });

  it('is refused without model.json, without a file, or with a broken model.json', async () => {
    await expect(readModelFolder('/no/such/folder')).rejects.toMatchObject({ code: 'InvalidValue', field: '/no/such/folder/model.json' });
    const folder = await aModelFolder();
    await rm(join(folder, 'model.onnx'));
    await expect(readModelFolder(folder)).rejects.toMatchObject({ code: 'InvalidValue', field: join(folder, 'model.onnx') });
    await writeFile(join(folder, 'model.json'), '{');
    await expect(readModelFolder(folder)).rejects.toMatchObject({ code: 'InvalidValue', expected: 'JSON' });
  });

  it.each([
    ['provider', 'openai'],
    ['model', 'with space'],
    ['dimensions', 0],
    ['pooling', 'max'],
    ['maxTokens', 2],
    ['normalize', false],
    ['queryPrefix', null],
    ['lowercase', 'no'],
    ['languages', 'en'],
    ['languages', ['English']],
    ['files', []],
    ['source', 'somewhere'],
    ['unheardOf', 1],
  ])('names the field %s of model.json when it is %j', async (field, value) => {
    await expect(readModelFolder(await aModelFolder({ [field]: value }))).rejects.toMatchObject({
      code: 'InvalidValue',
      field: `model.json: ${field}`,
    });
  });

  it.each([
    [{}],
    [{ 'model.onnx': 'abc' }],
    [{ 'model.onnx': 'a'.repeat(64), 'tokenizer.json': 'a'.repeat(64), '../secret': 'a'.repeat(64) }],
  ])('refuses missing files and files outside of its folder: %j', async (files) => {
    await expect(readModelFolder(await aModelFolder({ files }))).rejects.toMatchObject({ code: 'InvalidValue' });
  });
});
