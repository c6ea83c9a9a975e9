/** The corpus that all engines get: a folder in BEIR's layout, or the documentation of this repository. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTestSet } from '../../apps/cli/src/evaluation/beir-folder.ts';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
/** Shorter texts and sentences say too little to find something by. */
const [MIN_WORDS, MIN_QUERY_WORDS] = [12, 5];

/** @returns { name, texts, queries: [{ text, judgements: Map of place in texts → grade }] } */
export const beirCorpus = async (folder, maxQueries) => {
  const { name, corpus, queries } = await readTestSet(folder);
  const documents = corpus.filter(({ text }) => text.trim() !== '');
  const placeOf = new Map(documents.map(({ id }, at) => [id, at]));
  const asked = evenly(queries, maxQueries).map(({ text, judgements }) => ({
    text,
    judgements: new Map([...judgements].flatMap(([id, grade]) => (placeOf.has(id) ? [[placeOf.get(id), grade]] : []))),
  }));
  return { name, texts: documents.map(({ text }) => text), queries: asked };
};

/**
 * The paragraphs of the documentation. If a paragraph has several sentences, the first one is a query, the others are its text, and that is the only
 * relevant one (the inverse cloze task of K. Lee et al., "Latent Retrieval for Weakly Supervised Open Domain Question Answering", ACL 2019). Such
 * queries are not questions of people: compare engines by them, and not sets.
 */
export const committedCorpus = async (maxQueries) => {
  const texts = [];
  const queries = [];
  for (const file of await markdownFiles(DOCS))
    for (const paragraph of paragraphsOf(await readFile(join(DOCS, file), 'utf8'))) {
      const [, first, rest] = /^([^]+?[.?!])\s+([^]+)$/.exec(paragraph) ?? [];
      const isQuery = first !== undefined && wordsIn(first) >= MIN_QUERY_WORDS && wordsIn(rest) >= MIN_WORDS;
      if (isQuery) queries.push({ text: first, judgements: new Map([[texts.length, 1]]) });
      if (isQuery || wordsIn(paragraph) >= MIN_WORDS) texts.push(isQuery ? rest : paragraph);
    }
  return { name: 'the documentation', texts, queries: evenly(queries, maxQueries) };
};

const wordsIn = (text) => text.split(/\s+/).length;

/** At most `max`, spread over all of them. */
const evenly = (items, max) =>
  items.length <= max ? items : Array.from({ length: max }, (_, at) => items[Math.floor((at * items.length) / max)]);

/** In the same order on every machine. */
const markdownFiles = async (folder) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();

/** Without headings, tables and blocks of code. */
const paragraphsOf = (markdown) =>
  markdown
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/^(#{1,6} |\|).*$/gm, '')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
