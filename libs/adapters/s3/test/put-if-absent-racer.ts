/** `node put-if-absent-racer.ts <options as JSON>`: starts five concurrent writers for each key on stdin; prints the contents that won. */
import { createInterface } from 'node:readline';
import { blobKey } from '@palimpsest/knowledge/ports';
import { openS3BlobStore } from '../src/open-s3-blob-store.ts';
import type { S3BlobStoreOptions } from '../src/s3-options.ts';

const WRITERS = 5;
const store = await openS3BlobStore(JSON.parse(process.argv[2] ?? '') as S3BlobStoreOptions);
process.stdout.write('open\n');
for await (const key of createInterface(process.stdin)) {
  const contents = Array.from({ length: WRITERS }, (_, i) => `${process.pid} ${i}`);
  const won = await Promise.all(contents.map((content) => store.putIfAbsent(blobKey(key), Buffer.from(content))));
  process.stdout.write(`${JSON.stringify({ key, won: contents.filter((_, i) => won[i]) })}\n`);
}
await store.close();
