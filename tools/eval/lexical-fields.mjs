/**
 * How much should a word count in each field of a document (title, headings, text, front matter, names of code)? BM25 with fields as in
 * Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple Weighted Fields (CIKM 2004): frequencies and lengths are weighted sums.
 *
 *   node --conditions=@palimpsest/source tools/eval/lexical-fields.mjs collect <file> [--split test] [--queries 1000] [--links] <folder>...
 *   node --conditions=@palimpsest/source tools/eval/lexical-fields.mjs weights <file>...   each field alone in several weights
 *   node --conditions=@palimpsest/source tools/eval/lexical-fields.mjs chosen <file>...    weights chosen without the set that they are measured on
 *   node --conditions=@palimpsest/source tools/eval/lexical-fields.mjs compare <file>... --weights title=2,headings=1
 *   node --conditions=@palimpsest/source tools/eval/lexical-fields.mjs cost <file>...      of the analysis, with the weights of the platform
 *
 * `collect` reads folders in BEIR layout, and embeds all documents and queries (minutes). With `--links` the folders contain Markdown
 * documents that refer to each other: the query is the sentence around a link, without the words of the link, and its answer the document
 * that it leads to; a second set asks with the words of the link alone. The document that contains the sentence is no result.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openDocumentParser } from '@palimpsest/adapters-documents';
import { openOnnxEmbeddings } from '@palimpsest/adapters-onnx';
import { embedPassages, embedQuery } from '@palimpsest/contracts';
import { measureNamed } from '@palimpsest/evaluation';
import { SeededRandom } from '@palimpsest/foundation';
import { spreadOf, standardScore } from '@palimpsest/knowledge/read-models';
import { weightedTexts } from '@palimpsest/knowledge/texts';
import { analyse, analyseWeighted } from '../../libs/adapters/bm25/src/analysis/analyse.ts';
import { analyseQuery } from '../../libs/adapters/bm25/src/analysis/analyse-query.ts';
import { impactOf, lengthNorm, toScore, weightOf } from '../../libs/adapters/bm25/src/scoring/bm25.ts';
import { bootstrapIntervals } from '../../libs/evaluation/src/statistics/bootstrap.ts';
import { chunkerFor, chunkingSettings } from '../../libs/ingestion/src/chunking/index.ts';
import { DENSE_WEIGHT, fuseStandardScores } from '../../libs/query/src/ranking/fusion.ts';

/** Candidates of each search, as for a search for ten results. */
const POOL = 100;
const PARAMETERS = { k1: 1.2, b: 0.75 };
const MEASURE = measureNamed('nDCG@10');
const FIELDS = ['title', 'headings', 'text', 'frontMatter', 'symbols'];
/** What is indexed without weights. */
const PLAIN = { title: 1, headings: 1, text: 1, frontMatter: 0, symbols: 0 };
const LEVELS = [0, 0.5, 1, 1.5, 2, 3, 4, 6];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const signed = (value, digits = 4) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);
const head = (cells) => {
  row(cells);
  row(cells.map(() => '---'));
};

const lines = (path) => gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
const idOf = (name) => createHash('sha256').update(name).digest('hex').slice(0, 32);

/** Names that Rust code defines: what a chunker could add to a chunk of code. */
const definedIn = (text) =>
  [
    ...text.matchAll(
      /\b(?:fn|struct|enum|trait|mod|type|const|static|macro_rules!)\s+(\w+)|^impl\b[^{]*?\b(\w+)(?:<[^{]*>)?\s*(?:\{|where)/gm,
    ),
  ]
    .map(([, one, other]) => one ?? other)
    .join(' ');

/** A set: its chunks with their fields and the document that they belong to, and its queries. */
const beirSet = (folder, { split, queries: most }) => {
  const documents = lines(join(folder, 'corpus.jsonl.gz')).map((line) => JSON.parse(line));
  const judged = new Map();
  for (const line of lines(join(folder, 'qrels', `${split}.tsv.gz`)).slice(1)) {
    const [query, document, gain] = line.split('\t');
    if (Number(gain) > 0) judged.set(query, { ...judged.get(query), [idOf(document)]: Number(gain) });
  }
  const isCode = basename(folder) === 'codebase-rag';
  const chunks = documents
    .filter(({ title, text }) => `${title}${text}`.trim())
    .map(({ _id, title, text }) => ({
      ...{ id: idOf(_id), document: idOf(_id) },
      fields: { title, text, ...(isCode ? { symbols: definedIn(text) } : {}) },
    }));
  const queries = lines(join(folder, 'queries.jsonl.gz'))
    .map((line) => JSON.parse(line))
    .filter(({ _id }) => judged.has(_id))
    .slice(0, Number(most))
    .map(({ _id, text }) => ({ text, relevant: judged.get(_id) }));
  return [{ set: `${basename(folder)}${split === 'test' ? '' : ` (${split})`}`, chunks, queries }];
};

const LINK = /\[((?:[^[\]]|`[^`]*`)*)\]\(([^()\s]*)\)/g;
const unlinked = (text) => text.replace(LINK, '$1').replace(/[`*_#>|]+/g, ' ');
const wordsOf = (text) => text.match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*/gu) ?? [];

/** The documents of a folder that parse, by their path in it without the extension. */
const parsedIn = async (folder) => {
  const parser = await openDocumentParser({ processes: 1 });
  const documents = new Map();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  for (const path of paths.sort()) {
    const outcome = await parser.parse({ bytes: readFileSync(join(folder, path)), fileName: basename(path) });
    if (outcome.outcome === 'parsed') documents.set(path.replace(/\.md$/, ''), outcome.document);
  }
  await parser.close();
  return documents;
};

/** Where a link of a document leads, if that is another document of the folder. */
const targetOf = (from, link, documents) => {
  if (/^[a-z]+:/i.test(link)) return undefined;
  const path = link.replace(/[#?].*$/, '').replace(/\.(?:md|html)$/, '');
  const found = path.startsWith('/') ? path.slice(1) : relative('.', join(dirname(from), path));
  const target = documents.has(found) ? found : `${found.replace(/\/$/, '')}/index`;
  return path !== '' && target !== from && documents.has(target) ? target : undefined;
};

/** The sentences of a Markdown document, outside of code. */
const sentencesOf = ({ text }) =>
  text
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n\s*\n|\n\s*[*+-] |\n#+ /)
    .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').split(/(?<=[.!?:])\s/));

/** Links between the documents, as two kinds of queries. */
const linksIn = (documents) => {
  const links = [...documents].flatMap(([from, document]) =>
    sentencesOf(document).flatMap((sentence) =>
      [...sentence.matchAll(LINK)].flatMap(([whole, words, link]) => {
        const target = targetOf(from, link, documents);
        const around = unlinked(sentence.replace(whole, ' ')).trim();
        return target === undefined ? [] : [{ from, target, words: unlinked(words).trim(), around }];
      }),
    ),
  );
  const distinct = (part, fewest) => {
    const found = links.map((link) => ({ ...link, text: link[part] })).filter(({ text }) => wordsOf(text).length >= fewest);
    return [...new Map(found.map((query) => [`${query.text} ${query.target}`, query])).values()];
  };
  return { sentences: distinct('around', 5), names: distinct('words', 1) };
};

const linkedSets = async (folder, { window, queries: most }) => {
  const documents = await parsedIn(folder);
  const chunks = [];
  for (const [path, document] of documents) {
    const { title = basename(path), metadata } = document;
    const frontMatter = Object.entries(metadata)
      .filter(([name]) => name !== 'title')
      .map(([, value]) => value)
      .join('\n');
    for (const [i, { headings, contextPrefix, text }] of chunkerFor(document, chunkingSettings(), window).chunk(document).entries()) {
      // As the chunker writes the context: the title is not repeated, and a split table keeps its header.
      const own = headings[0]?.toLowerCase() === title.toLowerCase() ? headings.slice(1) : headings;
      const table = contextPrefix.split('\n').slice(1).join('\n');
      chunks.push({
        ...{ id: idOf(`${path} ${i}`), document: idOf(path) },
        fields: { title, headings: own.join('\n'), text: `${table}\n${text}`, frontMatter },
      });
    }
  }
  const random = new SeededRandom(1);
  const sampled = (all) =>
    all
      .map((query) => ({ query, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .slice(0, Number(most))
      .map(({ query: { text, from, target } }) => ({ text, relevant: { [idOf(target)]: 1 }, not: idOf(from) }));
  const { sentences, names } = linksIn(documents);
  return [
    { set: `${basename(folder)}, sentences`, chunks, queries: sampled(sentences) },
    { set: `${basename(folder)}, names`, chunks, queries: sampled(names) },
  ];
};

const cosine = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** What the model embeds: the context of the chunk, then its text. */
const embeddedOf = ({ title = '', headings = '', text }) => ({
  text,
  contextPrefix: [title, ...headings.split('\n')].filter(Boolean).join(' > '),
  headings: [],
});

const vectors = new WeakMap();
const withDense = async (set, provider) => {
  if (!vectors.has(set.chunks)) {
    const rows = [];
    for (let at = 0; at < set.chunks.length; at += 32) {
      const some = set.chunks.slice(at, at + 32);
      const made = await embedPassages(
        provider,
        some.map(({ fields }) => embeddedOf(fields)),
      );
      rows.push(...made.map(({ vector, further = [] }) => [vector, ...further]));
    }
    vectors.set(set.chunks, rows);
  }
  const rows = vectors.get(set.chunks);
  for (const query of set.queries) {
    const asked = await embedQuery(provider, query.text);
    const scores = rows.map((of) => Math.max(...of.map((vector) => cosine(vector, asked))));
    const spread = spreadOf(scores);
    const hits = scores
      .map((score, i) => ({ chunkId: set.chunks[i].id, score, standard: standardScore(score, spread) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, POOL);
    query.dense = { hits, absent: hits.at(-1)?.standard ?? 0, spread };
  }
  return set;
};

const collect = async (file, folders, options) => {
  const provider = await openOnnxEmbeddings({ threads: 1 });
  const window = await provider.window();
  const sets = [];
  for (const folder of folders) {
    const made = options.links ? await linkedSets(folder, { ...options, window }) : beirSet(folder, options);
    for (const set of made) {
      sets.push(await withDense(set, provider));
      console.log(`${set.set}: ${set.chunks.length} chunks, ${set.queries.length} queries`);
    }
    writeFileSync(file, JSON.stringify(sets));
  }
  await provider.close?.();
};

/** Postings by term, with the frequency in each field, and the length of each field of each chunk. */
const indexed = (set) => {
  const postings = new Map();
  const lengths = set.chunks.map(({ fields }, chunk) =>
    FIELDS.map((field, at) => {
      const { terms, length } = analyse(fields[field] ?? '', 'en');
      for (const [term, frequency] of terms) {
        const of = postings.get(term) ?? new Map();
        postings.set(term, of);
        const frequencies = of.get(chunk) ?? FIELDS.map(() => 0);
        of.set(chunk, frequencies);
        frequencies[at] = frequency;
      }
      return length;
    }),
  );
  return { ...set, postings, lengths };
};

const weighted = (values, weights) => values.reduce((sum, value, i) => sum + value * weights[i], 0);

/** nDCG@10 of each query by words alone, and together with the cosines. */
const valuesOf = ({ chunks, queries, postings, lengths }, weightOfField) => {
  const weights = FIELDS.map((field) => weightOfField[field]);
  const sums = lengths.map((of) => weighted(of, weights));
  const scoring = { ...PARAMETERS, average: Math.max(1, mean(sums)) };
  const norms = sums.map((length) => lengthNorm(scoring, length));
  return queries.map((query) => {
    const points = new Float64Array(chunks.length);
    let [known, all] = [0, 0];
    for (const [term, repeated] of analyseQuery(query.text, ['en'])) {
      const holders = [...(postings.get(term) ?? [])]
        .map(([chunk, of]) => [chunk, weighted(of, weights)])
        .filter(([, frequency]) => frequency > 0);
      const weight = repeated * weightOf(chunks.length, holders.length);
      all += weight;
      if (holders.length > 0) known += weight;
      for (const [chunk, frequency] of holders) points[chunk] += weight * impactOf(frequency, norms[chunk]);
    }
    const scores = Array.from(points, toScore);
    const spread = spreadOf(scores);
    const hits = scores
      .map((score, i) => ({ chunkId: chunks[i].id, score, standard: standardScore(score, spread) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1))
      .slice(0, POOL);
    const lexical = { hits, absent: standardScore(0, spread) };
    const dense = 1 - (1 - DENSE_WEIGHT) * (all > 0 ? known / all : 0);
    const fused = fuseStandardScores({ dense: query.dense, lexical }, () => dense);
    return {
      words: measured(query, hits, chunks),
      both: measured(query, fused, chunks),
      documents: documentsAmong(fused.slice(0, 10), chunks).size,
    };
  });
};

const documents = new WeakMap();
/** Different documents, by their best chunk. */
const documentsAmong = (hits, chunks) => {
  if (!documents.has(chunks)) documents.set(chunks, new Map(chunks.map(({ id, document }) => [id, document])));
  const of = documents.get(chunks);
  return new Set(hits.map(({ chunkId }) => of.get(chunkId)));
};

/** Each document counts once, by its best chunk. */
const measured = ({ relevant, not }, hits, chunks) => {
  const found = [...documentsAmong(hits, chunks)].filter((document) => document !== not);
  return MEASURE.of(found, new Map(Object.entries(relevant)));
};

const means = (set, weights) => {
  const values = valuesOf(set, weights);
  return { words: mean(values.map(({ words }) => words)), both: mean(values.map(({ both }) => both)), values };
};

const hasField = (set, field) => set.chunks.some(({ fields }) => (fields[field] ?? '') !== '');

const weightsTable = (sets) => {
  for (const field of FIELDS.filter((name) => name !== 'text')) {
    const having = sets.filter((set) => hasField(set, field));
    if (having.length === 0) continue;
    console.log(`\n${field}: nDCG@10 by words / with the cosines`);
    head(['set', 'queries', ...LEVELS]);
    for (const set of having) {
      const cells = LEVELS.map((level) => {
        const { words, both } = means(set, { ...PLAIN, [field]: level });
        return `${words.toFixed(4)} / ${both.toFixed(4)}`;
      });
      row([set.set, set.queries.length, ...cells]);
    }
  }
};

/** All weights that are tried together. */
const GRID = [1, 2, 3, 4, 6].flatMap((title) =>
  [1, 2].flatMap((headings) =>
    [0, 1, 2].flatMap((frontMatter) => [0, 1, 2].map((symbols) => ({ ...PLAIN, title, headings, frontMatter, symbols }))),
  ),
);
const shown = (set, weights) =>
  FIELDS.filter((field) => hasField(set, field))
    .map((field) => `${field} ${weights[field]}`)
    .join(', ');

const comparison = (set, label, weights) => {
  const [before, after] = [means(set, PLAIN), means(set, weights)];
  const gain = (side) => {
    const differences = Float64Array.from(after.values, (value, i) => value[side] - before.values[i][side]);
    const [[low, high]] = bootstrapIntervals([differences], { resamples: 10_000, level: 0.05, random: new SeededRandom(1) });
    return `${signed(mean(differences))} (${signed(low)} … ${signed(high)})`;
  };
  row([
    ...[set.set, set.queries.length, label],
    ...['words', 'both'].flatMap((side) => [before[side].toFixed(4), after[side].toFixed(4), gain(side)]),
    [before, after].map(({ values: of }) => mean(of.map(({ documents: count }) => count)).toFixed(1)).join(' → '),
  ]);
  return { words: after.words - before.words, both: after.both - before.both };
};

const table = (sets, rows) => {
  head([
    'set',
    'queries',
    'weights',
    'words: all 1',
    'weighted',
    'gain',
    'with the cosines: all 1',
    'weighted',
    'gain',
    'documents among the first ten',
  ]);
  const gains = rows();
  for (const side of ['words', 'both'])
    console.log(`mean gain of ${sets.length} sets, ${side}: ${signed(mean(gains.map((gain) => gain[side])))}`);
};

/** The weights that are best on average over all other folders, each of which counts the same. */
const chosenTable = (sets) => {
  const known = new Map();
  const valueOf = (set, weights) => {
    const key = `${set.set} ${shown(set, weights)}`;
    if (!known.has(key)) {
      const { words, both } = means(set, weights);
      known.set(key, (words + both) / 2);
    }
    return known.get(key);
  };
  const folderOf = ({ set }) => set.replace(/,? (?:\w+|\(\w+\))$/, '');
  const bestOf = (some) => {
    const folders = [...Map.groupBy(some, folderOf).values()];
    const score = (weights) => mean(folders.map((of) => mean(of.map((set) => valueOf(set, weights)))));
    return GRID.toSorted((a, b) => score(b) - score(a))[0];
  };
  table(sets, () =>
    sets.map((set) => {
      const weights = bestOf(sets.filter((other) => folderOf(other) !== folderOf(set)));
      return comparison(set, shown(set, weights), weights);
    }),
  );
  console.log('chosen on all:', JSON.stringify(bestOf(sets)));
};

const compareTable = (sets, { weights: asked }) => {
  const given = Object.fromEntries(asked.split(',').map((one) => [one.split('=')[0], Number(one.split('=')[1])]));
  table(sets, () => sets.map((set) => comparison(set, shown(set, { ...PLAIN, ...given }), { ...PLAIN, ...given })));
};

const ROUNDS = 8;

/** CPU time and different terms per chunk, in turns; of each the best round. */
const costTable = (sets) => {
  const all = [...new Map(sets.map(({ chunks }) => [chunks[0].id, chunks])).values()].flat();
  const kinds = {
    'without fields': () => ({}),
    title: ({ title }) => ({ title }),
    'title and metadata': ({ title, frontMatter }) => ({ title, ...(frontMatter ? { metadata: frontMatter } : {}) }),
  };
  const puts = Object.values(kinds).map((fieldsOf) =>
    all.map(({ fields }) => {
      const { contextPrefix, text } = embeddedOf(fields);
      return weightedTexts({ text: `${contextPrefix}\n${text}`, fields: fieldsOf(fields) });
    }),
  );
  const best = puts.map(() => Infinity);
  const terms = puts.map(() => 0);
  for (let round = 0; round < ROUNDS; round++)
    puts.forEach((of, kind) => {
      const began = process.cpuUsage();
      terms[kind] = of.reduce((sum, texts) => sum + analyseWeighted(texts, 'en').terms.size, 0);
      const { user, system } = process.cpuUsage(began);
      best[kind] = Math.min(best[kind], user + system);
    });
  console.log(`${all.length} chunks, ${all.filter(({ fields }) => fields.frontMatter).length} with metadata`);
  head(['', 'µs of CPU per chunk', 'different terms']);
  Object.keys(kinds).forEach((kind, i) => row([kind, (best[i] / all.length).toFixed(1), (terms[i] / all.length).toFixed(1)]));
};

const COMMANDS = { weights: weightsTable, chosen: chosenTable, compare: compareTable, cost: costTable };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ split: { type: 'string', default: 'test' }, queries: { type: 'string', default: '1000' } },
    links: { type: 'boolean', default: false },
    ...{ weights: { type: 'string', default: '' }, without: { type: 'string' } },
  },
});
const [command, file, ...others] = positionals;
if (command === 'collect' && others.length > 0) await collect(file, others, values);
else if (Object.hasOwn(COMMANDS, command ?? '') && file !== undefined) {
  const sets = [file, ...others]
    .flatMap((path) => JSON.parse(readFileSync(path, 'utf8')))
    .filter(({ set }) => values.without === undefined || !set.endsWith(values.without))
    .map(indexed);
  COMMANDS[command](sets, values);
} else {
  console.error(`usage: lexical-fields.mjs collect <file> <folder>... | ${Object.keys(COMMANDS).join('|')} <file>...`);
  process.exitCode = 2;
}
