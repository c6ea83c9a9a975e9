/**
 * What `diversity` and `collapse` of a search do to its hits, by words alone (BM25, no model needed). Run it in the root of the repository:
 *
 *   node --conditions=@palimpsest/source tools/eval/diversity.mjs <chunk-eval folder> <folder in BEIR layout>... [--runs <folder>]
 *
 * Diversity: texts of chunk-eval in windows of 120 words that overlap by half, so that neighbours repeat each other. Each passage that
 * answers a question is a subtopic; a window is about it if it has at least half of its characters. Only questions with several of them.
 * Once with each window once, and once with three versions of it, as a folder of old and new versions has them: as it is, the same
 * again, and without every tenth word.
 * --runs: also writes qrels and runs in TREC format, for `palimpsest eval compare --measure alpha_nDCG@10`.
 * Collapse: on the other folders, how many queries have near-identical passages among the best ten, and nDCG@10 with and without them.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { measureNamed } from '@palimpsest/evaluation';
import { byMarginalRelevance } from '../../libs/query/src/ranking/marginal-relevance.ts';
import { nearIdentical } from '../../libs/query/src/ranking/near-identical.ts';
import { searchingByWords } from './search-by-words.mjs';

const { positionals, values: options } = parseArgs({ allowPositionals: true, options: { runs: { type: 'string' } } });
const [chunkEval, ...folders] = positionals;
if (chunkEval === undefined) throw new Error('the first argument must be the folder with questions.jsonl.gz');

/** `collapse` alone is one more configuration. */
const CONFIGURATIONS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 'collapse'];
/** As a search with the default `topK` of ten. */
const [CONSIDERED, K] = [50, 10];
const WINDOW = 120;

const read = async (path) => gunzipSync(await readFile(path)).toString('utf8');
const jsonLines = async (path) =>
  (await read(path))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const mean = (all) => all.reduce((sum, value) => sum + value, 0) / all.length;

const windowsOf = (name, text) => {
  const words = [...text.matchAll(/\S+/g)];
  const windows = [];
  for (let from = 0; from === 0 || from + WINDOW / 2 < words.length; from += WINDOW / 2) {
    const last = words[Math.min(from + WINDOW, words.length) - 1];
    const [start, end] = [words[from].index, last.index + last[0].length];
    windows.push({ id: `${name}-${from}`, name, start, end, text: text.slice(start, end) });
  }
  return windows;
};

const withVersions = (windows) =>
  windows.flatMap((window) => [
    window,
    { ...window, id: `${window.id}-same` },
    {
      ...window,
      id: `${window.id}-edited`,
      text: window.text
        .split(/(?<=\s)/)
        .filter((_, at) => at % 10 !== 9)
        .join(''),
    },
  ]);

const measureDiversity = async (versions, label) => {
  const questions = (await jsonLines(join(chunkEval, 'questions.jsonl.gz'))).filter(({ refs }) => refs.length > 1);
  const names = [...new Set(questions.map(({ corpus_id }) => corpus_id))];
  const windows = versions(
    (await Promise.all(names.map(async (name) => windowsOf(name, await read(join(chunkEval, `${name}.md.gz`)))))).flat(),
  );
  const isAbout =
    ({ start, end }) =>
    (window) =>
      Math.min(window.end, end) - Math.max(window.start, start) >= (end - start) / 2;
  const runs = new Map(CONFIGURATIONS.map((configuration) => [configuration, []]));
  const qrels = [];
  const sums = new Map(CONFIGURATIONS.map((configuration) => [configuration, { alpha: [], ndcg: [], recall: [] }]));
  const [alpha, ndcg, recall] = ['alpha_nDCG@10', 'nDCG@10', 'R@10'].map(measureNamed);
  await searchingByWords(windows, async (search) => {
    for (const { _id, text, corpus_id, refs } of questions) {
      const own = windows.filter(({ name }) => name === corpus_id);
      const subtopics = refs.map((ref) => new Map(own.filter(isAbout(ref)).map(({ id }) => [id, 1])));
      const judgements = new Map(subtopics.flatMap((subtopic) => [...subtopic]));
      subtopics.forEach((subtopic, at) => subtopic.forEach((grade, id) => qrels.push(`${_id} ${at + 1} ${id} ${grade}`)));
      const found = (await search(text)).slice(0, CONSIDERED);
      const passages = found.map((hit) => ({ text: hit.text, relevance: hit.score }));
      const firstOf = await nearIdentical(
        found.map((hit) => hit.text),
        async () => undefined,
      );
      for (const configuration of CONFIGURATIONS) {
        const chosen =
          configuration === 'collapse'
            ? found.filter((_, at) => firstOf[at] === at).slice(0, K)
            : byMarginalRelevance(passages, configuration, K).map(({ at }) => found[at]);
        const ranking = chosen.map(({ id }) => id);
        ranking.forEach((id, rank) => runs.get(configuration).push(`${_id} Q0 ${id} ${rank + 1} ${K - rank} ${configuration}`));
        const figures = sums.get(configuration);
        figures.alpha.push(alpha.of(ranking, judgements, subtopics));
        figures.ndcg.push(ndcg.of(ranking, judgements));
        figures.recall.push(recall.of(ranking, judgements));
      }
    }
  });
  console.log(`\n${label}: ${questions.length} questions with several passages, ${windows.length} windows\n`);
  console.log('| diversity | alpha_nDCG@10 | nDCG@10 | R@10 |\n|---|---|---|---|');
  for (const [configuration, figures] of sums)
    console.log(`| ${configuration} | ${[figures.alpha, figures.ndcg, figures.recall].map((all) => mean(all).toFixed(4)).join(' | ')} |`);
  if (options.runs === undefined) return;
  const folder = join(options.runs, label);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'qrels'), `${qrels.join('\n')}\n`);
  for (const [configuration, lines] of runs) await writeFile(join(folder, `${configuration}.run`), `${lines.join('\n')}\n`);
};

const measureCollapse = async (folder) => {
  const passages = (await jsonLines(join(folder, 'corpus.jsonl.gz'))).map(({ _id, title, text }) => ({
    id: _id,
    text: title ? `${title}\n${text}` : text,
  }));
  const queries = await jsonLines(join(folder, 'queries.jsonl.gz'));
  const judged = Map.groupBy(
    (await read(join(folder, 'qrels', 'test.tsv.gz')))
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')),
    ([query]) => query,
  );
  const ndcg = measureNamed('nDCG@10');
  const figures = { repeated: [], plain: [], collapsed: [] };
  await searchingByWords(passages, async (search) => {
    for (const { _id, text } of queries) {
      const lines = judged.get(_id);
      if (lines === undefined) continue;
      const judgements = new Map(lines.map(([, id, grade]) => [id, Math.max(0, Number(grade))]));
      const found = await search(text);
      const firstOf = await nearIdentical(
        found.map((hit) => hit.text),
        async () => undefined,
      );
      figures.repeated.push(firstOf.slice(0, K).filter((first, at) => first !== at).length);
      figures.plain.push(
        ndcg.of(
          found.map(({ id }) => id),
          judgements,
        ),
      );
      figures.collapsed.push(
        ndcg.of(
          found.filter((_, at) => firstOf[at] === at).map(({ id }) => id),
          judgements,
        ),
      );
    }
  });
  const queriesWith = figures.repeated.filter((count) => count > 0).length;
  console.log(
    `| ${basename(folder)} | ${figures.repeated.length} | ${queriesWith} | ${mean(figures.repeated).toFixed(2)} | ${mean(figures.plain).toFixed(4)} | ${mean(figures.collapsed).toFixed(4)} |`,
  );
};

await measureDiversity((windows) => windows, 'plain');
await measureDiversity(withVersions, 'versions');
if (folders.length > 0)
  console.log('\n| set | queries | with repeats among ten | repeats per query | nDCG@10 | with collapse |\n|---|---|---|---|---|---|');
for (const folder of folders) await measureCollapse(folder);
