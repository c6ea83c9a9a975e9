import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../setup/workspace.mjs';

/** The Markdown files of `docs/`, without the generated reference. */
export const documentation = async () => {
  const names = (await readdir(inRoot('docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md') && !name.startsWith('reference'))
    .sort();
  return Promise.all(names.map(async (name) => ({ name: `docs/${name}`, text: await readFile(join(inRoot('docs'), name), 'utf8') })));
};

/** Some headings of the documents: what a reader may ask for. */
export const headings = (documents, count) => {
  const all = documents.flatMap(({ text }) => [...text.matchAll(/^##+ (.{12,80})$/gm)].map(([, heading]) => heading.replaceAll('`', '')));
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, i) => i % step === 0).slice(0, count);
};
