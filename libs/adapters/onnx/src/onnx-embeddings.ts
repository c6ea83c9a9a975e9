import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { embeddingVersionOf, InvalidValue, type EmbeddingProvider, type TextWindow } from '@palimpsest/knowledge';

import { Dispatcher } from './dispatcher.ts';
import { DEFAULT_MODEL_FOLDER, readModelFolder } from './model-folder.ts';
import { readPassageWindow } from './text-window.ts';
import { startThreadTextWorker } from './thread-text-worker.ts';

const MOST_THREADS_BY_DEFAULT = 4;

export type OnnxEmbeddingsOptions = Readonly<{
  /** A folder with `model.json` and the files that it names; the model in the repository when left out. */
  folder?: string | URL;
  /** Worker threads, each with a copy of the model (150 MB for the default one); by default one per core, at most 4. Queries get one more when they meet passages. */
  threads?: number;
  /**
   * For a process that is asked while it takes in documents: the one for queries is loaded from the start on, and the others give way to it and to
   * the event loop; false by default.
   */
  queryThread?: boolean;
}>;

/**
 * A model on this machine, without key and network. Resolves when the model is loaded in a first thread; the others start
 * when there is work for them.
 *
 * @throws InvalidValue when the folder does not describe a model
 * @throws Corrupt when a file is not the one that was described
 * @throws EmbeddingModelMismatch when the model's vectors have another width than described
 * @throws Unavailable when the model cannot be loaded
 */
export const openOnnxEmbeddings = async ({
  folder = DEFAULT_MODEL_FOLDER,
  threads = Math.min(availableParallelism(), MOST_THREADS_BY_DEFAULT),
  queryThread = false,
}: OnnxEmbeddingsOptions = {}): Promise<EmbeddingProvider> => {
  if (!Number.isInteger(threads) || threads < 1) throw new InvalidValue('threads', 'a whole number from 1', threads);
  const model = await readModelFolder(pathOf(folder));
  const dispatcher = new Dispatcher((takes) => startThreadTextWorker({ ...model, stepsBack: queryThread && takes === 'anything' }), threads);
  await dispatcher.warmUp({ queries: queryThread });

  return {
    version: embeddingVersionOf(model.description),
    ...(model.description.languages === undefined ? {} : { languages: model.description.languages }),
    window: once(() => readPassageWindow(model)),
    embed: async (texts, kind, signal) => {
      refuseBlank(texts);
      return dispatcher.embed(texts, kind, signal);
    },
    close: () => dispatcher.close(),
  };
};

/**
 * The window of a model that is not loaded (yet).
 * @throws InvalidValue when the folder does not describe a model; Corrupt when a file is not the one that was described
 */
export const onnxTextWindow = async ({ folder = DEFAULT_MODEL_FOLDER }: Pick<OnnxEmbeddingsOptions, 'folder'> = {}): Promise<TextWindow> =>
  readPassageWindow(await readModelFolder(pathOf(folder)));

const pathOf = (folder: string | URL): string => (folder instanceof URL ? fileURLToPath(folder) : folder);

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** @throws InvalidValue naming the text by its place, never by its content */
const refuseBlank = (texts: readonly string[]): void => {
  const blank = texts.findIndex((text) => text.trim() === '');
  if (blank >= 0) throw new InvalidValue(`texts[${blank}]`, 'a text that is not blank', texts[blank]);
};
