/**
 * What weight should the cosine have if the model does not know the language? Chosen on all languages except one and measured on that
 * one, for each in turn: no figure comes from queries on which the weight was chosen.
 *
 *   node --conditions=@palimpsest/source tools/eval/foreign-dense-weight.mjs scores <scores file> [--queries 300] <BEIR folder>...
 *   node --conditions=@palimpsest/source tools/eval/foreign-dense-weight.mjs choose <scores file>
 *
 * `scores` embeds documents and queries (CPU minutes) and keeps, per query, the candidates of both searches with their standard
 * scores; `choose` takes seconds. A folder's name ends with its language (`xquad-de`), in which it is indexed.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { embedPassages, embedQuery } from '@palimpsest/contracts';
import { authorise } from '@palimpsest/knowledge/access';
import { spreadOf, standardScore } from '@palimpsest/knowledge/read-models';
import { chunkId, DEFAULT_TENANT, DEPLOYMENT, generationId, position } from '@palimpsest/knowledge/values';
import { fuseStandardScores, FOREIGN_DENSE_WEIGHT } from '../../libs/query/src/ranking/fusion.ts';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';

const keys = new InMemoryScopeKeys();

const WEIGHTS = Array.from({ length: 11 }, (_, i) => i / 10);
/** Candidates of each search, as for a search for ten results. */
const POOL = 100;
const K = 10;

const lines = async (path) =>
  gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');
const idOf = (document) => chunkId(createHash('sha256').update(document).digest('hex').slice(0, 32));
const languageOf = (folder) => basename(folder).split('-').at(-1);

/** Query id → ids of the documents that answer it. */
const judgements = async (folder) => {
  const judged = new Map();
  for (const line of (await lines(join(folder, 'qrels', 'test.tsv.gz'))).slice(1)) {
    const [query, document, gain] = line.split('\t');
    if (Number(gain) > 0) judged.set(query, [...(judged.get(query) ?? []), idOf(document)]);
  }
  return judged;
};

const embedAll = async (provider, documents) => {
  const rows = [];
  for (const { _id, title, text } of documents) {
    const [{ vector, further = [] }] = await embedPassages(provider, [
      { text: title ? `${title}\n${text}` : text, contextPrefix: '', headings: [] },
    ]);
    rows.push({ chunkId: idOf(_id), vectors: [vector, ...further] });
  }
  return rows;
};

const cosine = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

const denseList = (rows, query) => {
  const scored = rows.map(({ chunkId: id, vectors }) => ({
    chunkId: id,
    score: Math.max(...vectors.map((vector) => cosine(vector, query))),
  }));
  const spread = spreadOf(scored.map(({ score }) => score));
  const hits = scored
    .sort((a, b) => b.score - a.score)
    .slice(0, POOL)
    .map((hit) => ({ ...hit, standard: standardScore(hit.score, spread) }));
  return { hits, absent: hits.at(-1)?.standard ?? 0 };
};

const lexicalList = async (index, partition, text) => {
  const spread = await index.spread(partition, text);
  const found = await index.search(partition, text, { k: POOL });
  return {
    hits: found.map(({ chunkId: id, score }) => ({ chunkId: id, score, standard: standardScore(score, spread) })),
    absent: standardScore(0, spread),
  };
};

const scoresOf = async (folder, provider, limit) => {
  const documents = (await lines(join(folder, 'corpus.jsonl.gz'))).map((line) => JSON.parse(line));
  const judged = await judgements(folder);
  const queries = (await lines(join(folder, 'queries.jsonl.gz')))
    .map((line) => JSON.parse(line))
    .filter(({ _id }) => judged.has(_id))
    .slice(0, limit);
  const root = await mkdtemp(join(tmpdir(), 'foreign-dense-weight-'));
  const index = await openBm25Index({ root, keys });
  try {
    const generation = generationId('g1');
    const [scope] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'eval' }, [DEPLOYMENT]);
    const puts = documents.map(({ _id, title, text }) => ({
      write: 'put',
      chunkId: idOf(_id),
      text: title ? `${title}\n${text}` : text,
      language: languageOf(folder),
      attributes: {},
    }));
    await index.apply({ scope, generation }, puts, position(1n));
    const rows = await embedAll(provider, documents);
    const scored = [];
    for (const { _id, text } of queries)
      scored.push({
        relevant: judged.get(_id),
        dense: denseList(rows, await embedQuery(provider, text)),
        lexical: await lexicalList(index, { scope, generation }, text),
      });
    return { language: languageOf(folder), model: provider.version, queries: scored };
  } finally {
    await index.close();
    await rm(root, { recursive: true });
  }
};

const ndcg = (ids, relevant) => {
  const gain = (hits) => hits.reduce((sum, hit, rank) => sum + hit / Math.log2(rank + 2), 0);
  return gain(ids.slice(0, K).map((id) => (relevant.includes(id) ? 1 : 0))) / gain(relevant.slice(0, K).map(() => 1));
};
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const ndcgAt = ({ queries }, weight) =>
  mean(
    queries.map(({ relevant, dense, lexical }) =>
      ndcg(
        fuseStandardScores({ dense, lexical }, () => weight).map(({ chunkId: id }) => id),
        relevant,
      ),
    ),
  );

const choose = (sets) => {
  const table = sets.map((set) => WEIGHTS.map((weight) => ndcgAt(set, weight)));
  console.log(`nDCG@10   ${WEIGHTS.map((weight) => weight.toFixed(1).padStart(6)).join('')}`);
  sets.forEach(({ language }, i) => console.log(`${language.padEnd(10)}${table[i].map((value) => value.toFixed(3).padStart(6)).join('')}`));
  console.log('\nleft out  chosen on the others  nDCG@10 there  words alone  platform');
  sets.forEach(({ language }, left) => {
    const others = WEIGHTS.map((_, at) => mean(table.filter((_, i) => i !== left).map((row) => row[at])));
    const at = others.indexOf(Math.max(...others));
    const platform = table[left][WEIGHTS.indexOf(FOREIGN_DENSE_WEIGHT)];
    console.log(
      `${language.padEnd(10)}${WEIGHTS[at].toFixed(1).padStart(20)}${table[left][at].toFixed(3).padStart(15)}${table[left][0].toFixed(3).padStart(13)}${platform.toFixed(3).padStart(10)}`,
    );
  });
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { queries: { type: 'string', default: '300' } } });
const [command, file, ...folders] = positionals;
if (command === 'scores' && file !== undefined && folders.length > 0) {
  const provider = await openOnnxEmbeddings({ threads: 2 });
  const sets = [];
  for (const folder of folders) sets.push(await scoresOf(folder, provider, Number(values.queries)));
  await provider.close?.();
  await writeFile(file, JSON.stringify(sets));
} else if (command === 'choose' && file !== undefined) {
  const sets = JSON.parse(await readFile(file, 'utf8'));
  if (sets.length < 3)
    throw new Error('needs the scores of at least three languages: one is left out, and the weight is chosen on the others');
  choose(sets);
} else {
  console.error('usage: foreign-dense-weight.mjs scores <scores file> [--queries <number>] <BEIR folder>... | choose <scores file>');
  process.exitCode = 2;
}
