export { openS3BlobStore, type ClosableBlobStore } from './open-s3-blob-store.ts';
export type { S3BlobStoreOptions } from './s3-options.ts';
export { openBlobCheckpoints } from './blob-checkpoints.ts';
