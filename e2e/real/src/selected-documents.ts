import { cp, stat } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { realData } from '@palimpsest/e2e-support/real-data';
import { NOT_YET_FOUND, QUESTIONS } from './questions.ts';

/** Formats of which there are many long files: nearly all embeddings of the real documents are of these. */
const TEXTS = new Set(['.md', '.html', '.csv', '.tsv', '.txt', '.epub']);
const LONG_BYTES = 6_144;

/**
 * A folder `documents` with every file of other formats, every text up to 6 KB, and the files that answer the questions: each format and
 * each failure is among them, with a fifth of the chunks.
 */
export const withoutLongTexts = async (): Promise<string> => {
  const documents = realData('documents');
  const answering = new Set([...QUESTIONS, ...NOT_YET_FOUND].flatMap(({ sources }) => sources));
  const folder = join(await aDataFolder(), 'documents');
  await cp(documents, folder, {
    recursive: true,
    filter: async (path) => {
      const file = await stat(path);
      return file.isDirectory() || !TEXTS.has(extname(path)) || file.size <= LONG_BYTES || answering.has(relative(documents, path));
    },
  });
  return folder;
};
