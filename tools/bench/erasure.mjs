/**
 * How long does the erasure of a scope take, or of one person in it? A folder is filled, the scope is erased (with `--person`: a person whom
 * every tenth document is about), and the time is measured until the key is destroyed (the response), until the erasure is complete, and
 * until a scan of all files finds none of 1,000 secrets: sources, titles, and sentences of the texts. Searches for what others have must
 * respond as before. Linux, Node 24, after `npm run build`:
 *
 *   npx node tools/bench/erasure.mjs [--chunks 100000] [--person] [--folder <kept folder>]
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { searchFolder, textProbes } from '@palimpsest/foundation';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { timed } from './lib/figures.mjs';
import { fillFolder } from './lib/fill-folder.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: { chunks: { type: 'string', default: '100000' }, person: { type: 'boolean', default: false }, folder: { type: 'string' } },
});
const chunks = Number(options.chunks);
const SECRETS = 1_000;
const SCOPE = 'deployment';
const PERSON = 'ann.bench@example.org';
/** Every tenth document is about the person. */
const EVERY = 10;

/** Sources, titles and the ends of passages of documents that are erased. The others are those of the people who stay. */
const secretsOf = async (platform, isErased) => {
  const found = new Set();
  for (let cursor; found.size < SECRETS;) {
    const { documents, next } = await platform.ask('GET', `/v1/documents?limit=20${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    for (const { documentId, sourceId, title } of documents.filter(isErased)) {
      const { chunks: passages } = await platform.ask('GET', `/v1/documents/${documentId}/chunks?limit=20`);
      for (const text of [sourceId, title, ...passages.map((passage) => passage.text.slice(-60))])
        if (Buffer.byteLength(text) >= 8) found.add(text);
    }
    cursor = next;
    if (cursor === undefined) break;
  }
  return [...found].slice(0, SECRETS);
};

/** Chunks of documents that stay: their ids and texts. */
const keptOf = async (platform, isErased) => {
  const { documents } = await platform.ask('GET', '/v1/documents?limit=100');
  const kept = [];
  for (const { documentId } of documents.filter((document) => !isErased(document)).slice(0, 20))
    kept.push(await platform.ask('GET', `/v1/documents/${documentId}/chunks?limit=100`));
  return JSON.stringify(kept);
};

const root = await mkdtemp(join(tmpdir(), 'bench-erasure-'));
const standIn = await openEmbeddingStandIn();
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const fill = async (data) => {
  const ofPerson = [];
  const { chunks: filled } = await fillFolder(data, standIn.settings, {
    chunks,
    scopes: 1,
    personOf: (n) => (n % EVERY === 0 ? PERSON : undefined),
    onSubmitted: (sourceId, n) => n % EVERY === 0 && ofPerson.push(sourceId),
  });
  return { chunks: filled, ofPerson };
};

/** A copy of the kept folder, which is filled if it is not yet. */
const filledCopy = async (kept, data) => {
  const summary = join(kept, 'filled.json');
  if (!existsSync(summary)) {
    await mkdir(kept, { recursive: true });
    await writeFile(summary, JSON.stringify(await fill(join(kept, 'data'))));
  }
  await cp(join(kept, 'data'), data, { recursive: true });
  return JSON.parse(await readFile(summary, 'utf8'));
};

try {
  const data = join(root, 'data');
  const filled = await (options.folder === undefined ? fill(data) : filledCopy(options.folder, data));
  const isErased = ({ sourceId }) => !options.person || filled.ofPerson.includes(sourceId);
  const platform = await PlatformProcess.start(data, { ...standIn.settings, PALIMPSEST_PURGE_MINUTES: '1' });
  const secrets = await secretsOf(platform, isErased);
  const kept = await keptOf(platform, isErased);
  const probes = secrets.flatMap((each) => textProbes(each, each));
  const before = await timed(() => searchFolder(data, probes));
  console.log(
    `${filled.chunks} chunks, load average ${loadavg()[0].toFixed(1)}; before: ${before.result.found.size} of ${secrets.length} secrets ` +
      `in ${mebibytes(before.result.bytes)} (sources and titles; scanned in ${seconds(before.ms)})`,
  );
  const began = performance.now();
  const erased = await timed(() =>
    options.person
      ? platform.ask('POST', '/v1/subjects/erasure', { subject: PERSON, confirm: PERSON })
      : platform.ask('POST', `/v1/scopes/${SCOPE}/erasure`, { confirm: SCOPE }),
  );
  let state = erased.result;
  const erasure = options.person ? `/v1/subjects/${state.subject}/erasure` : `/v1/scopes/${SCOPE}/erasure`;
  while (state.state !== 'completed') {
    await sleep(100);
    state = await platform.ask('GET', erasure);
  }
  const completed = performance.now() - began;
  const { residueScan } = await platform.ask('GET', `${erasure}/receipt`);
  const after = await searchFolder(data, probes);
  console.log(
    `unreadable after ${seconds(erased.ms)}, complete after ${seconds(completed)}; then ${after.found.size} secrets in ${mebibytes(after.bytes)}` +
      (options.person ? `; what others have ${(await keptOf(platform, isErased)) === kept ? 'did not change' : 'CHANGED'}` : ''),
  );
  console.log(
    `its receipt: ${residueScan.found} of ${residueScan.secrets} samples in ${residueScan.files} files, ${mebibytes(residueScan.bytes)} (${residueScan.detail})`,
  );
  for (const [name, where] of [...after.found].slice(0, 5)) console.log(`  ${name}: ${where.join(', ')}`);
  await platform.stop('SIGTERM');
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
