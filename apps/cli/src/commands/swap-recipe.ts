import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SwapTarget } from '@palimpsest/client';
import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import type { Session } from '../session.ts';

export type RecipeOptions = Readonly<{ model?: string; chunking?: string; analyser?: string }>;

/** What a swap changes: model, chunking, word analysis. */
export const addRecipe = (command: Command): Command =>
  command
    .option(
      '--model <version>',
      'one of the available models of `palimpsest status` (default: the current model; with --chunking, that of the scope)',
    )
    .option(
      '--chunking <file>',
      'chunk all documents again: with the settings of a JSON file, or `knowledge-base`: with those of each knowledge base',
    )
    .option('--analyser <version>', 'version of the word analysis; refused unless this build has it');

/** @throws UsageError if the file cannot be read */
export const recipeOf = async ({ model, chunking, analyser }: RecipeOptions, { cwd }: Pick<Session, 'cwd'>): Promise<SwapTarget> => ({
  ...(model === undefined ? {} : { embeddingVersion: model }),
  ...(chunking === undefined ? {} : { chunking: await chunkingOf(chunking, cwd) }),
  ...(analyser === undefined ? {} : { analyser }),
});

const chunkingOf = async (file: string, cwd: string): Promise<NonNullable<SwapTarget['chunking']>> => {
  if (file === 'knowledge-base') return file;
  try {
    return JSON.parse(await readFile(resolve(cwd, file), 'utf8')) as NonNullable<SwapTarget['chunking']>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--chunking: expected a JSON file with chunking settings, or "knowledge-base": ${why}`);
  }
};

/** For lines about generations and plans. */
export const chunkingLabel = (chunking: object | undefined): string => (chunking === undefined ? '' : `, chunking ${labelOf(chunking)}`);

const labelOf = (chunking: object): string => {
  const named = Object.entries(chunking).flatMap(([name, numbers]) =>
    Object.entries(numbers as Readonly<Record<string, number>>).map(([number, value]) => `${name}.${number}=${value}`),
  );
  return named.join(' ') || 'by the window of the model';
};
