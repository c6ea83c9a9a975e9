import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StandInRepository, HubStandIn } from '@palimpsest/test-kit';
import { AT_ONCE, TOKENIZER, WEIGHTS, aFolder, aHub, aRepository } from '../test/a-hub.ts';
import { downloadModel, type DownloadOptions, type DownloadedModel } from './download-model.ts';
import { openHub } from './hub.ts';
import { modelRepository } from './model-repository.ts';

const GB = 1e9;
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

let hub: HubStandIn;
let to: string;
beforeEach(async () => {
  [hub, to] = [await aHub(), await aFolder()];
});

const download = (reference = 'hf:team/model', options: Partial<DownloadOptions> & { token?: string } = {}): Promise<DownloadedModel> => {
  const { token, ...rest } = options;
  const connection = openHub({ endpoint: hub.url, ...(token === undefined ? {} : { token }) });
  return downloadModel(connection, modelRepository(reference), { to, weights: 'int8', maxBytes: GB, retry: AT_ONCE, ...rest });
};
const publish = (files?: StandInRepository['files'], rest?: Omit<StandInRepository, 'files'>): string =>
  hub.publish('team/model', aRepository(files, rest));

describe('a download', () => {
  it('gets the needed files of one commit, verified, and describes them', async () => {
    const commit = publish();
    const { folder, description, existed } = await download();
    expect(existed).toBe(false);
    expect(folder).toBe(join(to, `model-int8-${commit.slice(0, 8)}`));
    expect((await readdir(folder)).sort()).toEqual(['model.json', 'model.onnx', 'tokenizer.json']);
    expect(await readdir(to)).toHaveLength(1);
    expect(await readFile(join(folder, 'model.onnx'))).toEqual(WEIGHTS);
    expect(JSON.parse(await readFile(join(folder, 'model.json'), 'utf8'))).toEqual(description);
    expect(description).toMatchObject({
      provider: 'onnx',
      model: `model-int8-${commit.slice(0, 8)}`,
      dimensions: 384,
      pooling: 'mean',
      maxTokens: 512,
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      files: { 'model.onnx': sha256(WEIGHTS), 'tokenizer.json': sha256(TOKENIZER) },
      source: { hub: hub.url, repository: 'team/model', commit, license: 'mit' },
    });
    expect(description.source.files.map(({ path }) => path)).toEqual([
      'config.json',
      'modules.json',
      '1_Pooling/config.json',
      'sentence_bert_config.json',
      'config_sentence_transformers.json',
      'tokenizer.json',
      'onnx/model_quantized.onnx',
    ]);
    expect(description.source.files.at(-1)).toEqual({ path: 'onnx/model_quantized.onnx', size: WEIGHTS.length, sha256: sha256(WEIGHTS) });
    expect(hub.requests.some(({ path }) => path.endsWith('model.safetensors'))).toBe(false);
  });

  it('gets files of one commit, also if the branch moves meanwhile', async () => {
    const commit = publish();
    hub.beforeFile = async (path) => {
      if (path === 'config.json')
        publish({ 'onnx/model_quantized.onnx': Buffer.alloc(40_000, 3), 'tokenizer.json': TOKENIZER.replace('xx', 'yy') });
    };
    const { folder, description } = await download('hf:team/model@main');
    expect(description.source.commit).toBe(commit);
    expect(await readFile(join(folder, 'model.onnx'))).toEqual(WEIGHTS);
    expect((await download('hf:team/model@main')).description.source.commit).not.toBe(commit);
    await expect(download(`hf:team/model@${commit}`)).resolves.toMatchObject({ existed: true });
  });

  it('gets fp32 weights with the files that they name', async () => {
    const graph = Buffer.concat([WEIGHTS, Buffer.from('model.onnx_data'), WEIGHTS, Buffer.from('Constant_7_attr__value')]);
    const data = {
      'onnx/model.onnx_data': Buffer.alloc(3_000, 1),
      'onnx/Constant_7_attr__value': Buffer.alloc(10, 2),
      'onnx/unrelated': 'no',
    };
    publish({ 'onnx/model.onnx': graph, ...data });
    const { folder, description } = await download('hf:team/model', { weights: 'fp32' });
    expect(description.model).toMatch(/^model-fp32-/);
    expect((await readdir(folder)).sort()).toEqual([
      'Constant_7_attr__value',
      'model.json',
      'model.onnx',
      'model.onnx_data',
      'tokenizer.json',
    ]);
    expect(Object.keys(description.files)).toHaveLength(4);
  });

  it('reports the bytes of all files', async () => {
    publish();
    const reported: number[][] = [];
    const { description } = await download('hf:team/model', { onProgress: (done, total) => reported.push([done, total]) });
    const total = description.source.files.reduce((sum, { size }) => sum + size, 0);
    expect(reported.at(-1)).toEqual([total, total]);
  });

  it('is not repeated, and refuses a folder that holds another model', async () => {
    publish();
    const first = await download();
    const requests = hub.requestsFor('model_quantized.onnx').length;
    await expect(download()).resolves.toEqual({ ...first, existed: true });
    expect(hub.requestsFor('model_quantized.onnx')).toHaveLength(requests);
    expect(await readdir(to)).toHaveLength(1);
    await expect(download('hf:team/model', { overrides: { queryPrefix: 'other: ' } })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('--name'),
    });
    const { model } = first.description;
    await expect(download('hf:team/model', { weights: 'fp32', overrides: { name: model } })).rejects.toMatchObject({ code: 'Conflict' });
    await expect(download('hf:team/model', { weights: 'fp32', overrides: { name: 'mine' } })).resolves.toMatchObject({
      folder: join(to, 'mine'),
    });
  });

  it('continues after a run that was interrupted', async () => {
    publish();
    const abort = new AbortController();
    hub.beforeFile = async (path) => {
      if (path === 'onnx/model_quantized.onnx') abort.abort(new Error('interrupted'));
    };
    await expect(download('hf:team/model', { signal: abort.signal })).rejects.toThrow('interrupted');
    expect(await readdir(to)).toEqual([expect.stringMatching(/^\.model-int8-.*\.download$/)]);
    hub.beforeFile = () => Promise.resolve();
    hub.requests.length = 0;
    await expect(download()).resolves.toMatchObject({ existed: false });
    expect(hub.requestsFor('tokenizer.json')).toEqual([]);
  });

  it('works with a mirror that names digests in headers only', async () => {
    publish({}, { digests: 'in-headers' });
    await expect(download()).resolves.toMatchObject({ description: { files: { 'model.onnx': sha256(WEIGHTS) } } });
    hub.replaced.set('onnx/model.onnx', Buffer.alloc(2 * WEIGHTS.length));
    await expect(download('hf:team/model', { weights: 'fp32' })).rejects.toMatchObject({ code: 'Corrupt' });
  });
});

describe('a download is refused', () => {
  it.each(['../../etc/passwd', '/etc/passwd', 'a/../../b', 'C:\\x', 'a//b', 'line\nbreak', ' padded'])(
    'if the repository lists the file %j',
    async (rfilename) => {
      publish();
      hub.alsoListed.push({ rfilename, size: 1 });
      await expect(download()).rejects.toMatchObject({ code: 'Corrupt', message: expect.stringContaining('not allowed') });
      expect(await readdir(to)).toEqual([]);
    },
  );

  it.each(['hf:model', 'hf:a/b/c', 'hf:../x', 'hf:a/b@', 'hf:a/b@../../x', 'hf:a/b@x?y', 'a/b'])(
    'for the reference %s',
    async (reference) => {
      await expect(async () => download(reference)).rejects.toMatchObject({ code: 'InvalidValue', field: 'model' });
    },
  );

  it.each([
    ['an unknown revision', 'hf:team/model@v9', 'NotFound', 'revision of team/model "v9" not found'],
    ['a repository that is not public or does not exist', 'hf:team/nothing', 'Forbidden', 'check the name'],
  ])('for %s', async (_, reference, code, message) => {
    publish();
    await expect(download(reference)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('for a gated repository, unless the token opens it; the token is sent to the hub only', async () => {
    publish({}, { gated: true });
    await expect(download()).rejects.toMatchObject({ code: 'Forbidden', message: expect.stringContaining('HF_TOKEN') });
    await expect(download('hf:team/model', { token: 'hf_wrong' })).rejects.toMatchObject({ code: 'Forbidden' });
    hub.requests.length = 0;
    const { folder } = await download('hf:team/model', { token: hub.token });
    expect(hub.requests.filter(({ server }) => server === 'cdn').length).toBeGreaterThan(0);
    for (const { server, authorization } of hub.requests) expect(authorization).toBe(server === 'hub' ? `Bearer ${hub.token}` : undefined);
    expect(await readFile(join(folder, 'model.json'), 'utf8')).not.toContain(hub.token);
  });

  it('if it is larger than allowed', async () => {
    publish();
    await expect(download('hf:team/model', { maxBytes: 40_000 })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('--max-size'),
    });
    expect(hub.requestsFor('model_quantized.onnx')).toEqual([]);
    publish({ 'config.json': `{"hidden_size": 384, "x": "${'x'.repeat(5 << 20)}"}` });
    await expect(download()).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining('config.json') });
  });

  it('if weights, tokenizer or ONNX files are missing, with what is available', async () => {
    const { files } = aRepository();
    const without = (...names: string[]) => Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)));
    hub.publish('team/model', { files: without('onnx/model_quantized.onnx') });
    await expect(download()).rejects.toThrow('--weights: expected int8, fp32 or one of onnx/model.onnx, got "int8"');
    hub.publish('team/model', { files: without('onnx/model_quantized.onnx', 'onnx/model.onnx') });
    await expect(download()).rejects.toThrow('this one has none');
    hub.publish('team/model', { files: without('tokenizer.json') });
    await expect(download()).rejects.toThrow('a repository with tokenizer.json');
    publish({ 'tokenizer.json': JSON.stringify({ model: { type: 'WordLevel' } }) });
    await expect(download()).rejects.toMatchObject({ field: 'tokenizer.json' });
    publish({ 'config.json': '{' });
    await expect(download()).rejects.toMatchObject({ field: 'config.json', expected: 'JSON' });
  });

  it('if another program has a file in the place of its folder', async () => {
    const commit = publish();
    await mkdir(join(to, `model-int8-${commit.slice(0, 8)}`));
    await writeFile(join(to, `model-int8-${commit.slice(0, 8)}`, 'model.json'), '{"files": 1}');
    await expect(download()).rejects.toMatchObject({ code: 'Conflict' });
  });
});
