// Does dense search find the content of a document, wherever it is in a chunk? The query is a sentence of a document. It counts as found
// if one of the first ten chunks contains at least half of it.
//
//   node --conditions=@palimpsest/source tools/eval/known-items.mjs <folder of documents> [--documents 60] [--sentences 600] [--only .pdf,.html] [--seed 1]
//
// Sentences are sampled by their place in large chunks (1,499 characters, 500 tokens), which are longer than the window of the built-in
// model: within the window, or beyond it. Three ways of indexing the same documents are compared:
//   first window  one vector a chunk; text beyond the window is in no vector (the former behaviour)
//   windows       the same chunks, one vector for each window
//   default       chunks that fit the window
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDocumentParser } from '@palimpsest/adapters-documents';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { embedPassages, searchText } from '@palimpsest/contracts';
import { chunkerFor, chunkingSettings } from '../../libs/ingestion/src/chunking/index.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sentences: { type: 'string', default: '600' },
    documents: { type: 'string', default: 'Infinity' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('the first argument must be a folder of documents');
const wanted = values.only?.split(',');

const LARGE = chunkingSettings({
  markdown: { maxChars: 1_499 },
  tokens: { maxTokens: 500 },
  sheets: { maxChars: 1_499 },
  code: { maxChars: 1_499 },
});

const provider = await openOnnxEmbeddings({ threads: Number(values.threads) });
const window = await provider.window();
const parser = await openDocumentParser({ processes: 2 });

/** 32-bit mulberry32: the same sample on every machine. */
let state = Number(values.seed);
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

/** `count` distinct items of a list, in the order of the draw. */
const drawn = (list, count) => {
  const [left, chosen] = [[...list], []];
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen;
};

const texts = new Map();
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && (wanted === undefined || wanted.some((end) => entry.name.endsWith(end))))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
for (const path of drawn(files, Number(values.documents))) {
  const outcome = await parser.parse({ bytes: readFileSync(path), fileName: basename(path) });
  // Documents with the same text would be counted as each other's results.
  if (outcome.outcome === 'parsed' && outcome.document.kind !== 'sheets') texts.set(outcome.document.text, outcome.document);
}
await parser.close();
const documents = [...texts.values()];

const chunked = (settings) =>
  documents.flatMap((document, of) =>
    chunkerFor(document, settings, window)
      .chunk(document)
      .map((chunk) => ({ ...chunk, of })),
  );
const large = chunked(LARGE);
const fitting = chunked(chunkingSettings());

const sentencesOf = (chunk) => {
  const prefix = searchText(chunk).length - chunk.text.length;
  return [...chunk.text.matchAll(/[\p{Lu}][^.!?\n]{40,300}[.!?](?=\s|$)/gu)].map(({ 0: text, index }) => {
    const before = window.count(searchText(chunk).slice(0, prefix + index));
    const where = before >= window.tokens ? 'beyond' : before + window.count(text) <= window.tokens ? 'within' : 'across';
    return { text, where, of: chunk.of, start: chunk.start + index, end: chunk.start + index + text.length };
  });
};
const all = large.flatMap(sentencesOf);
/** Text in two chunks (an overlap, a repeated page) is within the window of one of them. */
const within = new Set(all.filter(({ where }) => where !== 'beyond').map(({ text }) => text));
const sample = (where) => {
  const found = all.filter((each) => each.where === where && (where === 'within' || !within.has(each.text)));
  return drawn(new Map(found.map((each) => [each.text, each])).values(), Number(values.sentences));
};
const asked = { within: sample('within'), beyond: sample('beyond') };

const embedded = async (chunks) => {
  const made = [];
  const before = process.cpuUsage();
  for (let at = 0; at < chunks.length; at += 64) made.push(...(await embedPassages(provider, chunks.slice(at, at + 64))));
  const { user, system } = process.cpuUsage(before);
  return {
    rows: made.map(({ vector, further = [] }, i) => ({ chunk: chunks[i], vectors: [vector, ...further] })),
    cpu: (user + system) / 1e6,
  };
};

const firstWindow = async (chunks) => {
  const before = process.cpuUsage();
  const made = await provider.embed(chunks.map(searchText), 'passage');
  const { user, system } = process.cpuUsage(before);
  return { rows: made.map(({ vector }, i) => ({ chunk: chunks[i], vectors: [vector] })), cpu: (user + system) / 1e6 };
};

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};
const holds = (chunk, { of, start, end }) =>
  chunk.of === of && Math.min(chunk.end, end) - Math.max(chunk.start, start) >= (end - start) / 2;

const recall = (rows, queries, vectors) => {
  let found = 0;
  queries.forEach((query, i) => {
    const best = rows
      .map(({ chunk, vectors: held }) => ({ chunk, score: Math.max(...held.map((one) => dot(one, vectors[i]))) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 10);
    if (best.some(({ chunk }) => holds(chunk, query))) found++;
  });
  return found / queries.length;
};

const queries = {};
for (const [where, each] of Object.entries(asked))
  queries[where] = (
    await provider.embed(
      each.map(({ text }) => text),
      'query',
    )
  ).map(({ vector }) => vector);

const characters = large.reduce((sum, { text }) => sum + text.length, 0);
const unread = large.reduce((sum, chunk) => {
  const text = searchText(chunk);
  const tokens = window.count(text);
  return sum + (tokens <= window.tokens ? 0 : (chunk.text.length * (tokens - window.tokens)) / tokens);
}, 0);
console.log(
  `${documents.length} documents; of large chunks, ${((100 * unread) / characters).toFixed(0)} % is beyond the window; ${asked.within.length} sentences within, ${asked.beyond.length} beyond`,
);
const table = [];
for (const [name, made] of [
  ['first window', await firstWindow(large)],
  ['windows', await embedded(large)],
  ['default', await embedded(fitting)],
]) {
  const [inside, beyond] = [recall(made.rows, asked.within, queries.within), recall(made.rows, asked.beyond, queries.beyond)];
  table.push({
    index: name,
    chunks: made.rows.length,
    vectors: made.rows.reduce((sum, { vectors }) => sum + vectors.length, 0),
    'embedding CPU s': Number(made.cpu.toFixed(1)),
    'recall@10 within': Number(inside.toFixed(3)),
    beyond: Number(beyond.toFixed(3)),
    ratio: Number((beyond / inside).toFixed(3)),
  });
}
console.table(table);
await provider.close();
