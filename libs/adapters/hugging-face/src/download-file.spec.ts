import { createHash } from 'node:crypto';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, type HubStandIn } from '@palimpsest/test-kit';
import { AT_ONCE, WEIGHTS, aFolder, aHub, aRepository } from '../test/a-hub.ts';
import { downloadFile, type DownloadFileOptions } from './download-file.ts';
import { checkFile, digestOf, type ExpectedFile } from './file-digest.ts';
import { openHub } from './hub.ts';

const PATH = 'onnx/model_quantized.onnx';
const SHA256 = createHash('sha256').update(WEIGHTS).digest('hex');
const LISTED: ExpectedFile = { path: PATH, size: WEIGHTS.length, digest: { kind: 'sha256', value: SHA256 } };

let hub: HubStandIn;
let folder: string;
let commit: string;
beforeEach(async () => {
  [hub, folder] = [await aHub(), await aFolder()];
  commit = hub.publish('team/model', aRepository());
});
const get = (expected: ExpectedFile = LISTED, options: Partial<DownloadFileOptions> = {}, connection = openHub({ endpoint: hub.url })) =>
  downloadFile({ hub: connection, repository: 'team/model', commit }, expected, {
    to: join(folder, 'file'),
    maxBytes: 1e9,
    retry: AT_ONCE,
    ...options,
  });
/** Connections break after what they sent is on disk. */
const cutOnceWritten = (): void => {
  const written = (after: number) =>
    stat(join(folder, 'file.partial')).then(
      ({ size }) => (size >= after ? true : undefined),
      () => undefined,
    );
  hub.beforeCut = async (_, after) => void (await eventually('the bytes are on disk', () => written(after)));
};
const onDisk = () => readFile(join(folder, 'file'));
const ranges = () => hub.requestsFor(PATH).flatMap(({ server, range }) => (server === 'cdn' ? [range] : []));

describe('a file of the hub', () => {
  it('is downloaded through a redirect to another server, or to another path', async () => {
    await expect(get()).resolves.toEqual({ path: PATH, size: WEIGHTS.length, sha256: SHA256 });
    expect(await onDisk()).toEqual(WEIGHTS);
    expect(await readdir(folder)).toEqual(['file']);
    const readme = await get({ path: 'README.md' }, { to: join(folder, 'readme') });
    expect(readme).toMatchObject({ path: 'README.md', size: 8 });
  });

  it('is continued where a connection broke', async () => {
    cutOnceWritten();
    hub.cuts.push({ path: PATH, after: 20_000 }, { path: PATH, after: 35_000 });
    await get();
    expect(await onDisk()).toEqual(WEIGHTS);
    expect(ranges()).toEqual([undefined, 'bytes=20000-', 'bytes=35000-']);
  });

  it('is continued by a later call after the attempts were used up', async () => {
    cutOnceWritten();
    hub.cuts.push(...Array.from({ length: 3 }, (_, i) => ({ path: PATH, after: 10_000 * (i + 1) })));
    await expect(get()).rejects.toMatchObject({ code: 'Unavailable', message: expect.stringContaining('127.0.0.1') });
    expect(await readdir(folder)).toEqual(['file.partial']);
    await get();
    expect(await onDisk()).toEqual(WEIGHTS);
    expect(ranges().at(-1)).toBe('bytes=30000-');
  });

  it('is downloaded again if the part of an earlier run was damaged', async () => {
    await writeFile(join(folder, 'file.partial'), Buffer.alloc(1_000, 9));
    await get();
    expect(await onDisk()).toEqual(WEIGHTS);
    expect(ranges()).toEqual(['bytes=1000-', undefined]);
    await writeFile(join(folder, 'other.partial'), Buffer.alloc(WEIGHTS.length + 10, 9));
    await get(LISTED, { to: join(folder, 'other') });
    expect(await readFile(join(folder, 'other'))).toEqual(WEIGHTS);
  });

  it('is an error that names it if its digest differs, and is not kept', async () => {
    hub.replaced.set(PATH, Buffer.alloc(WEIGHTS.length, 1));
    await expect(get()).rejects.toMatchObject({
      code: 'Corrupt',
      message: expect.stringMatching(new RegExp(`^${PATH}: expected SHA-256 ${SHA256}, got [0-9a-f]{64}$`)),
    });
    hub.replaced.set('README.md', Buffer.from('B model.'));
    await expect(get({ path: 'README.md' })).rejects.toMatchObject({
      code: 'Corrupt',
      message: expect.stringContaining('README.md: expected git SHA-1'),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([WEIGHTS.length - 1, WEIGHTS.length + 1])('is an error if it has %d bytes', async (length) => {
    hub.replaced.set(PATH, Buffer.alloc(length));
    await expect(get()).rejects.toMatchObject({ code: 'Corrupt', message: `${PATH}: expected 50000 bytes, got ${length}` });
  });

  it('is refused if list and headers name different digests, or another commit', async () => {
    await expect(get({ ...LISTED, digest: { kind: 'sha256', value: 'a'.repeat(64) } })).rejects.toMatchObject({ code: 'Corrupt' });
    const other = { hub: openHub({ endpoint: hub.url }), repository: 'team/model', commit: 'main' };
    await expect(downloadFile(other, LISTED, { to: join(folder, 'file'), maxBytes: 1e9, retry: AT_ONCE })).rejects.toThrow(
      `the hub returned commit ${commit} instead of main`,
    );
  });

  it('is refused above the limit, which also ends a response without a length', async () => {
    await expect(get(LISTED, { maxBytes: 49_999 })).rejects.toMatchObject({ code: 'Conflict' });
    await expect(get({ path: PATH }, { maxBytes: 49_999 })).rejects.toMatchObject({ code: 'Conflict' });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([500, 503, 429])('is requested again after status %d', async (status) => {
    hub.failures.push({ path: PATH, status }, { path: PATH, status });
    await get();
    expect(await onDisk()).toEqual(WEIGHTS);
  });

  it('is not requested again after a refusal, which is reported in words', async () => {
    hub.failures.push({ path: PATH, status: 403, headers: { 'x-error-message': 'no access' } });
    await expect(get()).rejects.toMatchObject({ code: 'Forbidden', message: expect.stringContaining('no access') });
    await expect(get({ path: 'none' })).rejects.toMatchObject({ code: 'NotFound' });
    expect(hub.requestsFor('none')).toHaveLength(1);
  });

  it.each([
    ['a circle', { location: '/team/model/resolve/main/onnx/model_quantized.onnx' }, 'redirects in a circle'],
    ['another protocol', { location: 'file:///etc/passwd' }, 'no valid address'],
  ])('is not followed into %s', async (_, headers, message) => {
    hub.failures.push(...Array.from({ length: 30 }, () => ({ path: PATH, status: 302, headers })));
    await expect(get()).rejects.toThrow(message);
  });

  it('fails when the hub stops sending', async () => {
    let release = (): void => undefined;
    hub.beforeFile = () => new Promise((resolve) => (release = resolve));
    const impatient = openHub({ endpoint: hub.url, idleMs: 50 });
    await expect(get(LISTED, { retry: { attempts: 1, delayMs: 0 } }, impatient)).rejects.toThrow(/sent nothing for/);
    release();
  });
});

describe('an address of a hub', () => {
  it.each(['ftp://hub', 'not an address', 'https://user:secret@hub'])('is refused: %s', (endpoint) => {
    expect(() => openHub({ endpoint })).toThrow(expect.objectContaining({ field: 'hub', message: expect.not.stringContaining('secret') }));
  });

  it('without https gets no token, except on this machine', () => {
    expect(() => openHub({ endpoint: 'http://hub.example', token: 'hf_a' })).toThrow('because a token would be sent');
    expect(openHub({ endpoint: 'http://127.0.0.1:1/hf/', token: 'hf_a' }).endpoint).toBe('http://127.0.0.1:1/hf');
    expect(() => openHub({ token: 'two words' })).toThrow(expect.objectContaining({ message: expect.not.stringContaining('two words') }));
  });

  it('that cannot be reached is named', async () => {
    const { url } = hub;
    await hub.close();
    const message = `${new URL(url).host} cannot be reached (ECONNREFUSED)`;
    await expect(get(LISTED, { retry: { attempts: 1, delayMs: 0 } }, openHub({ endpoint: url }))).rejects.toMatchObject({
      code: 'Unavailable',
      message,
    });
  });
});

describe('a digest', () => {
  it.each([
    [`"${'a'.repeat(64)}"`, 'sha256'],
    [`W/"${'B'.repeat(40)}"`, 'git'],
    ['"d41d8cd98f00b204e9800998ecf8427e"', undefined],
    [null, undefined],
  ])('is read from %s', (etag, kind) => expect(digestOf(etag)?.kind).toBe(kind));

  it('of git is that of `git hash-object`', async () => {
    const file = join(folder, 'hello');
    await writeFile(file, 'hello\n');
    await expect(
      checkFile(file, { path: 'hello', digest: { kind: 'git', value: 'ce013625030ba8dba906f756967f9e9ca394464a' } }),
    ).resolves.toMatchObject({ size: 6 });
  });
});
