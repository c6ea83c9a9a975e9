import { S3Client } from '@aws-sdk/client-s3';
import type { BlobStore } from '@palimpsest/knowledge';
import { checkStore } from './check-store.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import { S3Objects } from './s3-objects.ts';
import { parseS3Options, type S3BlobStoreOptions, type S3Settings } from './s3-options.ts';

export type ClosableBlobStore = BlobStore & Readonly<{ close(): Promise<void> }>;

/**
 * Blobs as objects of a bucket, which any number of processes may share. The bucket has to exist; whether the store keeps what
 * this needs (conditional writes, checksums) is tried at once.
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
    // Retries are this adapter's: they have to know which attempt may have been done.
    maxAttempts: 1,
    // A SHA-256 goes with every write and is checked after every read: a second sum would check nothing more.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: timeoutMs, httpAgent: agent, httpsAgent: agent },
  });
};
