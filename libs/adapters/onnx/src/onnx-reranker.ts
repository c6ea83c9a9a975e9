import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { Reranker, RerankPassage } from '@palimpsest/knowledge/models';

import { Dispatcher } from './dispatcher.ts';
import type { FromPairWorker, Pair } from './messages.ts';
import { pairVersion, readPairFolder, type PairFolder } from './pair-description.ts';
import type { TextWorker } from './text-worker.ts';
import { startThreadWorker, threadScript } from './thread-worker.ts';

export type OnnxRerankerOptions = Readonly<{
  /** A folder with `model.json` and the files that it names. */
  folder: string;
  /** Worker threads, each with a copy of the model. Default: 2. */
  threads?: number;
}>;

/** More characters than any window reads; they are copied to a thread. */
const MAX_CHARS = 100_000;

/**
 * Opens a local cross-encoder, without key and network. Resolves when it is loaded in a first thread. The same pair always gets the same
 * score, whatever else is scored.
 *
 * @throws InvalidValue if the folder does not describe a cross-encoder
 * @throws Corrupt if a file does not match its checksum
 * @throws Unavailable if the model cannot be loaded
 */
export const openOnnxReranker = async ({ folder, threads = 2 }: OnnxRerankerOptions): Promise<Reranker> => {
  if (!Number.isInteger(threads) || threads < 1) throw new InvalidValue('threads', 'a whole number from 1', threads);
  const model = await readPairFolder(folder);
  const dispatcher = new Dispatcher<Pair, number>(() => startPairWorker(model), threads);
  await dispatcher.warmUp();
  let closed = false;

  return {
    version: pairVersion(model.description),
    score: async (query, passages, signal) => {
      if (closed) throw new Unavailable('the reranker is closed', { forCallers: true });
      const pairs = passages.map((passage) => ({ query: query.slice(0, MAX_CHARS), passage: textOf(passage) }));
      try {
        // Not as queries: these have a thread of their own, which a reranker does not need.
        return await dispatcher.embed(pairs, 'passage', signal);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        throw new Unavailable('the cross-encoder could not score the passages', { forCallers: true, cause: error });
      }
    },
    close: async () => {
      closed = true;
      await dispatcher.close();
    },
  };
};

/** Title and context first: the end may be cut off. */
const textOf = ({ title, context, text }: RerankPassage): string =>
  [title, context, text]
    .filter((part) => part.trim() !== '')
    .join('\n')
    .slice(0, MAX_CHARS);

type Ready = Extract<FromPairWorker, { type: 'ready' }>;
type Scored = Extract<FromPairWorker, { type: 'scored' }>;

const startPairWorker = (data: PairFolder): TextWorker<Pair, number> =>
  startThreadWorker<Pair, number, Ready, Scored>({
    script: threadScript('pair-worker'),
    data,
    model: data.description.model,
    answerOf: ({ score }) => score,
  });
