/**
 * What `compress` of `POST /v1/context` keeps of the answers, by words alone (BM25, no model needed). Run it in the root of the repository:
 *
 *   node --conditions=@palimpsest/source tools/eval/compression.mjs <chunk-eval folder> [--budgets 300,600]
 *
 * Texts of chunk-eval, cut as plain text by default; for each question the best 20 chunks, and a context of each budget (tokens) with and
 * without compression. Means over questions:
 *   kept                characters of the passages that answer the question which are in the context, in percent
 *   whole               passages that are in the context entirely, in percent
 *   per 1,000 tokens    characters of these passages in the context for each thousand of its tokens
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { gptTokenCounter } from '@palimpsest/adapters-documents';
import { onnxTextWindow } from '@palimpsest/adapters-onnx';
import { tokenChunker, windowOf } from '../../libs/ingestion/src/chunking/index.ts';
import { buildContext } from '../../libs/query/src/context/build-context.ts';
import { searchingByWords } from './search-by-words.mjs';

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { budgets: { type: 'string', default: '300,600,1200,2400' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('the first argument must be the folder with questions.jsonl.gz');

const FENCE = '012345678901234567';
const TOP_K = 20;
const tokens = gptTokenCounter();
const read = async (name) => gunzipSync(await readFile(join(folder, name))).toString('utf8');
const questions = (await read('questions.jsonl.gz'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const names = [...new Set(questions.map(({ corpus_id }) => corpus_id))];
const texts = new Map(await Promise.all(names.map(async (name) => [name, await read(`${name}.md.gz`)])));
const mean = (all) => all.reduce((sum, value) => sum + value, 0) / all.length;

const chunker = tokenChunker(windowOf(await onnxTextWindow()));
const chunks = names.flatMap((name) => {
  const document = {
    kind: 'text',
    text: texts.get(name),
    mediaType: 'text/plain',
    language: 'en',
    headings: [],
    pages: [],
    sheets: [],
    metadata: {},
    warnings: [],
  };
  const all = chunker.chunk(document);
  return all.map((chunk, index) => ({ id: `${name}-${index}`, name, index, of: all.length, text: chunk.text, start: chunk.start }));
});

/** Which characters of the text the context quotes: its excerpts, cut at the marks of what is left out. */
const quoted = (context, text) => {
  const held = new Uint8Array(text.length);
  for (const piece of context.split(/^=== .*$|\[…\]|…$/m)) {
    const words = piece.trim();
    const at = words === '' ? -1 : text.indexOf(words);
    if (at >= 0) held.fill(1, at, at + words.length);
  }
  return held;
};

const figures = new Map(
  options.budgets
    .split(',')
    .flatMap((budget) =>
      [false, true].map((compress) => [`${budget} ${compress}`, { kept: [], whole: [], perToken: [], tokens: [], hits: [] }]),
    ),
);
await searchingByWords(chunks, async (search) => {
  for (const { text: query, corpus_id, refs } of questions) {
    const hits = (await search(query)).slice(0, TOP_K).map(({ id, name, index, of, text }) => ({
      ...{ chunkId: id, documentId: name, title: name, index, of, text, contextPrefix: '', relevance: 1 },
    }));
    for (const [key, figure] of figures) {
      const [budget, compress] = key.split(' ');
      const rules = {
        maxTokens: Number(budget),
        tokens,
        grounding: 'Preferred',
        fence: FENCE,
        ...(compress === 'true' ? { compressFor: query } : {}),
      };
      const context = buildContext(hits, rules);
      const held = quoted(context.text, texts.get(corpus_id));
      const parts = refs.map(({ start, end }) => [held.subarray(start, end).reduce((sum, one) => sum + one, 0), end - start]);
      const kept = parts.reduce((sum, [part]) => sum + part, 0);
      figure.kept.push(kept / parts.reduce((sum, [, length]) => sum + length, 0));
      // The last character of a passage is often the white space or the full stop before it.
      figure.whole.push(mean(parts.map(([part, length]) => (part >= length - 2 ? 1 : 0))));
      figure.perToken.push((1_000 * kept) / context.tokens);
      figure.tokens.push(context.tokens);
      figure.hits.push(context.citations.length);
    }
  }
});
console.log(`${questions.length} questions, ${chunks.length} chunks\n`);
console.log('| budget | compress | tokens | chunks | kept | whole | per 1,000 tokens |\n|---|---|---|---|---|---|---|');
for (const [key, figure] of figures) {
  const [budget, compress] = key.split(' ');
  const percent = (all) => (100 * mean(all)).toFixed(1);
  console.log(
    `| ${budget} | ${compress === 'true' ? 'yes' : 'no'} | ${mean(figure.tokens).toFixed(0)} | ${mean(figure.hits).toFixed(1)} | ${percent(figure.kept)} | ${percent(figure.whole)} | ${mean(figure.perToken).toFixed(0)} |`,
  );
}
