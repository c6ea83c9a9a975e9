/**
 * The cost of sealing per chunk: a text of 1.5 kB and a vector of 384 float32 (1,536 bytes), sealed and opened with a
 * scope's key, compared with a plain copy of the same bytes in the same run (rounds alternate, the median is printed).
 * Run: npx node --conditions=@palimpsest/source tools/bench/sealing.mjs
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolderBlobStore, openScopeKeys } from '@palimpsest/adapters-folder';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';

const ROUNDS = 15;
const CHUNKS_PER_ROUND = 1_000;
/** From the model's own measurements (250 tokens, one thread), not measured here. */
const EMBEDDING_US = 30_000;

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const keys = openScopeKeys({ blobs: await openFolderBlobStore(root), masterKey: randomBytes(32) });
const cipher = await keys.cipher({ tenant: tenantId('default'), scope: vectorScope('platform') });

const text = new Uint8Array(Buffer.from('All work on one chunk of fifteen hundred bytes. '.repeat(32)).subarray(0, 1_500));
const vector = new Uint8Array(Float32Array.from({ length: 384 }, (_, i) => Math.sin(i)).buffer);
const id = 'f'.repeat(32);
const sealed = { text: cipher.seal(text, `${id}/text`), vector: cipher.seal(vector, `${id}/vector`) };

let sink = 0;
const ways = {
  'plain copy': () => new Uint8Array(text).length + new Uint8Array(vector).length,
  seal: () => cipher.seal(text, `${id}/text`).length + cipher.seal(vector, `${id}/vector`).length,
  open: () => cipher.open(sealed.text, `${id}/text`).length + cipher.open(sealed.vector, `${id}/vector`).length,
};

const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
for (let round = 0; round < ROUNDS; round += 1)
  for (const [way, act] of Object.entries(ways)) {
    const started = process.hrtime.bigint();
    for (let chunk = 0; chunk < CHUNKS_PER_ROUND; chunk += 1) sink += act();
    times[way].push(Number(process.hrtime.bigint() - started) / 1_000 / CHUNKS_PER_ROUND);
  }

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const copy = median(times['plain copy']);
console.log('per chunk (1,500 bytes text + 1,536 bytes vector), median of', ROUNDS, 'rounds');
for (const way of Object.keys(ways)) {
  const us = median(times[way]);
  const share = ((100 * us) / EMBEDDING_US).toFixed(3);
  console.log(
    `${way.padEnd(12)} ${us.toFixed(2).padStart(8)} µs   ${(us / copy).toFixed(1).padStart(6)} x copy   ${share} % of one embedding (given: 30 ms)`,
  );
}
if (sink === 0) throw new Error('nothing was done');
await rm(root, { recursive: true });
