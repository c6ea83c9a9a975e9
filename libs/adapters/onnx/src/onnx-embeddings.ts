import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { EmbeddingProvider, TextWindow } from '@palimpsest/knowledge/ports';
import { embeddingVersionOf } from '@palimpsest/knowledge/values';

import { Dispatcher } from './dispatcher.ts';
import { DEFAULT_MODEL_FOLDER, readModelDescription, readModelFolder } from './model-folder.ts';
import { modelTraits } from './model-traits.ts';
import { readPassageWindow } from './text-window.ts';
import { startThreadTextWorker } from './thread-text-worker.ts';

const DEFAULT_MAX_THREADS = 4;

export type OnnxEmbeddingsOptions = Readonly<{
  /** A folder with `model.json` and the files that it names. Default: the model in the repository. */
  folder?: string | URL;
  /**
   * Worker threads, each with a copy of the model (150 MB for the default one). Default: one per core, at most 4. One more is started for
   * queries when all others are busy with passages.
   */
  threads?: number;
  /**
   * For a process that serves queries while it indexes documents: starts the thread for queries immediately, and runs the others at lower
   * priority than that thread and the event loop. Default: false.
   */
  queryThread?: boolean;
}>;

/**
 * Opens a local model, without key and network. Resolves when the model is loaded in a first thread; the others start when there is
 * work for them.
 *
 * @throws InvalidValue if the folder does not describe a model
 * @throws Corrupt if a file does not match its checksum
 * @throws EmbeddingModelMismatch if the model's vectors have other dimensions than described
 * @throws Unavailable if the model cannot be loaded
 */
export const openOnnxEmbeddings = async ({
  folder = DEFAULT_MODEL_FOLDER,
  threads = Math.min(availableParallelism(), DEFAULT_MAX_THREADS),
  queryThread = false,
}: OnnxEmbeddingsOptions = {}): Promise<EmbeddingProvider> => {
  if (!Number.isInteger(threads) || threads < 1) throw new InvalidValue('threads', 'a whole number from 1', threads);
  const model = await readModelFolder(pathOf(folder));
  const dispatcher = new Dispatcher(
    (takes) => startThreadTextWorker({ ...model, lowPriority: queryThread && takes === 'anything' }),
    threads,
  );
  await dispatcher.warmUp({ queries: queryThread });

  return {
    version: embeddingVersionOf(model.description),
    ...(model.description.languages === undefined ? {} : { languages: model.description.languages }),
    traits: modelTraits(model.description),
    window: once(() => readPassageWindow(model)),
    embed: async (texts, kind, signal) => {
      refuseBlank(texts);
      return dispatcher.embed(texts, kind, signal);
    },
    close: () => dispatcher.close(),
  };
};

/**
 * Returns the window of a model without loading the model.
 * @throws InvalidValue if the folder does not describe a model; Corrupt if a file does not match its checksum
 */
export const onnxTextWindow = async ({ folder = DEFAULT_MODEL_FOLDER }: Pick<OnnxEmbeddingsOptions, 'folder'> = {}): Promise<TextWindow> =>
  readPassageWindow(await readModelFolder(pathOf(folder)));

/** What is known of a model before it is loaded. Its files are checked when it is opened. @throws InvalidValue if the folder does not describe a model */
export const describeOnnxModel = async ({ folder = DEFAULT_MODEL_FOLDER }: Pick<OnnxEmbeddingsOptions, 'folder'> = {}): Promise<
  Pick<EmbeddingProvider, 'version' | 'languages' | 'traits'>
> => {
  const description = await readModelDescription(pathOf(folder));
  return {
    version: embeddingVersionOf(description),
    ...(description.languages === undefined ? {} : { languages: description.languages }),
    traits: modelTraits(description),
  };
};

const pathOf = (folder: string | URL): string => (folder instanceof URL ? fileURLToPath(folder) : folder);

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** @throws InvalidValue that names the text by its index, not by its content */
const refuseBlank = (texts: readonly string[]): void => {
  const blank = texts.findIndex((text) => text.trim() === '');
  if (blank >= 0) throw new InvalidValue(`texts[${blank}]`, 'a text that is not blank', texts[blank]);
};
