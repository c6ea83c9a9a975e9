/**
 * How long does a rebuild of one small scope take, compared with a rebuild of everything? In turns, in one process that answers no searches.
 * Linux, Node 24, after `npm run build`, about a minute:
 *
 *   npx node tools/bench/rebuild-scopes.mjs [--documents 1000] [--small 50] [--rounds 6]
 *
 * `--small`: documents of the scope; all have eight chunks. A stand-in on this machine creates the vectors at almost no cost. The last
 * step is `verify`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { syntheticDocuments } from './lib/corpus.mjs';
import { openEmbeddingStandIn } from './lib/embedding-stand-in.mjs';
import { median } from './lib/figures.mjs';
import { PlatformProcess } from './lib/platform-process.mjs';

const number = (value) => ({ type: 'string', default: String(value) });
const { values: options } = parseArgs({ options: { documents: number(1_000), small: number(50), rounds: number(6) } });
const [documents, small, rounds] = ['documents', 'small', 'rounds'].map((name) => Number(options[name]));
const SCOPE = 'team:red';

const standIn = await openEmbeddingStandIn();
const data = await mkdtemp(join(tmpdir(), 'palimpsest-rebuild-scopes-'));
try {
  const platform = await PlatformProcess.start(data, standIn.settings);
  await platform.submit(syntheticDocuments(documents, { seed: 5 }));
  await platform.ask('POST', '/v1/knowledge-bases', { id: 'small', scope: SCOPE, name: 'Small' });
  for (const { name, text } of syntheticDocuments(small, { seed: 6 }))
    await platform.ask('POST', '/v1/documents', { knowledgeBase: 'small', sourceId: name, text });
  await platform.settled(documents + small);
  const times = { everything: [], scope: [] };
  const rebuilt = {};
  for (let round = 0; round < rounds; round++)
    for (const [what, body] of [
      ['everything', undefined],
      ['scope', { scopes: [SCOPE] }],
    ]) {
      const began = performance.now();
      rebuilt[what] = await platform.ask('POST', '/v1/admin/rebuild', body);
      times[what].push(performance.now() - began);
    }
  for (const [what, each] of Object.entries(times))
    console.log(
      `${what}: ${rebuilt[what].chunks} chunks, p50 ${median(each).toFixed(0)} ms (${Math.min(...each).toFixed(0)} to ${Math.max(...each).toFixed(0)})`,
    );
  const { clean } = await platform.ask('POST', '/v1/admin/verify');
  const ratio = median(times.scope) / median(times.everything);
  console.log(
    `scope / everything: ${ratio.toFixed(2)}; verify: ${clean ? 'clean' : 'differences'}; load average ${loadavg()[0].toFixed(1)}`,
  );
  await platform.stop();
  if (!clean) process.exitCode = 1;
} finally {
  await rm(data, { recursive: true, force: true });
  await standIn.close();
}
