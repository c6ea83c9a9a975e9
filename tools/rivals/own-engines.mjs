/**
 * An index of Palimpsest on the corpus of `main.mjs`, in a process of its own, as `engines.py` does it with the others:
 *
 *   node --conditions=@palimpsest/source tools/rivals/own-engines.mjs <folder> <words | tokens | vectors | filtered>
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkId, DEFAULT_TENANT, DEPLOYMENT, generationId, position } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const K = 10;
const ROUNDS = 3;
const BATCH = 1000;
const WARM_UP = 50;

const [input, kind] = process.argv.slice(2);
const textsOf = async (name) => JSON.parse(await readFile(join(input, `${name}.json`), 'utf8'));
const rowsOf = async (name, count) => {
  const bytes = await readFile(join(input, `${name}.f32`));
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return Array.from({ length: count }, (_, at) => all.slice((at * all.length) / count, ((at + 1) * all.length) / count));
};
const idOf = (at) => chunkId(at.toString(16).padStart(32, '0'));
const placeOf = ({ chunkId: id }) => Number.parseInt(id, 16);
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
/** Not that of `resourceUsage`, which begins with the memory of the process that started this one. */
const peakMb = async () => Number(/VmHWM:\s+(\d+) kB/.exec(await readFile('/proc/self/status', 'utf8'))[1]) / 1024;

const keys = new InMemoryScopeKeys();
const generation = generationId('g1');
const partition = { scope: { tenant: DEFAULT_TENANT, scope: DEPLOYMENT }, generation };
const [scope] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'bench' }, [DEPLOYMENT]);

/** Opens an index with these puts, in batches. */
const filled = async (index, puts) => {
  for (let from = 0; from < puts.length; from += BATCH)
    await index.apply(partition, puts.slice(from, from + BATCH), position(BigInt(from + 1)));
  return index;
};
const byWords = (language) => async (root, texts) => {
  const puts = texts.map((text, at) => ({ write: 'put', chunkId: idOf(at), text, language, attributes: {} }));
  const index = await filled(await openBm25Index({ root, keys }), puts);
  return { index, search: (text) => index.search({ scope, generation }, text, { k: K }) };
};
const byVectors = (filter) => async (root, _texts, vectors) => {
  const puts = vectors.map((vector, at) => ({ write: 'put', chunkId: idOf(at), vector, attributes: { hundredth: at % 100 } }));
  const index = await filled(await openScanVectorIndex({ root, keys }), puts);
  return { index, search: (_text, vector) => index.search({ scope, generation }, vector, { k: K, filter }) };
};
const ENGINES = {
  words: byWords('en'),
  /** Words as they are: no stop words, no stems. */
  tokens: byWords('und'),
  vectors: byVectors(),
  filtered: byVectors({ eq: { field: 'hundredth', value: 0 } }),
};

const [texts, queries] = [await textsOf('texts'), await textsOf('queries')];
const [vectors, asked] = [await rowsOf('vectors', texts.length), await rowsOf('queries', queries.length)];
const [root, first] = await Promise.all(['rivals-own-', 'rivals-warm-up-'].map((name) => mkdtemp(join(tmpdir(), name))));
try {
  const warm = await ENGINES[kind](first, texts.slice(0, WARM_UP), vectors.slice(0, WARM_UP));
  await warm.search(queries[0], asked[0]);
  await warm.index.close();
  let [began, cpu] = [performance.now(), cpuMs()];
  const { index, search } = await ENGINES[kind](root, texts, vectors);
  const build = { wallMs: performance.now() - began, cpuMs: cpuMs() - cpu };
  const found = [];
  for (const [at, text] of queries.entries()) found.push((await search(text, asked[at])).map(placeOf));
  const times = [];
  cpu = cpuMs();
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, text] of queries.entries()) {
      began = performance.now();
      await search(text, asked[at]);
      times.push(performance.now() - began);
    }
  const perQuery = (cpuMs() - cpu) / times.length;
  console.log(JSON.stringify({ build, times, cpuMs: perQuery, peakMb: await peakMb(), found }));
  await index.close();
} finally {
  for (const folder of [root, first]) await rm(folder, { recursive: true });
}
