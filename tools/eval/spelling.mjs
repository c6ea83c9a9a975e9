/**
 * What the correction of misspelt words does to the search by words: nDCG@10 of the queries of test sets in BEIR layout as they are, and
 * with one mistake in one word of each, with and without it; how many words it corrects; and how long it takes.
 *
 *   node --conditions=@palimpsest/source tools/eval/spelling.mjs [--split test] [--hybrid] <BEIR folder>...     (Node 24; `npm run build` once before)
 *
 * `--hybrid`: the hybrid search, whose vectors get the query as it is written; and, in a column of its own, the corrected query (minutes: embeds all).
 * The mistake is two letters exchanged, one too many, a wrong or a missing one, anywhere in a word of five letters or more; the same ones
 * in each run. A folder whose name ends with a language (`xquad-de`) is indexed in it, others in English.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import { embedPassages, embedQuery } from '@palimpsest/contracts';
import { authorise } from '@palimpsest/knowledge/access';
import { DEFAULT_TENANT, DEPLOYMENT, generationId, position } from '@palimpsest/knowledge/values';
import { denseWeightOf, denseWeights } from '../../libs/query/src/pipeline/dense-weight.ts';
import { retrieveDense } from '../../libs/query/src/pipeline/retrieve-dense.ts';
import { retrieveLexical } from '../../libs/query/src/pipeline/retrieve-lexical.ts';
import { fuseStandardScores } from '../../libs/query/src/ranking/fusion.ts';
import { correctSpelling } from '../../libs/query/src/pipeline/spelling.ts';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';
import { idOf, languageOf, lines, textOf } from './beir-files.mjs';

const K = 10;
const discounted = (gains) => gains.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);

/** Query id → chunk id → gain. A gain of -1 (cranfield: the source document) counts as the highest. */
const judgements = async (path) => {
  const judged = new Map();
  for (const line of (await lines(path)).slice(1)) {
    const [query, document, score] = line.split('\t');
    const gain = Number(score) === -1 ? 4 : Number(score);
    if (gain > 0) judged.set(query, (judged.get(query) ?? new Map()).set(idOf(document), gain));
  }
  return judged;
};

/** Numbers from 0 to `below` - 1 that depend on the text only. */
const numbersFrom = (text) => {
  let count = 0;
  return (below) => createHash('sha256').update(`${count++} ${text}`).digest().readUInt32BE() % below;
};

/** The query with one mistake, and the word without it; undefined if it has no word that is long enough. `letters`: of the set. */
const misspelt = ({ _id, text }, letters) => {
  const next = numbersFrom(`${_id} ${text}`);
  const words = [...text.matchAll(/(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}]{5,}(?![\p{L}\p{M}\p{N}])/gu)];
  if (words.length === 0) return undefined;
  const { 0: word, index } = words[next(words.length)];
  const [at, letter] = [next(word.length), letters[next(letters.length)]];
  const before = word.slice(0, at);
  const mistakes = [
    () => (at + 1 < word.length ? before + word[at + 1] + word[at] + word.slice(at + 2) : word.slice(0, at - 1) + word[at] + word[at - 1]),
    () => before + letter + word.slice(at),
    () => before + letter + word.slice(at + 1),
    () => before + word.slice(at + 1),
  ];
  const wrong = mistakes[next(4)]();
  return { text: text.slice(0, index) + wrong + text.slice(index + word.length), word, wrong };
};

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
/** Paired bootstrap over the queries. */
const interval = (differences) => {
  const next = numbersFrom('bootstrap');
  let seed = next(2 ** 32);
  const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32) * differences.length;
  const means = Array.from({ length: 2_000 }, () => mean(differences.map(() => differences[Math.floor(random())]))).sort((a, b) => a - b);
  return `${signed(means[50])} … ${signed(means[1_949])}`;
};
const signed = (value) => (value < 0 ? '−' : '+') + Math.abs(value).toFixed(4).slice(1);

/** Candidates of each search, as for a search for ten results. */
const POOL = 100;

/** Returns the ranking of a query by both searches. `words`, `meant`: the query of the words, and of the vectors. */
const hybridRanking = async (root, puts, partition, lexical, provider) => {
  const vectors = await openScanVectorIndex({ root: join(root, 'vectors'), keys: new InMemoryScopeKeys() });
  const rows = [];
  for (const { chunkId: id, text } of puts.filter((put) => put.text.trim() !== '')) {
    const [{ vector, further = [] }] = await embedPassages(provider, [{ text, contextPrefix: '', headings: [] }]);
    rows.push({ write: 'put', chunkId: id, vector, ...(further.length > 0 ? { further } : {}), attributes: {} });
  }
  await vectors.apply({ scope: { tenant: DEFAULT_TENANT, scope: DEPLOYMENT }, generation: partition.generation }, rows, position(1n));
  const searchable = [{ partition, embeddingVersion: provider.version }];
  const wanted = { searchable, filter: undefined, pool: POOL, shown: { lookUp: async () => {}, has: () => true } };
  return async (words, meant) => {
    const state = { request: { query: words, strategy: 'DenseSparseHybrid' }, view: { vectors, lexical }, wanted, backgrounds: new Map() };
    const { dense } = await retrieveDense.run({ ...state, queryVectors: new Map([[provider.version, await embedQuery(provider, meant)]]) });
    const found = await retrieveLexical.run(state);
    const weights = denseWeights(searchable, found, () => provider);
    return fuseStandardScores({ dense, lexical: found.lexical }, denseWeightOf(weights, [...dense.hits, ...found.lexical.hits])).slice(
      0,
      K,
    );
  };
};

const measure = async (folder, split, provider) => {
  const language = languageOf(folder);
  const documents = (await lines(join(folder, 'corpus.jsonl.gz'))).map((line) => JSON.parse(line));
  const queries = (await lines(join(folder, 'queries.jsonl.gz'))).map((line) => JSON.parse(line));
  const judged = await judgements(join(folder, 'qrels', `${split}.tsv.gz`));
  const root = await mkdtemp(join(tmpdir(), 'spelling-'));
  const index = await openBm25Index({ root, keys: new InMemoryScopeKeys() });
  try {
    const generation = generationId('g1');
    const texts = documents.map(textOf);
    const puts = documents.map(({ _id }, i) => ({ write: 'put', chunkId: idOf(_id), text: texts[i], language, attributes: {} }));
    await index.apply({ scope: { tenant: DEFAULT_TENANT, scope: DEPLOYMENT }, generation }, puts, position(1n));
    const access = { tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'eval' };
    const [scope] = authorise(access, [DEPLOYMENT]);
    const partition = { scope, generation };
    const letters = [...new Set(texts.slice(0, 200).join(' ').toLowerCase().match(/\p{L}/gu))].filter((one) =>
      language === 'ar' ? /\p{sc=Arabic}/u.test(one) : /[a-zäöü]/.test(one) && (language === 'de' || one < '{'),
    );
    const correct = (query) =>
      correctSpelling.run(
        { access, request: { query, strategy: 'SparseOnly' }, wanted: { searchable: [{ scope, partition }] }, view: { lexical: index } },
        { othersTurn: async () => undefined, skipped: {} },
      );
    const byWords = (words) => index.search(partition, words, { k: K });
    const ranking = provider === undefined ? byWords : await hybridRanking(root, puts, partition, index, provider);
    const ndcg = async (gains, words, meant = words) => {
      const hits = await ranking(words, meant);
      const best = discounted([...gains.values()].sort((a, b) => b - a).slice(0, K));
      return discounted(hits.map(({ chunkId: id }) => gains.get(id) ?? 0)) / best;
    };
    const plain = { without: [], corrected: [], both: [], changed: 0, ms: [] };
    const wrong = { intended: [], without: [], corrected: [], both: [], repaired: 0, unchanged: 0, ms: [] };
    const shown = [];
    for (const query of queries) {
      const gains = judged.get(query._id);
      if (gains === undefined) continue;
      const run = async (text, figures) => {
        const started = performance.now();
        const found = await correct(text);
        figures.ms.push(performance.now() - started);
        const without = await ndcg(gains, text);
        figures.without.push(without);
        figures.corrected.push(found.corrected === undefined ? without : await ndcg(gains, found.corrected, text));
        figures.both.push(found.corrected === undefined ? without : await ndcg(gains, found.corrected));
        return found;
      };
      const { corrections } = await run(query.text, plain);
      plain.changed += corrections.length;
      shown.push(...corrections.map(({ from, to }) => `${from}→${to}`));
      const mistake = misspelt(query, letters);
      if (mistake === undefined) continue;
      wrong.intended.push(plain.without.at(-1));
      const ofMistake = (await run(mistake.text, wrong)).corrections.find(({ from }) => from === mistake.wrong);
      if (ofMistake === undefined) wrong.unchanged++;
      else if (ofMistake.to === mistake.word.toLowerCase()) wrong.repaired++;
    }
    const gain = (figures) => figures.corrected.map((value, i) => value - figures.without[i]);
    const number = (values) =>
      mean(values)
        .toFixed(4)
        .slice(mean(values) < 1 ? 1 : 0);
    const count = wrong.intended.length;
    console.log(
      `| ${basename(folder)} (${split}) | ${plain.without.length} | ${number(plain.without)} | ${number(plain.corrected)} | ${plain.changed} | ` +
        `${number(wrong.intended)} | ${number(wrong.without)} | **${number(wrong.corrected)}** | ${signed(mean(gain(wrong)))} | ${interval(gain(wrong))} | ` +
        (provider === undefined ? '' : `${number(plain.both)}, ${number(wrong.both)} | `) +
        `${Math.round((100 * wrong.repaired) / count)} % | ${Math.round((100 * (count - wrong.repaired - wrong.unchanged)) / count)} % |`,
    );
    const middle = ({ ms }) => [...ms].sort((a, b) => a - b)[Math.floor(ms.length / 2)].toFixed(2);
    console.error(
      `${basename(folder)}, median: ${middle(plain)} ms for a query as it is, ${middle(wrong)} ms with a mistake. ${shown.join(', ')}`,
    );
  } finally {
    await index.close();
    await rm(root, { recursive: true });
  }
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { split: { type: 'string', default: 'test' }, hybrid: { type: 'boolean', default: false } },
});
const both = values.hybrid ? ' vectors corrected, too: as they are, one mistake |' : '';
console.log(
  `| set | queries | as they are | with correction | words corrected | one mistake: intended | without | with | gain | 95 % interval |${both} repaired | another word |`,
);
console.log(`|${'---|'.repeat(values.hybrid ? 13 : 12)}`);
const provider = values.hybrid ? await openOnnxEmbeddings({ threads: 2 }) : undefined;
for (const folder of positionals) await measure(folder, values.split, provider);
await provider?.close?.();
