/**
 * How long it takes until one tenant's single document is searchable, alone and behind another tenant's many. Linux,
 * Node 24, after `npm run build`:
 *
 *   npx node tools/bench/fairness.mjs [--documents 10000] [--waiting 1000] [--singles 5]
 *
 * Tenant A submits `--documents`; a stand-in creates their vectors at almost no cost. The workers process them in the meantime, so
 * fewer documents wait. Tenant B submits `--singles` sequentially as soon as all documents of A are submitted, and the
 * table shows how many of A's waited when the first one was submitted. The run ends when fewer than `--waiting` of A's are left.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median, timed } from './lib/figures.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '10000' },
    waiting: { type: 'string', default: '1000' },
    singles: { type: 'string', default: '5' },
  },
});
const [documents, waiting, singles] = ['documents', 'waiting', 'singles'].map((name) => Number(options[name]));
const POLL_MS = 10;

const asTenantB = async (platform) => {
  const { key } = await platform.ask('POST', '/v1/api-keys', { name: 'b', tenant: 'b', roles: ['writer'] });
  return async (path, body) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${platform.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
};

/** From the submission until a search finds it, ms. */
const single = async (ask, word) => {
  const { ms } = await timed(async () => {
    await ask('/v1/documents', { sourceId: `${word}.md`, text: `The only document about ${word}.` });
    for (;;) {
      const { hits } = await ask('/v1/search', { query: word, strategy: 'SparseOnly' });
      if (hits.length > 0) return;
      await sleep(POLL_MS);
    }
  });
  return ms;
};

const waitingNow = async (platform) => {
  const { pending, processing } = (await platform.ask('GET', '/v1/status')).documents;
  return pending + processing;
};

/** Measures single documents as long as at least `min` others wait. */
const measure = async (platform, ask, name, min) => {
  const ms = [];
  const before = await waitingNow(platform);
  let left = before;
  while (ms.length < singles && left >= min) {
    ms.push(await single(ask, `${name}${ms.length}`));
    left = await waitingNow(platform);
  }
  const row = {
    'waiting of A': `${before} to ${left}`,
    singles: ms.length,
    'median ms': Math.round(median(ms)),
    'max ms': Math.round(Math.max(...ms)),
  };
  return { row, ms };
};

const root = await mkdtemp(join(tmpdir(), 'palimpsest-bench-'));
const standIn = await openEmbeddingStandIn();
console.log(
  `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load average ${loadavg()[0].toFixed(1)}`,
);
try {
  const platform = await PlatformProcess.start(root, standIn.settings);
  const ask = await asTenantB(platform);
  await single(ask, 'warm');
  const alone = await measure(platform, ask, 'alone', 0);
  const corpus = Array.from({ length: documents }, (_, i) => ({ name: `a${i}.md`, text: `Document number ${i} of the tenant with many.` }));
  const { ms } = await timed(() => platform.submit(corpus));
  const behind = await measure(platform, ask, 'behind', waiting);
  if (behind.ms.length === 0) throw new Error('A was finished before B submitted: use more --documents, or fewer --waiting');
  console.log(`\n${documents} documents of A submitted within ${(ms / 1000).toFixed(1)} s`);
  console.table({ alone: alone.row, 'behind A': behind.row });
  console.log(
    `behind A it takes ${(median(behind.ms) / median(alone.ms)).toFixed(1)} times as long, ${Math.round(median(behind.ms) - median(alone.ms))} ms more`,
  );
  await platform.stop();
} finally {
  await standIn.close();
  await rm(root, { recursive: true, force: true });
}
console.log(`\nload average at the end ${loadavg()[0].toFixed(1)}`);
