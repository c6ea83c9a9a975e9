/**
 * Candidates of both searches, with their scores, for each query of test sets in BEIR layout. `fusion.mjs` reads them.
 *
 *   node --conditions=@palimpsest/source tools/eval/fusion-scores.mjs <scores file> [--model <folder>] [--split test] [--queries <number>] [--words 1] [--scope <documents>] [--companion <folder>] <BEIR folder>...
 *
 * `--scope 30`: the documents are in scopes of 30, and a query asks the one with its best document.
 * `--words .5`: the search by words knows only half of the words of each query, as if the documents had others for the rest.
 * `--companion <folder>`: with the cosines of a second model, for `companion.mjs`.
 * Embeds all documents and queries (minutes). A folder whose name ends with a language (`xquad-de`) is indexed in it, others in English.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { embedPassages, embedQuery } from '@palimpsest/contracts';
import { BACKGROUND_TEXTS } from '@palimpsest/knowledge/models';
import { authorise } from '@palimpsest/knowledge/access';
import { spreadOf, standardScore } from '@palimpsest/knowledge/read-models';
import { DEFAULT_TENANT, DEPLOYMENT, generationId, position } from '@palimpsest/knowledge/values';
import { InMemoryScopeKeys } from '../../libs/test-kit/src/in-memory/in-memory-scope-keys.ts';
import { idOf, languageOf, lines, textOf } from './beir-files.mjs';

const keys = new InMemoryScopeKeys();

/** Candidates of each search, as for a search for ten results. */
const POOL = 100;

/** Only a share of the words stays, the same ones in each run; no document has the others. */
const some = (text, share) =>
  text
    .split(/\s+/)
    .map((word, at) => {
      const hash = createHash('sha256').update(`${at} ${word}`).digest();
      return hash.readUInt32BE() < share * 2 ** 32 ? word : `x${hash.toString('hex').slice(0, 12)}`;
    })
    .join(' ');

/** Query id → chunk id → gain. */
const judgements = async (folder, split) => {
  const judged = new Map();
  for (const line of (await lines(join(folder, 'qrels', `${split}.tsv.gz`))).slice(1)) {
    const [query, document, gain] = line.split('\t');
    if (Number(gain) > 0) judged.set(query, { ...judged.get(query), [idOf(document)]: Number(gain) });
  }
  return judged;
};

const embedAll = async (provider, documents) => {
  const rows = [];
  for (const document of documents) {
    const [{ vector, further = [] }] = await embedPassages(provider, [{ text: textOf(document), contextPrefix: '', headings: [] }]);
    rows.push({ chunkId: idOf(document._id), vectors: [vector, ...further] });
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
  return { hits, absent: hits.at(-1)?.standard ?? 0, spread };
};

const lexicalList = async (index, partition, text) => {
  const spread = await index.spread(partition, text);
  const found = await index.search(partition, text, { k: POOL });
  return {
    hits: found.map(({ chunkId: id, score }) => ({ chunkId: id, score, standard: standardScore(score, spread) })),
    absent: standardScore(0, spread),
    spread,
  };
};

/** `wanted`: documents in each scope. In the order of their ids, which are hashes: any scope has documents of all kinds. */
const inScopes = (documents, wanted) => {
  const size = Math.min(wanted, documents.length);
  const ordered = documents.toSorted((a, b) => (idOf(a._id) < idOf(b._id) ? -1 : 1));
  return Array.from({ length: Math.ceil(ordered.length / size) }, (_, i) => ordered.slice(i * size, (i + 1) * size));
};

/** What the second model finds alone, and its cosine to each candidate of the first one. */
const secondOpinion = (rows, vector, candidates) => {
  const wanted = new Set(candidates);
  const of = rows
    .filter(({ chunkId: id }) => wanted.has(id))
    .map(({ chunkId: id, vectors }) => [id, Math.max(...vectors.map((row) => cosine(row, vector)))]);
  return { dense: denseList(rows, vector), of: Object.fromEntries(of) };
};

/** Indexes one scope, and returns how to ask it. */
const askable = async (documents, number, { index, provider, companion, folder, words }) => {
  const [scope] = authorise({ tenant: DEFAULT_TENANT, teams: [], roles: ['reader'], actor: 'eval' }, [DEPLOYMENT]);
  const partition = { scope, generation: generationId(`g${number + 1}`) };
  const put = (document) => ({
    ...{ write: 'put', chunkId: idOf(document._id), text: textOf(document) },
    ...(document.title ? { fields: { title: document.title } } : {}),
    ...{ language: languageOf(folder), attributes: {} },
  });
  await index.apply(partition, documents.map(put), position(1n));
  const rows = await embedAll(provider, documents);
  const others = companion && (await embedAll(companion, documents));
  return async (text, vector) => {
    const [dense, lexical] = [denseList(rows, vector), await lexicalList(index, partition, some(text, words))];
    const candidates = [...dense.hits, ...lexical.hits].map(({ chunkId: id }) => id);
    const second = others && secondOpinion(others, await embedQuery(companion, text), candidates);
    return { dense, lexical, ...(second ? { companion: second } : {}) };
  };
};

const scoresOf = async (folder, { provider, companion }, { split, limit, words, scope }) => {
  const documents = (await lines(join(folder, 'corpus.jsonl.gz')))
    .map((line) => JSON.parse(line))
    .filter((document) => textOf(document).trim());
  const judged = await judgements(folder, split);
  const queries = (await lines(join(folder, 'queries.jsonl.gz')))
    .map((line) => JSON.parse(line))
    .filter(({ _id }) => judged.has(_id))
    .slice(0, limit);
  const background = (await provider.embed(BACKGROUND_TEXTS, 'passage')).map(({ vector }) => vector);
  const root = await mkdtemp(join(tmpdir(), 'fusion-scores-'));
  const index = await openBm25Index({ root, keys });
  try {
    const scopeOf = new Map();
    for (const [number, some] of inScopes(documents, scope).entries()) {
      const ask = await askable(some, number, { index, provider, companion, folder, words });
      for (const { _id } of some) scopeOf.set(idOf(_id), { ask, number });
    }
    const scored = [];
    for (const { _id, text } of queries) {
      const relevant = judged.get(_id);
      const [best] = Object.keys(relevant).sort((a, b) => relevant[b] - relevant[a]);
      const asked = scopeOf.get(best);
      if (asked === undefined) continue;
      const vector = await embedQuery(provider, text);
      scored.push({
        relevant: Object.fromEntries(Object.entries(relevant).filter(([id]) => scopeOf.get(id)?.number === asked.number)),
        text,
        background: spreadOf(background.map((row) => cosine(row, vector))),
        ...(await asked.ask(text, vector)),
      });
    }
    const foreign = languageOf(folder) !== 'en' && !(provider.languages ?? ['en']).includes(languageOf(folder));
    return {
      set: basename(folder),
      split,
      model: provider.version,
      ...(companion ? { companion: companion.version } : {}),
      scope,
      foreign,
      queries: scored,
    };
  } finally {
    await index.close();
    await rm(root, { recursive: true });
  }
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ queries: { type: 'string', default: '1000' }, model: { type: 'string' } },
    ...{ split: { type: 'string', default: 'test' }, words: { type: 'string', default: '1' } },
    ...{ scope: { type: 'string', default: 'Infinity' }, companion: { type: 'string' } },
  },
});
const [file, ...folders] = positionals;
if (file === undefined || folders.length === 0) {
  console.error(
    'usage: fusion-scores.mjs <scores file> [--model <folder>] [--split <name>] [--queries <number>] [--words <share>] [--scope <documents>] [--companion <folder>] <BEIR folder>...',
  );
  process.exitCode = 2;
} else {
  const open = (folder) => openOnnxEmbeddings({ threads: 2, ...(folder === undefined ? {} : { folder }) });
  const provider = await open(values.model);
  const companion = values.companion && (await open(values.companion));
  const sets = [];
  for (const folder of folders) {
    sets.push(
      await scoresOf(
        folder,
        { provider, companion },
        {
          ...{ split: values.split, limit: Number(values.queries), words: Number(values.words), scope: Number(values.scope) },
        },
      ),
    );
    console.log(`${basename(folder)} ${values.split}: ${sets.at(-1).queries.length} queries`);
    await writeFile(file, JSON.stringify(sets));
  }
  await provider.close?.();
  await companion?.close?.();
}
