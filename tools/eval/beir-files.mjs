/** What the programs here read of a folder in BEIR layout. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { chunkId } from '@palimpsest/knowledge/values';

export const lines = async (path) =>
  gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');
export const idOf = (document) => chunkId(createHash('sha256').update(document).digest('hex').slice(0, 32));
/** `de` for `xquad-de`. */
export const languageOf = (folder) => /-([a-z]{2})$/.exec(basename(folder))?.[1] ?? 'en';
export const textOf = ({ title, text }) => (title ? `${title}\n${text}` : text);
