import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { embedQuery, openText, searchText } from '@palimpsest/contracts';
import { authorise } from '@palimpsest/knowledge/access';
import { DEFAULT_TENANT, DEPLOYMENT } from '@palimpsest/knowledge/values';
import { openDataFolder, openEmbeddedAdapters } from '@palimpsest/platform/embedded';
import { platformConfig } from '@palimpsest/platform/settings';
import { ReadModelRunner } from '@palimpsest/projections';

const ACCESS = { tenant: DEFAULT_TENANT, teams: ['*'], user: 'bench', roles: ['admin', 'operator'], actor: 'bench' };
const CANDIDATES = 100;
const ONE_HOUR_MS = 3_600_000;

const fail = (error) => {
  throw error;
};

/** The platform's own adapters on a copy of a data folder (of a stopped platform), in this process, without running workers. */
export const openPorts = async (data, settings = {}) => {
  const copy = `${data}-ports`;
  await rm(copy, { recursive: true, force: true });
  await cp(data, copy, { recursive: true });
  const { ports, close } = await openEmbeddedAdapters(
    platformConfig({ PALIMPSEST_DATA: copy, ...settings }),
    await openDataFolder(copy),
    fail,
  );
  const { journal, catalog, vectors, lexical, keys, providers, checkpoints } = ports;
  return {
    journal,
    catalog,
    vectors,
    lexical,
    keys,
    providers,
    checkpoints,
    blobs: join(copy, 'blobs'),
    close: async () => (await close(), rm(copy, { recursive: true, force: true })),
  };
};

/** The cipher calls of a replay, and their time. */
const timedKeys = (keys) => {
  const spent = { calls: 0, ms: 0 };
  const measured = (call) => (bytes, context) => {
    const began = performance.now();
    const made = call(bytes, context);
    spent.ms += performance.now() - began;
    spent.calls++;
    return made;
  };
  return {
    spent,
    cipher: async (scope) => {
      const cipher = await keys.cipher(scope);
      return { open: measured(cipher.open), seal: measured(cipher.seal) };
    },
  };
};

/** Caches everything that was opened once: a replay as if the log were not sealed. */
export const openedOnce = (keys) => {
  const known = new Map();
  return {
    cipher: async (of) => {
      const cipher = await keys.cipher(of);
      const open = (bytes, context) => {
        const name = `${of.tenant}/${of.scope}/${context}`;
        if (!known.has(name)) known.set(name, cipher.open(bytes, context));
        return known.get(name);
      };
      return { open, seal: (bytes, context) => cipher.seal(bytes, context) };
    },
  };
};

/**
 * Drops the read models and fills them from the log, like a rebuild, including the final flush. Returns wall and CPU time in
 * ms, the share of the ciphers (on the one thread that projects), and the longest time that the event loop was blocked.
 */
export const replay = async (ports, { timeCiphers = false, keys: given = ports.keys } = {}) => {
  const keys = timeCiphers ? timedKeys(given) : given;
  const { journal, catalog, vectors, lexical, checkpoints } = ports;
  const runner = new ReadModelRunner({ journal, catalog, vectors, lexical, keys }, { checkpoints, onError: fail });
  const head = await journal.log.head();
  await vectors.dropAll();
  await lexical.dropAll();
  await catalog.reset();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  const began = performance.now();
  delay.enable();
  runner.start();
  await runner.reached(head, ONE_HOUR_MS);
  await runner.stop();
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  return {
    ms: performance.now() - began,
    cpuMs: (user + system) / 1000,
    chunks: await catalog.chunkCount(),
    loop: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
    ...(timeCiphers ? { ciphers: keys.spent } : {}),
  };
};

/** The parts of a search, each called on its port, sequentially; ms of each, and of all. */
export const bareSearch = async ({ catalog, vectors, lexical, keys, providers }, query, strategy, topK = 10) => {
  const parts = {};
  const part = async (name, work) => {
    const began = performance.now();
    const made = await work();
    parts[name] = performance.now() - began;
    return made;
  };
  const [scope] = authorise(ACCESS, [DEPLOYMENT]);
  const [{ generations }] = await catalog.scopes(DEFAULT_TENANT);
  const partition = { scope, generation: generations.find(({ status }) => status === 'active').id };
  let dense = [];
  let sparse = [];
  if (strategy !== 'SparseOnly') {
    const vector = await part('embed', () => embedQuery(providers.of(providers.current.version, DEFAULT_TENANT), query));
    dense = await part('vectors', () => vectors.search(partition, vector, { k: CANDIDATES }));
  }
  if (strategy !== 'DenseOnly') sparse = await part('bm25', () => lexical.search(partition, query, { k: CANDIDATES }));
  const ids = [...new Set([...dense, ...sparse].map(({ chunkId }) => chunkId))];
  // Like a search: which chunks are visible, and the details of those that are shown.
  const visible = await part('visible', () => catalog.visible([scope], ids));
  const chunks = await part('catalog', () => catalog.chunks([scope], ids.filter((id) => visible.has(id)).slice(0, topK)));
  await part('texts', async () => {
    const cipher = await keys.cipher(scope);
    return chunks.map(({ chunkId, sealedText }) => searchText(openText(cipher, chunkId, sealedText)));
  });
  return { parts, ms: Object.values(parts).reduce((sum, ms) => sum + ms, 0) };
};
