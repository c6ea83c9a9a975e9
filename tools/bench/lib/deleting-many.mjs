import { setTimeout as sleep } from 'node:timers/promises';
import { syntheticDocuments } from './corpus.mjs';
import { p50p95, timed } from './figures.mjs';
import { ingest, warmUp } from './filling-parts.mjs';
import { PlatformProcess } from './platform-process.mjs';

const BASE = 'many';
const SEARCHES = 100;
const POLL_MS = 100;

/** Wall and CPU time of some work, with searches one after the other meanwhile. */
const measured = async (platform, work) => {
  const waits = [];
  let done = false;
  const before = platform.cpuMs();
  const working = timed(work).finally(() => (done = true));
  while (!done) waits.push((await search(platform)).ms);
  return { ms: (await working).ms, cpuMs: platform.cpuMs() - before, waits };
};

const search = (platform) =>
  timed(() => platform.ask('POST', '/v1/search', { query: 'people of the great house', strategy: 'SparseOnly' }));

const say = (what, documents, { ms, cpuMs, waits }) =>
  console.log(
    `${what}: ${(ms / 1000).toFixed(1)} s, ${((documents * 1000) / ms).toFixed(0)} documents/s, ${(cpuMs / documents).toFixed(2)} ms of CPU each with the searches; searches meanwhile ${p50p95(waits)}`,
  );

/** Deletes one half of the documents of a knowledge base by a label, and the rest with the knowledge base. */
export const deleteMany = async (folder, settings, count) => {
  const platform = await PlatformProcess.start(folder, settings);
  await platform.ask('POST', '/v1/knowledge-bases', { id: BASE });
  await warmUp(platform);
  const corpus = syntheticDocuments(count, { sections: 1, seed: 5 });
  const first = await ingest(
    platform,
    corpus.map((document, i) => ({ ...document, knowledgeBase: BASE, labels: { half: String(i % 2) } })),
  );
  console.log(`${count} documents, ${first.chunks} chunks, ingested with ${(first.cpuMs / count).toFixed(2)} ms of CPU a document`);
  const before = [];
  for (let i = 0; i < SEARCHES; i++) before.push((await search(platform)).ms);
  console.log(`searches before: ${p50p95(before)}`);
  const which = { knowledgeBase: BASE, labels: { half: '1' } };
  const found = await timed(() => platform.ask('POST', '/v1/documents/delete', { ...which, dryRun: true }));
  console.log(`dry run: ${found.result.matching} documents match, ${found.ms.toFixed(0)} ms`);
  const answers = [];
  const byLabel = await measured(platform, async () => {
    for (let left = 1; left > 0;) {
      const { result, ms } = await timed(() => platform.ask('POST', '/v1/documents/delete', which));
      answers.push(ms);
      left = result.remaining;
    }
  });
  say(`deleted by a label in ${answers.length} requests (${p50p95(answers)})`, found.result.matching, byLabel);
  const rest = count - found.result.matching;
  const withBase = await measured(platform, async () => {
    await platform.ask('DELETE', `/v1/knowledge-bases/${BASE}`);
    while ((await platform.ask('GET', '/v1/knowledge-bases')).knowledgeBases.some(({ id }) => id === BASE)) await sleep(POLL_MS);
  });
  say('deleted with the knowledge base', rest, withBase);
  const { documents } = await platform.ask('GET', '/v1/status');
  if (documents.total !== undefined && documents.total !== 1) throw new Error(`${documents.total} documents are left, not 1`);
  const { clean } = await platform.ask('POST', '/v1/admin/verify');
  if (!clean) throw new Error('verify found differences');
  await platform.stop();
};
