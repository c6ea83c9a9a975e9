import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '@palimpsest/foundation';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';

import { modelDescription, type ModelDescription } from './model-description.ts';

/** A model whose files match the checksums in `model.json`. */
export type ModelFolder = Readonly<{ folder: string; description: ModelDescription }>;

/** The model in the repository; the path is the same from `src` and `dist`. */
export const DEFAULT_MODEL_FOLDER = new URL('../../../../models/all-minilm-l6-v2-int8/', import.meta.url);

/**
 * Reads `model.json` and checks the SHA-256 of each file that it names.
 *
 * @throws InvalidValue if `model.json` or a file is missing, or `model.json` is invalid
 * @throws Corrupt if a file does not match its checksum
 */
export const readModelFolder = (folder: string): Promise<ModelFolder> => readCheckedFolder(folder, modelDescription);

/** The same for a model of any kind. `parse`: of its `model.json`. */
export const readCheckedFolder = async <Description extends Pick<ModelDescription, 'files'>>(
  folder: string,
  parse: (raw: unknown) => Description,
): Promise<Readonly<{ folder: string; description: Description }>> => {
  const description = parse(await readJson(join(folder, 'model.json')));
  await Promise.all(
    Object.entries(description.files).map(async ([name, expected]) => {
      const path = join(folder, name);
      const got = await sha256Of(path);
      if (got !== expected) throw new Corrupt(`${path}: expected SHA-256 ${expected}, got ${got}`);
    }),
  );
  return { folder, description };
};

/** Reads `model.json` only. @throws InvalidValue if it is missing or invalid */
export const readModelDescription = async (folder: string): Promise<ModelDescription> =>
  modelDescription(await readJson(join(folder, 'model.json')));

const readJson = async (path: string): Promise<unknown> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidValue(path, 'JSON', text);
  }
};

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(part as Buffer);
  } catch (error) {
    throw unreadable(path, error);
  }
  return hash.digest('hex');
};

const unreadable = (path: string, error: unknown): InvalidValue =>
  new InvalidValue(path, 'a file that can be read', errorCode(error) ?? String(error));
