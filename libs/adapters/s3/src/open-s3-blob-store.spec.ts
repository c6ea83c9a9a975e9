import { InvalidValue } from '@palimpsest/knowledge/errors';
import { startFakeStore, type FakeStoreFlaws } from '../test/fake-store.ts';
import { openS3BlobStore } from './open-s3-blob-store.ts';
import type { S3BlobStoreOptions } from './s3-options.ts';

const SOUND: FakeStoreFlaws = { conditional: 'kept', checksums: 'kept' };

/** Opens a store with these flaws, closes it, and returns the objects left there. */
const opened = async (flaws: Partial<FakeStoreFlaws>, more: Partial<S3BlobStoreOptions> = {}): Promise<readonly string[]> => {
  const fake = await startFakeStore({ ...SOUND, ...flaws });
  const access = { endpoint: fake.endpoint, region: 'here', bucket: 'blobs', accessKeyId: 'key', secretAccessKey: 'hidden-secret' };
  try {
    const store = await openS3BlobStore({ ...access, retryForMs: 2_000, ...more });
    await store.close();
    return fake.names();
  } finally {
    expect(fake.names()).toEqual([]);
    await fake.close();
  }
};

describe('opening an S3 store', () => {
  it('accepts a sound store, and leaves no objects behind', async () => {
    expect(await opened({})).toEqual([]);
  });

  it.each(['ignored', 'late', 'unknown'] as const)('refuses a store where conditional writes are %s', async (conditional) => {
    await expect(opened({ conditional })).rejects.toMatchObject({
      code: 'InvalidValue',
      field: 'endpoint',
      expected: expect.stringContaining('If-None-Match'),
    });
  });

  it('refuses a store that does not verify checksums', async () => {
    await expect(opened({ checksums: 'ignored' })).rejects.toMatchObject({
      code: 'InvalidValue',
      field: 'endpoint',
      expected: expect.stringContaining('SHA-256'),
    });
  });

  it('refuses a bucket with versioning, unless it is accepted', async () => {
    await expect(opened({ versions: true })).rejects.toMatchObject({ code: 'InvalidValue', field: 'bucket' });
    expect(await opened({ versions: true }, { acceptVersioning: true })).toEqual([]);
  });

  it.each([
    [404, 'NoSuchBucket', 'bucket'],
    [403, 'AccessDenied', 'bucket'],
    [403, 'InvalidAccessKeyId', 'accessKeyId'],
    [403, 'SignatureDoesNotMatch', 'secretAccessKey'],
    [400, 'ExpiredToken', 'sessionToken'],
    [400, 'AuthorizationHeaderMalformed', 'region'],
    [301, 'PermanentRedirect', 'region'],
    [404, 'NotFound', 'endpoint'],
  ])('reports %d %s as a wrong %s', async (status, code, field) => {
    await expect(opened({ refusal: { status, code } })).rejects.toMatchObject({ code: 'InvalidValue', field });
    await expect(opened({ refusal: { status, code } })).rejects.not.toThrow(/hidden-secret/);
  });

  it('fails with Unavailable and the reason if a fault persists', async () => {
    await expect(opened({ refusal: { status: 500, code: 'InternalError' } }, { retryForMs: 100 })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/InternalError, 500; \d+ attempt/),
    });
  });
});

describe('options of an S3 store', () => {
  const right = { region: 'here', bucket: 'blobs' };
  it.each([
    ['region', { ...right, region: '' }],
    ['bucket', { ...right, bucket: 'two words' }],
    ['endpoint', { ...right, endpoint: 'store.example.org' }],
    ['endpoint', { ...right, endpoint: 'https://user:hidden-secret@store.example.org' }],
    ['accessKeyId', { ...right, secretAccessKey: 'hidden-secret' }],
    ['secretAccessKey', { ...right, accessKeyId: 'key' }],
    ['blob key', { ...right, prefix: '../up' }],
    ['prefix', { ...right, prefix: 'p'.repeat(101) }],
    ['retryForMs', { ...right, retryForMs: -1 }],
    ['timeoutMs', { ...right, timeoutMs: 0 }],
    ['maxSockets', { ...right, maxSockets: 1.5 }],
    ['maxBlobBytes', { ...right, maxBlobBytes: 2 ** 30 + 1 }],
  ])('refuses a wrong %s', async (field, options) => {
    const refused = openS3BlobStore(options);
    await expect(refused).rejects.toThrow(InvalidValue);
    await expect(refused).rejects.toMatchObject({ field });
    await expect(refused).rejects.not.toThrow(/hidden-secret/);
  });
});
