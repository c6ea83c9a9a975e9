/**
 * nDCG@10 and recall@10 of the BM25 index on folders in BEIR layout, through the index as the platform uses it.
 *
 *   node --conditions=@palimpsest/source tools/eval/lexical-quality.mjs <folder>...     (Node 24; `npm run build` once before)
 *
 * A document is its title, a line break and its text. `xquad-<language>` is indexed in that language, everything else in English.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { authorise } from '@palimpsest/knowledge/access';
import { DEFAULT_TENANT, DEPLOYMENT, chunkId, generationId, position } from '@palimpsest/knowledge/values';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const keys = new InMemoryScopeKeys();

/** Measured beforehand with k1 1.2, b .75, an English stemmer and no stop words (xquad-zh: character bigrams). */
const FORMER = { scifact: 0.679, cranfield: 0.524, 'codebase-rag': 0.69, productdocs: 0.702, 'xquad-en': 0.964, 'xquad-zh': 0.963 };
/** How far below the former figure is too far. */
const TOLERANCE = 0.01;
const K = 10;

const lines = async (path) =>
  gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');

/** Query id → document id → gain. A gain of -1 (cranfield: the source document) counts as the highest. */
const judgements = async (path) => {
  const judged = new Map();
  for (const line of (await lines(path)).slice(1)) {
    const [query, document, score] = line.split('\t');
    const gain = Number(score) === -1 ? 4 : Number(score);
    if (gain > 0) judged.set(query, (judged.get(query) ?? new Map()).set(document, gain));
  }
  return judged;
};

const idOf = (document) => chunkId(createHash('sha256').update(document).digest('hex').slice(0, 32));
const discounted = (gains) => gains.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);

const evaluate = async (folder) => {
  const name = basename(folder);
  const language = /^xquad-([a-z]{2})$/.exec(name)?.[1] ?? 'en';
  const documents = (await lines(join(folder, 'corpus.jsonl.gz'))).map((line) => JSON.parse(line));
  const queries = (await lines(join(folder, 'queries.jsonl.gz'))).map((line) => JSON.parse(line));
  const judged = await judgements(join(folder, 'qrels', 'test.tsv.gz'));
  const root = await mkdtemp(join(tmpdir(), 'lexical-quality-'));
  const index = await openBm25Index({ root, keys });
  try {
    const scope = { tenant: DEFAULT_TENANT, scope: DEPLOYMENT };
    const generation = generationId('g1');
    const named = new Map(documents.map(({ _id }) => [idOf(_id), _id]));
    const puts = documents.map(({ _id, title, text }) => ({
      write: 'put',
      chunkId: idOf(_id),
      text: title ? `${title}\n${text}` : text,
      ...(title ? { fields: { title } } : {}),
      language,
      attributes: {},
    }));
    await index.apply({ scope, generation }, puts, position(1n));
    const [permitted] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'eval' }, [DEPLOYMENT]);
    let ndcg = 0;
    let recall = 0;
    let asked = 0;
    for (const { _id, text } of queries) {
      const gains = judged.get(_id);
      if (gains === undefined) continue;
      asked++;
      const hits = (await index.search({ scope: permitted, generation }, text, { k: K })).map((hit) => named.get(hit.chunkId));
      const best = [...gains.values()].sort((a, b) => b - a).slice(0, K);
      ndcg += discounted(hits.map((hit) => gains.get(hit) ?? 0)) / discounted(best);
      recall += hits.filter((hit) => gains.has(hit)).length / gains.size;
    }
    return { name, documents: documents.length, asked, ndcg: ndcg / asked, recall: recall / asked };
  } finally {
    await index.close();
    await rm(root, { recursive: true });
  }
};

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('usage: lexical-quality.mjs <folder in BEIR layout>...');
  process.exitCode = 2;
}
console.log('set            documents  queries  nDCG@10  before  recall@10');
for (const folder of folders) {
  const { name, documents, asked, ndcg, recall } = await evaluate(folder);
  const former = FORMER[name];
  const verdict = former !== undefined && ndcg < former - TOLERANCE ? '  WORSE' : '';
  if (verdict) process.exitCode = 1;
  console.log(
    `${name.padEnd(14)} ${String(documents).padStart(9)} ${String(asked).padStart(8)}  ${ndcg.toFixed(4)}   ${former?.toFixed(3).slice(1) ?? '   –'}    ${recall.toFixed(4)}${verdict}`,
  );
}
