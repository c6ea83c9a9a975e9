/**
 * Compares the S3 blob store with its bare client (`@aws-sdk/client-s3`): writes and reads of 100 kB, one at a time and 16
 * concurrently. Both use the same server without the test proxy, alternating; ratios within one run, about 20 s.
 * Run: npx node --conditions=@palimpsest/source tools/bench/s3.mjs      (the server: tools/s3, built by Go on first use)
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openS3BlobStore } from '@palimpsest/adapters-s3';
import { blobKey } from '@palimpsest/knowledge/ports';

import { median, timed } from './lib/figures.mjs';

const BYTES = 100_000;
const ROUNDS = 12;
const CALLS = { 1: 40, 16: 160 };

/** The values that the server printed, by the first word of their lines. */
const startServer = async (folder) => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../s3/main.mjs', import.meta.url)), '--data', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const printed = {};
  for await (const line of createInterface(child.stdout)) {
    const [word, ...rest] = line.split(' ');
    printed[word] = rest.join(' ');
    if (word === 'ready') return { printed, stop: () => (child.kill(), once(child, 'exit')) };
  }
  throw new Error('the S3 server did not start: node tools/s3/main.mjs --data <folder> shows why');
};

const folder = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const { printed, stop } = await startServer(folder);
const access = { accessKeyId: printed['access-key'], secretAccessKey: printed['secret-key'] };
const Bucket = printed.bucket;
const store = await openS3BlobStore({ endpoint: printed.gateway, region: printed.region, bucket: Bucket, prefix: 'adapter', ...access });
const client = new S3Client({ endpoint: printed.gateway, region: printed.region, forcePathStyle: true, credentials: access });
const blob = new Uint8Array(randomBytes(BYTES));

const sides = {
  adapter: {
    put: (name, bytes) => store.put(blobKey(name), bytes),
    get: (name) => store.get(blobKey(name)),
  },
  bare: {
    put: (name, bytes) => client.send(new PutObjectCommand({ Bucket, Key: `bare/${name}`, Body: bytes })),
    get: async (name) => (await client.send(new GetObjectCommand({ Bucket, Key: `bare/${name}` }))).Body.transformToByteArray(),
  },
};

/** Milliseconds per call, with `atOnce` concurrent callers. */
const perCall = async (call, names, atOnce) => {
  const left = names.values();
  const caller = async () => {
    for (const name of left) await call(name, blob);
  };
  const { ms } = await timed(() => Promise.all(Array.from({ length: atOnce }, caller)));
  return ms / names.length;
};

for (const [atOnce, calls] of Object.entries(CALLS)) {
  const times = { put: { adapter: [], bare: [] }, get: { adapter: [], bare: [] } };
  for (let round = 0; round < ROUNDS; round++) {
    const names = Array.from({ length: calls }, () => randomUUID());
    // The order alternates, so that neither always finds the disk as the other left it.
    const order = round % 2 === 0 ? ['adapter', 'bare'] : ['bare', 'adapter'];
    for (const what of ['put', 'get'])
      for (const side of order) times[what][side].push(await perCall(sides[side][what], names, Number(atOnce)));
  }
  for (const [what, { adapter, bare }] of Object.entries(times)) {
    // The first two rounds warm both up.
    const [ours, theirs] = [median(adapter.slice(2)), median(bare.slice(2))];
    const rates = `adapter ${(1_000 / ours).toFixed(0)}/s, bare client ${(1_000 / theirs).toFixed(0)}/s`;
    console.log(`${what}, ${atOnce.padStart(2)} concurrent   ${rates}   ${(theirs / ours).toFixed(2)} x`);
  }
}

await store.close();
client.destroy();
await stop();
await rm(folder, { recursive: true });
