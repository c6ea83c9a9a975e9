import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import type { BlobStoreUnderTest } from '@palimpsest/test-kit';
import { openS3BlobStore } from '../src/open-s3-blob-store.ts';
import { aStore, BUILD_MS, freePort, S3Server } from '../test/s3-server.ts';

let server: S3Server;
let under: BlobStoreUnderTest;
let store: BlobStore;
const KEY = blobKey('a/blob');

beforeAll(async () => {
  server = await S3Server.start();
}, BUILD_MS);
afterAll(() => server.dispose());

beforeEach(async () => {
  under = await aStore(server.access, { timeoutMs: 400, retryForMs: 8_000 });
  store = under.store;
  await server.noFaults();
});
afterEach(async () => {
  await server.noFaults();
  await under.dispose();
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const keysOf = async (prefix: string): Promise<BlobKey[]> => {
  const keys: BlobKey[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
};

const FAULTS = [
  { kind: 'fail', status: 500, code: 'InternalError' },
  { kind: 'fail', status: 503, code: 'SlowDown' },
  { kind: 'fail', status: 429, code: 'TooManyRequests' },
  { kind: 'fail-after', status: 500, code: 'InternalError' },
  { kind: 'reset-before' },
  { kind: 'reset-after' },
  { kind: 'delay', ms: 600 },
];

describe.each(FAULTS)('when the store does $kind ($status $code $ms)', (fault) => {
  const twice = (method: string) => server.fault({ ...fault, method, times: 2 });
  const done = async () => (await server.done())[fault.kind];

  it('writes', async () => {
    await twice('PUT');
    await store.put(KEY, bytes('content'));
    expect(await store.get(KEY)).toEqual(bytes('content'));
    expect(await done()).toBe(2);
  });

  it('writes an absent blob, and reports that it did', async () => {
    await twice('PUT');
    expect(await store.putIfAbsent(KEY, bytes('mine'))).toBe(true);
    expect(await store.get(KEY)).toEqual(bytes('mine'));
    expect(await done()).toBe(2);
  });

  it('reports that another writer was first', async () => {
    await store.put(KEY, bytes('another'));
    await twice('PUT');
    expect(await store.putIfAbsent(KEY, bytes('mine'))).toBe(false);
    expect(await store.get(KEY)).toEqual(bytes('another'));
    expect(await done()).toBe(2);
  });

  it('reads, lists and deletes', async () => {
    await store.put(KEY, bytes('content'));
    await twice('GET');
    expect(await store.get(KEY)).toEqual(bytes('content'));
    await twice('GET');
    expect(await keysOf('a/')).toEqual([KEY]);
    await twice('HEAD');
    expect(await store.exists(KEY)).toBe(true);
    await twice('DELETE');
    await store.delete(KEY);
    expect(await store.exists(KEY)).toBe(false);
    expect(await done()).toBe(8);
  });
});

describe('when the answer to a conditional write is lost', () => {
  it('finds out who wrote, even if that request fails at first', async () => {
    await server.fault({ kind: 'reset-after', method: 'PUT' }, { kind: 'fail', method: 'HEAD', status: 503, times: 2 });
    expect(await store.putIfAbsent(KEY, bytes('mine'))).toBe(true);
  });

  it('does not guess if the blob has been deleted since', async () => {
    await server.fault({ kind: 'reset-after', method: 'PUT' }, { kind: 'fail', method: 'HEAD', status: 404, code: 'NotFound' });
    const attempt = store.putIfAbsent(KEY, bytes('mine'));
    await expect(attempt).rejects.toMatchObject({ code: 'Unavailable', message: expect.stringContaining('has been deleted since') });
  });

  it('retries after a conflict with a write in progress, and does not report a lost race', async () => {
    await server.fault({ kind: 'fail', method: 'PUT', status: 409, code: 'ConditionalRequestConflict', times: 2 });
    expect(await store.putIfAbsent(KEY, bytes('mine'))).toBe(true);
    expect((await server.done())['fail']).toBe(2);
  });
});

describe('when bytes change in transit', () => {
  it('reads them again', async () => {
    await store.put(KEY, bytes('content'));
    await server.fault({ kind: 'corrupt', method: 'GET', times: 2 });
    expect(await store.get(KEY)).toEqual(bytes('content'));
    expect((await server.done())['corrupt']).toBe(2);
  });

  it('throws Corrupt when they change every time', async () => {
    await store.put(KEY, bytes('content'));
    await server.fault({ kind: 'corrupt', method: 'GET', times: 100 });
    await expect(store.get(KEY)).rejects.toThrow(Corrupt);
  });

  it.each(['cut', 'stall'])('completes the read when answers fail with "%s" halfway', async (kind) => {
    const large = new Uint8Array(300_000).fill(7);
    await store.put(KEY, large);
    await server.fault({ kind, method: 'GET', times: 2 });
    expect(Buffer.from((await store.get(KEY)) ?? []).equals(large)).toBe(true);
    expect((await server.done())[kind]).toBe(2);
  });
});

describe('when the store stays unavailable', () => {
  it.each([{ kind: 'fail' }, { kind: 'reset-before' }])('fails after its timeout: $kind', async (fault) => {
    const { store: hasty, dispose } = await aStore(server.access, { retryForMs: 300 });
    await hasty.put(KEY, bytes('before'));
    await server.fault({ ...fault, times: 10_000 });
    for (const call of [
      () => hasty.put(KEY, bytes('x')),
      () => hasty.putIfAbsent(KEY, bytes('x')),
      () => hasty.get(KEY),
      () => hasty.delete(KEY),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'Unavailable', retryable: true });
    await server.noFaults();
    expect(await hasty.get(KEY)).toEqual(bytes('before'));
    await dispose();
  });

  it('ends a call that waits for a retry when it is closed', async () => {
    const { store: closable } = { store: await openS3BlobStore({ ...server.access, prefix: 'closing' }) };
    await server.fault({ kind: 'fail', times: 10_000 });
    const waiting = closable.get(KEY);
    await closable.close();
    await expect(waiting).rejects.toThrow(Unavailable);
    await expect(closable.get(KEY)).rejects.toThrow('closed');
  });
});

describe('opening', () => {
  const opened = (wrong: object) => openS3BlobStore({ ...server.access, retryForMs: 200, ...wrong });

  it.each([
    ['bucket', { bucket: 'no-such-bucket' }],
    ['bucket', { bucket: 'No_Bucket' }],
    ['accessKeyId', { accessKeyId: 'unknown-key' }],
    ['secretAccessKey', { secretAccessKey: 'wrong-secret' }],
    ['region', { region: 'eu-central-9' }],
  ])('refuses a wrong %s and names it', async (field, wrong) => {
    await expect(opened(wrong)).rejects.toMatchObject({ code: 'InvalidValue', field });
    await expect(opened(wrong)).rejects.not.toThrow(/wrong-secret/);
  });

  it('fails with Unavailable if no server listens', async () => {
    await expect(opened({ endpoint: `http://127.0.0.1:${await freePort()}` })).rejects.toThrow(Unavailable);
  });

  it('fails with Unavailable if the store only returns faults', async () => {
    await server.fault({ kind: 'fail', times: 10_000 });
    await expect(opened({})).rejects.toThrow(Unavailable);
  });

  it('survives transient faults, and leaves nothing behind', async () => {
    await server.fault(...['GET', 'PUT', 'DELETE'].map((method) => ({ kind: 'fail', method, times: 2 })));
    const other = await openS3BlobStore({ ...server.access, prefix: 'patient' });
    await other.close();
    expect((await server.done())['fail']).toBe(6);
    expect(await keysOf('')).toEqual([]);
  });

  it('refuses a wrong region, bucket or size before it sends a request', async () => {
    for (const wrong of [{ region: '' }, { bucket: ' ' }, { maxBlobBytes: 2 ** 31 }])
      await expect(opened(wrong)).rejects.toThrow(InvalidValue);
    expect(await server.seen()).toEqual({});
  });
});
