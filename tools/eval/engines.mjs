/**
 * Do the embedded indexes and those in Qdrant rank the same? The stages of a search, on folders in BEIR layout, with both:
 *
 *   node --conditions=@palimpsest/source tools/eval/engines.mjs [--queries 300] [--url http://…] <BEIR folder>...
 *
 * Embeds all documents and queries with the built-in model (minutes). Without --url it starts the test server. A folder whose name ends with a
 * language (`xquad-de`) is indexed in it, others in English. Per set and search: nDCG@10 of both, the share of the best ten that both have, and the
 * share of queries with the same ten in the same order.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyse, analyseQuery, BM25_ANALYSER_VERSION, openBm25Index, queryLanguage } from '@palimpsest/adapters-bm25';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { openQdrantLexicalIndex, openQdrantVectorIndex } from '@palimpsest/adapters-qdrant';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { embedPassages, embedQuery } from '@palimpsest/contracts';
import { measureNamed } from '@palimpsest/evaluation';
import { authorise } from '@palimpsest/knowledge/access';
import { DEFAULT_TENANT, DEPLOYMENT, embeddingVersion, generationId, position } from '@palimpsest/knowledge/values';
import { denseWeightOf, denseWeights } from '../../libs/query/src/pipeline/dense-weight.ts';
import { retrieveDense } from '../../libs/query/src/pipeline/retrieve-dense.ts';
import { retrieveLexical } from '../../libs/query/src/pipeline/retrieve-lexical.ts';
import { fuseStandardScores } from '../../libs/query/src/ranking/fusion.ts';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';
import { startTestServer } from '../bench/lib/test-server.mjs';
import { idOf, languageOf, lines, textOf } from './beir-files.mjs';

const K = 10;
/** Candidates of each search, as for a search for ten results. */
const POOL = 100;
const MEASURE = measureNamed('nDCG@10');
const BATCH = 500;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);

const readSet = async (folder, most) => {
  const judged = new Map();
  for (const line of (await lines(join(folder, 'qrels', 'test.tsv.gz'))).slice(1)) {
    const [query, document, gain] = line.split('\t');
    if (Number(gain) > 0) judged.set(query, (judged.get(query) ?? new Map()).set(idOf(document), Number(gain)));
  }
  const parsed = async (name) => (await lines(join(folder, name))).map((line) => JSON.parse(line));
  return {
    name: basename(folder),
    language: languageOf(folder),
    documents: (await parsed('corpus.jsonl.gz')).filter((document) => textOf(document).trim()),
    queries: (await parsed('queries.jsonl.gz'))
      .filter(({ _id }) => judged.has(_id))
      .slice(0, most)
      .map(({ _id, text }) => ({ text, judgements: judged.get(_id) })),
  };
};

const putsOf = async ({ documents, language }, provider) => {
  const puts = [];
  for (const document of documents) {
    const [{ vector, further = [] }] = await embedPassages(provider, [{ text: textOf(document), contextPrefix: '', headings: [] }]);
    const put = { write: 'put', chunkId: idOf(document._id), attributes: {} };
    puts.push({
      vector: { ...put, vector, ...(further.length > 0 ? { further } : {}) },
      words: { ...put, text: textOf(document), language, ...(document.title ? { fields: { title: document.title } } : {}) },
    });
  }
  return puts;
};

const [permitted] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'eval' }, [DEPLOYMENT]);

/** How to ask an engine: of each kind of search the ids of the best ten. */
const askable = async ({ vectors, lexical }, number, puts, provider) => {
  const generation = generationId(`g${number + 1}`);
  const partition = { scope: { tenant: DEFAULT_TENANT, scope: DEPLOYMENT }, generation };
  for (let from = 0; from < puts.length; from += BATCH) {
    const some = puts.slice(from, from + BATCH);
    const [byVector, byWords] = [some.map(({ vector }) => vector), some.map(({ words }) => words)];
    await vectors.apply(partition, byVector, position(BigInt(from + 1)));
    await lexical.apply(partition, byWords, position(BigInt(from + 1)));
  }
  const searchable = [{ partition: { scope: permitted, generation }, embeddingVersion: provider.version }];
  const wanted = { searchable, filter: undefined, pool: POOL, shown: { lookUp: async () => {}, has: () => true } };
  const best = (hits) => hits.slice(0, K).map(({ chunkId: id }) => id);
  return async (query, vector) => {
    const state = { request: { query, strategy: 'DenseSparseHybrid' }, view: { vectors, lexical }, wanted };
    const { dense } = await retrieveDense.run({ ...state, queryVectors: new Map([[provider.version, vector]]), backgrounds: new Map() });
    const found = await retrieveLexical.run(state);
    const weights = denseWeights(searchable, found, () => provider);
    const hybrid = fuseStandardScores({ dense, lexical: found.lexical }, denseWeightOf(weights, [...dense.hits, ...found.lexical.hits]));
    return { words: best(found.lexical.hits), vectors: best(dense.hits), hybrid: best(hybrid) };
  };
};

/** Collections and folders of their own for each set: rare words are counted over a whole collection. */
const openEngines = async (url, root, name) => {
  const keys = new InMemoryScopeKeys();
  const at = { url, keys, prefix: `eval-${process.pid}-${name}`.slice(0, 40) };
  return {
    embedded: {
      vectors: await openScanVectorIndex({ root: join(root, name, 'scan'), keys }),
      lexical: await openBm25Index({ root: join(root, name, 'bm25'), keys }),
    },
    qdrant: {
      vectors: openQdrantVectorIndex({ ...at, versionOf: () => embeddingVersion('eval:any/384') }),
      lexical: openQdrantLexicalIndex({
        ...{ ...at, analyseQuery, queryLanguage, analyserVersion: BM25_ANALYSER_VERSION },
        analyse: (text, language) =>
          [...analyse(text, language).terms].flatMap(([term, times]) => Array.from({ length: times }, () => term)),
      }),
    },
  };
};

const report = ({ name }, kind, asked) => {
  const value = (engine) => mean(asked.map((query) => MEASURE.of(query[engine][kind], query.judgements)));
  const both = asked.map(({ embedded, qdrant }) => ({ one: embedded[kind], other: qdrant[kind] }));
  const shared = both.map(({ one, other }) => one.filter((id) => other.includes(id)).length / Math.max(1, one.length));
  const same = both.filter(({ one, other }) => one.join() === other.join()).length / asked.length;
  const [one, other] = [value('embedded'), value('qdrant')];
  const difference = `${other < one ? '−' : '+'}${Math.abs(other - one).toFixed(4)}`;
  row([name, asked.length, kind, one.toFixed(4), other.toFixed(4), difference, mean(shared).toFixed(4), same.toFixed(3)]);
};

const compare = async (set, number, engines, provider) => {
  const puts = await putsOf(set, provider);
  const embedded = await askable(engines.embedded, number, puts, provider);
  const qdrant = await askable(engines.qdrant, number, puts, provider);
  const asked = [];
  for (const { text, judgements } of set.queries) {
    const vector = await embedQuery(provider, text);
    asked.push({ judgements, embedded: await embedded(text, vector), qdrant: await qdrant(text, vector) });
  }
  for (const kind of ['words', 'vectors', 'hybrid']) report(set, kind, asked);
};

const main = async (folders, { queries, url: given }) => {
  const root = await mkdtemp(join(tmpdir(), 'eval-engines-'));
  const server = given === undefined ? await startTestServer('qdrant-server', ['--data', join(root, 'server')]) : undefined;
  const provider = await openOnnxEmbeddings({ threads: 2 });
  try {
    row(['set', 'queries', 'search', 'embedded', 'Qdrant', 'difference', 'of the best ten in both', 'same ten in the same order']);
    row(Array.from({ length: 8 }, () => '---'));
    for (const [number, folder] of folders.entries()) {
      const engines = await openEngines(given ?? server.address, root, basename(folder));
      await compare(await readSet(folder, queries), number, engines, provider);
      for (const { vectors, lexical } of Object.values(engines)) for (const index of [vectors, lexical]) await index.close();
    }
  } finally {
    await provider.close?.();
    await server?.stop();
    await rm(root, { recursive: true });
  }
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { queries: { type: 'string', default: '300' }, url: { type: 'string' } },
});
if (positionals.length === 0 || !(Number(values.queries) >= 1)) {
  console.error('usage: engines.mjs [--queries <number>] [--url <Qdrant>] <BEIR folder>...');
  process.exitCode = 2;
} else await main(positionals, { queries: Number(values.queries), url: values.url });
