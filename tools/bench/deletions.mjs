/**
 * What do deletions cost? Documents are ingested, half of them are deleted, and the read models are rebuilt. The baseline, in the
 * same run, is a folder that only ever contained the other half. Linux, Node 24, after `npm run build`:
 *
 *   npx node tools/bench/deletions.mjs [--chunks 4000] [--rounds 5]
 *
 *   npx node tools/bench/deletions.mjs --many 10000
 *
 * The second form deletes that many documents of a knowledge base: one half by a label, the rest with the knowledge base. One search
 * after the other runs meanwhile, and before, for comparison.
 *
 * A stand-in on this machine creates the vectors at almost no cost, so that the figures show everything except the model.
 * CPU times, since other work on the machine hardly affects them: of the deletions (each one appended, projected, and its text
 * removed from the index files), and of a rebuild (which first reads what was deleted).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median } from './lib/figures.mjs';
import { ingest, warmUp } from './lib/filling-parts.mjs';
import { deleteMany } from './lib/deleting-many.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const SECTIONS = 8;
/** Longer than the limit within which an idle platform removes deleted text from the index files. */
const IDLE_MS = 5_000;

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '4000' },
    rounds: { type: 'string', default: '5' },
    many: { type: 'string' },
  },
});
const [chunks, rounds] = [Number(options.chunks), Number(options.rounds)];

const cpuOf = async (platform, work) => {
  const before = platform.cpuMs();
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began, cpuMs: platform.cpuMs() - before };
};

const allDocuments = async (platform) => {
  const found = [];
  for (let cursor; ;) {
    const page = await platform.ask('GET', `/v1/documents?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    found.push(...page.documents);
    cursor = page.next;
    if (cursor === undefined) return found;
  }
};

const deleteNamed = async (platform, names) => {
  const ids = (await allDocuments(platform)).filter(({ sourceId }) => names.has(sourceId)).map(({ documentId }) => documentId);
  if (ids.length !== names.size) throw new Error(`${ids.length} of ${names.size} documents to delete found`);
  for (const id of ids) await platform.ask('DELETE', `/v1/documents/${id}`);
  return ids.length;
};

const rebuild = (platform) => cpuOf(platform, () => platform.ask('POST', '/v1/admin/rebuild'));

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
const compareRebuilds = async () => {
  const corpus = syntheticDocuments(Math.ceil(chunks / SECTIONS), { sections: SECTIONS, seed: 5 });
  const kept = corpus.filter((_, index) => index % 2 === 0);
  const others = new Set(corpus.filter((_, index) => index % 2 === 1).map(({ name }) => name));
  const half = await PlatformProcess.start(join(root, 'half'), standIn.settings);
  const deleted = await PlatformProcess.start(join(root, 'deleted'), standIn.settings);
  await warmUp(half);
  await warmUp(deleted);
  await ingest(half, kept);
  const first = await ingest(deleted, corpus);
  const complete = [];
  for (let round = 0; round < rounds; round++) complete.push(await rebuild(deleted));
  const deletion = await cpuOf(deleted, () => deleteNamed(deleted, others));
  const after = await cpuOf(deleted, () => sleep(IDLE_MS));
  const samples = { half: [], deleted: [] };
  for (let round = 0; round < rounds; round++) {
    samples.half.push(await rebuild(half));
    samples.deleted.push(await rebuild(deleted));
  }
  if (samples.half[0].result.chunks !== samples.deleted[0].result.chunks) throw new Error('both folders must contain the same chunks');
  const of = (list) => `${median(list.map(({ ms }) => ms)).toFixed(0)} ms, ${median(list.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms of CPU`;
  const ratio = (one, other, key) => (median(one.map((sample) => sample[key])) / median(other.map((sample) => sample[key]))).toFixed(2);
  console.log(
    `${corpus.length} documents, ${first.chunks} chunks, ingested with ${(first.cpuMs / first.chunks).toFixed(2)} ms of CPU a chunk`,
  );
  console.log(
    `deleting ${deletion.result} of them: ${(deletion.cpuMs / deletion.result).toFixed(2)} ms of CPU each, ${(deletion.ms / deletion.result).toFixed(1)} ms until the answer; ${after.cpuMs.toFixed(0)} ms of CPU in the next ${IDLE_MS / 1000} s`,
  );
  console.log(`rebuild before the deletions: ${of(complete)}`);
  console.log(
    `rebuild after the deletions: ${of(samples.deleted)}; of a folder that never contained the deleted documents: ${of(samples.half)}`,
  );
  console.log(
    `  with deletions / without: ${ratio(samples.deleted, samples.half, 'ms')} of the time, ${ratio(samples.deleted, samples.half, 'cpuMs')} of the CPU`,
  );
  console.log(
    `  with deletions / before the deletions: ${ratio(samples.deleted, complete, 'ms')} of the time, ${ratio(samples.deleted, complete, 'cpuMs')} of the CPU`,
  );
  await half.stop();
  await deleted.stop();
};

try {
  if (options.many === undefined) await compareRebuilds();
  else await deleteMany(join(root, 'many'), standIn.settings, Number(options.many));
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
