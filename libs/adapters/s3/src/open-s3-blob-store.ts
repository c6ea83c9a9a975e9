import { S3Client } from '@aws-sdk/client-s3';
import type { BlobStore } from '@palimpsest/knowledge/ports';
import { checkStore } from './check-store.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { S3Objects } from './s3-objects.ts';
import { parseS3Options, type S3BlobStoreOptions, type S3Settings } from './s3-options.ts';

export type ClosableBlobStore = BlobStore & Readonly<{ close(): Promise<void> }>;

/**
 * Blobs as objects of a bucket, which any number of processes may share. The bucket must exist. Opening checks whether the store
 * supports conditional writes and checksums.
 * @throws InvalidValue naming the setting that is wrong
 * @throws Unavailable when the store cannot be reached
 */
export const openS3BlobStore = async (options: S3BlobStoreOptions): Promise<ClosableBlobStore> => {
  const settings = parseS3Options(options);
  const client = clientOf(settings);
  const closing = new AbortController();
  const objects = new S3Objects(client, settings);
  try {
    await checkStore(objects, settings, closing.signal);
  } catch (error) {
    client.destroy();
    throw error;
  }
  return Object.assign(new S3BlobStore(objects, settings, closing), {
    close: async () => {
      closing.abort();
      client.destroy();
    },
  });
};

const clientOf = ({ endpoint, region, credentials, forcePathStyle, timeoutMs, maxSockets }: S3Settings): S3Client => {
  const agent = { keepAlive: true, maxSockets };
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    // This adapter retries itself: it must know which attempt may have been applied.
    maxAttempts: 1,
    // Every write carries a SHA-256, which is checked after every read: a second checksum would add nothing.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: timeoutMs, httpAgent: agent, httpsAgent: agent },
  });
};
