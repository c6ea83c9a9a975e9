import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seededRandom } from './figures.mjs';

const TOKENIZER = fileURLToPath(new URL('../../../models/all-minilm-l6-v2-int8/tokenizer.json', import.meta.url));

/**
 * The complete English words of the built-in model's vocabulary, most frequent first. They are pinned with the model, so that the corpus
 * is the same in every run and in every version of the repository.
 */
const vocabulary = () => {
  const { model } = JSON.parse(readFileSync(TOKENIZER, 'utf8'));
  return Object.entries(model.vocab)
    .sort(([, one], [, other]) => one - other)
    .flatMap(([word]) => (/^[a-z]{3,}$/.test(word) ? [word] : []))
    .slice(0, 12_000);
};

/** Words by Zipf's law (the word of rank r is about 1/r as frequent as the first). */
const zipfWords = (seed) => {
  const words = vocabulary();
  const random = seededRandom(seed);
  const spread = Math.log(words.length);
  return { random, word: () => words[Math.min(words.length - 1, Math.floor(Math.exp(random() * spread)) - 1)] };
};

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * Markdown documents with `sections` headings and a paragraph of about 900 characters each, about one chunk per section.
 * Each has a name and a text. Another `seed` generates other documents.
 */
export const syntheticDocuments = (count, { sections = 8, seed = 1 } = {}) => {
  const { random, word } = zipfWords(seed);
  const sentence = () => `${capital(word())} ${Array.from({ length: 8 + Math.floor(random() * 10) }, word).join(' ')}.`;
  const section = () => `## ${capital(word())} ${word()} ${word()}\n\n${Array.from({ length: 10 }, sentence).join(' ')}\n`;
  return Array.from({ length: count }, (_, i) => ({
    name: `bench/${seed}/document-${i}.md`,
    text: `# ${capital(word())} ${word()} ${i}\n\n${Array.from({ length: sections }, section).join('\n')}`,
  }));
};

/** Every Markdown, text and HTML file under a folder, at most `count`. */
export const folderDocuments = (folder, count) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ['.md', '.txt', '.html'].includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .slice(0, count)
    .map((file) => ({
      name: relative(folder, file),
      text: readFileSync(file, 'utf8'),
      ...(file.endsWith('.html') ? { mediaType: 'text/html' } : {}),
    }));

/** Distinct queries of 3 to 7 consecutive words of the documents, at least two of them long, so not only stop words. */
export const queriesFrom = (documents, count, seed = 7) => {
  const random = seededRandom(seed);
  const queries = new Set();
  for (let tries = 0; queries.size < count && tries < count * 100; tries++) {
    const words = documents[Math.floor(random() * documents.length)].text.match(/[a-z]{2,}/gi) ?? [];
    const start = Math.floor(random() * words.length);
    const query = words
      .slice(start, start + 3 + Math.floor(random() * 5))
      .join(' ')
      .toLowerCase();
    if ((query.match(/[a-z]{6,}/g)?.length ?? 0) >= 2) queries.add(query);
  }
  return [...queries];
};
