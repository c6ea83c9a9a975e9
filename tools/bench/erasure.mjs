/**
 * How long does the erasure of a scope take? A folder is filled, its scope is erased, and the time is measured until the key is destroyed
 * (the response), until the erasure is complete, and until a scan of all files finds none of 1,000 secrets: sources, titles, sentences of
 * the texts, and pieces of vectors. Linux, Node 24, after `npm run build`:
 *
 *   npx node tools/bench/erasure.mjs [--chunks 100000]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { searchFolder, textProbes } from '@palimpsest/foundation';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { timed } from './lib/figures.mjs';
import { fillFolder } from './lib/fill-folder.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({ options: { chunks: { type: 'string', default: '100000' } } });
const chunks = Number(options.chunks);
const SECRETS = 1_000;
const SCOPE = 'deployment';

/** Sources, titles and the ends of passages. */
const secretsOf = async (platform) => {
  const found = new Set();
  for (let cursor; found.size < SECRETS;) {
    const { documents, next } = await platform.ask('GET', `/v1/documents?limit=20${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    for (const { documentId, sourceId, title } of documents) {
      const { chunks: passages } = await platform.ask('GET', `/v1/documents/${documentId}/chunks?limit=20`);
      for (const text of [sourceId, title, ...passages.map((passage) => passage.text.slice(-60))])
        if (Buffer.byteLength(text) >= 8) found.add(text);
    }
    cursor = next;
    if (cursor === undefined) break;
  }
  return [...found].slice(0, SECRETS);
};

const root = await mkdtemp(join(tmpdir(), 'bench-erasure-'));
const standIn = await openEmbeddingStandIn();
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
try {
  const data = join(root, 'data');
  const filled = await fillFolder(data, standIn.settings, { chunks, scopes: 1 });
  const platform = await PlatformProcess.start(data, { ...standIn.settings, PALIMPSEST_PURGE_MINUTES: '1' });
  const secrets = await secretsOf(platform);
  const probes = secrets.flatMap((each) => textProbes(each, each));
  const before = await timed(() => searchFolder(data, probes));
  console.log(
    `${filled.chunks} chunks, load average ${loadavg()[0].toFixed(1)}; before: ${before.result.found.size} of ${secrets.length} secrets ` +
      `in ${(before.result.bytes / 2 ** 20).toFixed(0)} MiB (sources and titles; scanned in ${seconds(before.ms)})`,
  );
  const began = performance.now();
  const erased = await timed(() => platform.ask('POST', `/v1/scopes/${SCOPE}/erasure`, { confirm: SCOPE }));
  let state = erased.result;
  while (state.state !== 'completed') {
    await sleep(100);
    state = await platform.ask('GET', `/v1/scopes/${SCOPE}/erasure`);
  }
  const completed = performance.now() - began;
  const { residueScan } = await platform.ask('GET', `/v1/scopes/${SCOPE}/erasure/receipt`);
  const after = await searchFolder(data, probes);
  console.log(
    `unreadable after ${seconds(erased.ms)}, complete after ${seconds(completed)}; then ${after.found.size} secrets in ${(after.bytes / 2 ** 20).toFixed(0)} MiB`,
  );
  console.log(
    `its receipt: ${residueScan.found} of ${residueScan.secrets} samples in ${residueScan.files} files, ${(residueScan.bytes / 2 ** 20).toFixed(0)} MiB (${residueScan.detail})`,
  );
  for (const [name, where] of [...after.found].slice(0, 5)) console.log(`  ${name}: ${where.join(', ')}`);
  await platform.stop('SIGTERM');
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
