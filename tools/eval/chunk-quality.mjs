/**
 * How well do chunkers keep an answer in one piece? Run it in the root of the repository:
 *
 *   node --conditions=@palimpsest/source tools/eval/chunk-quality.mjs <chunk-eval folder> [--model <folder>] [--texts a,b]
 *
 * The folder contains texts (`<name>.md.gz`) and `questions.jsonl.gz` with the character spans that answer each question
 * (chunking_evaluation by Chroma, MIT; https://research.trychroma.com/evaluating-chunking). Per chunker, as means over spans:
 *   chars, tokens  size of a chunk
 *   recall         part of the span in the best-overlapping chunk;  whole: spans that are entirely in one chunk
 *   precision      part of that chunk that belongs to the span;  IoU: overlap divided by the union of the two
 * With --model (a folder with model.onnx and tokenizer.json of a mean-pooled model that reads 256 tokens), also per question,
 * with chunks ranked by cosine of context prefix + text:
 *   R@1, R@5       part of all gold characters in the first 1, 5 chunks
 *   R@600t         the same for as many chunks as fit into 600 tokens: equal size, so that all chunkers are comparable
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { onnxTextWindow } from '@palimpsest/adapters-onnx';
import { characters, codeChunker, markdownChunker, tokenChunker, tokensOf, windowOf } from '../../libs/ingestion/src/chunking/index.ts';
import { openEmbedder } from './mean-pooled-embedder.mjs';

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string' }, texts: { type: 'string', default: 'state_of_the_union,wikitexts,chatlogs,finance,pubmed' } },
});
const [folder] = positionals;
if (folder === undefined || !existsSync(join(folder, 'questions.jsonl.gz')))
  throw new Error('the first argument must be the folder with questions.jsonl.gz');

const read = (name) => gunzipSync(readFileSync(join(folder, name))).toString('utf8');
const names = options.texts.split(',');
const texts = new Map(names.map((name) => [name, read(`${name}.md.gz`)]));
const questions = read('questions.jsonl.gz')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .filter(({ corpus_id }) => texts.has(corpus_id));
for (const { _id, corpus_id, refs } of questions)
  for (const { start, end, content } of refs)
    if (texts.get(corpus_id).slice(start, end) !== content) throw new Error(`the span of ${_id} does not match its text`);

/** Headings in the syntax of Wikipedia dumps (" = Title = ") and Markdown ("# Title"). */
const headingsOf = (text) =>
  [...text.matchAll(/^(?: ((?:= )+)(.+?)(?: =)+ | (?! )|(#{1,6}) (.+))$/gm)]
    .filter((match) => match[1] !== undefined || match[3] !== undefined)
    .map((match) => ({
      level: match[1] ? match[1].length / 2 : match[3].length,
      title: match[2] ?? match[4],
      start: match.index,
      end: match.index + match[0].length,
    }));

const documentOf = (kind, text) => ({
  kind,
  text,
  mediaType: 'text/plain',
  language: 'en',
  headings: headingsOf(text),
  pages: [],
  sheets: [],
  metadata: {},
  warnings: [],
});

const window = await onnxTextWindow();
const windows = (maxTokens, overlap, minTokens) => ['text', tokenChunker(tokensOf(window, maxTokens), { overlap, minTokens })];
const CHUNKERS = [
  ['markdown', markdownChunker(windowOf(window))],
  ['markdown', markdownChunker(characters(1_500))],
  ['markdown', markdownChunker(characters(1_000))],
  ['markdown', markdownChunker(characters(800))],
  ['text', tokenChunker(windowOf(window))],
  windows(500, 50, 100),
  windows(240, 24, 48),
  windows(200, 20, 40),
  windows(200, 0, 40),
  windows(120, 12, 24),
  ['code', codeChunker(windowOf(window))],
  ['code', codeChunker(characters(1_500), 200)],
];

const overlapOf = (one, other) => Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

const spanFigures = (chunks, { start, end }) => {
  const best = chunks.reduce((winner, chunk) => {
    const gain = overlapOf(chunk, { start, end }) - overlapOf(winner, { start, end });
    return gain > 0 || (gain === 0 && chunk.end - chunk.start < winner.end - winner.start && overlapOf(chunk, { start, end }) > 0)
      ? chunk
      : winner;
  });
  const shared = overlapOf(best, { start, end });
  const size = best.end - best.start;
  return { recall: shared / (end - start), precision: shared / size, iou: shared / (size + end - start - shared) };
};

/** Gold characters that the chunks contain together, each counted once. */
const coverage = (chunks, refs) => {
  const covered = (at) => chunks.some(({ start, end }) => start <= at && at < end);
  let held = 0;
  let all = 0;
  for (const { start, end } of refs) for (let at = start; at < end; at++, all++) if (covered(at)) held++;
  return held / all;
};

const within = (ranked, budget) => {
  let used = 0;
  return ranked.filter((chunk, at) => (used += chunk.tokens) <= budget || at === 0);
};

const retrievalFigures = async (embedder, chunksOf, queries) => {
  const vectors = new Map();
  for (const [name, chunks] of chunksOf) {
    for (const chunk of chunks) chunk.vector = await embedder.embed(`${chunk.contextPrefix}\n${chunk.text}`.trim());
    vectors.set(name, chunks);
  }
  const rows = questions.map(({ corpus_id, refs }, at) => {
    const ranked = vectors
      .get(corpus_id)
      .map((chunk) => ({ ...chunk, score: embedder.dot(queries[at], chunk.vector) }))
      .sort((one, other) => other.score - one.score || one.index - other.index);
    return {
      r1: coverage(ranked.slice(0, 1), refs),
      r5: coverage(ranked.slice(0, 5), refs),
      r600: coverage(within(ranked.slice(0, 40), 600), refs),
    };
  });
  return { 'R@1': mean(rows.map(({ r1 }) => r1)), 'R@5': mean(rows.map(({ r5 }) => r5)), 'R@600t': mean(rows.map(({ r600 }) => r600)) };
};

const embedder = options.model === undefined ? undefined : await openEmbedder(options.model);
const queries = [];
if (embedder !== undefined) for (const { text } of questions) queries.push(await embedder.embed(text));

const round = (figures) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, typeof value === 'number' ? Number(value.toFixed(3)) : value]));
const table = [];
for (const [kind, chunker] of CHUNKERS) {
  const chunksOf = new Map(
    [...texts].map(([name, text]) => [
      name,
      chunker.chunk(documentOf(kind, text)).map((chunk) => ({ ...chunk, tokens: countTokens(chunk.text) })),
    ]),
  );
  const all = [...chunksOf.values()].flat();
  const spans = questions.flatMap(({ corpus_id, refs }) => refs.map((ref) => spanFigures(chunksOf.get(corpus_id), ref)));
  table.push(
    round({
      chunker: chunker.version,
      chunks: all.length,
      chars: Math.round(mean(all.map(({ text }) => text.length))),
      tokens: Math.round(mean(all.map((chunk) => chunk.tokens))),
      recall: mean(spans.map(({ recall }) => recall)),
      whole: mean(spans.map(({ recall }) => (recall === 1 ? 1 : 0))),
      precision: mean(spans.map(({ precision }) => precision)),
      IoU: mean(spans.map(({ iou }) => iou)),
      ...(embedder === undefined ? {} : await retrievalFigures(embedder, chunksOf, queries)),
    }),
  );
}
console.log(`${questions.length} questions, ${questions.flatMap(({ refs }) => refs).length} spans, texts: ${names.join(', ')}`);
console.table(table);
