import type { NewKnowledgeBase, PalimpsestClient } from '@palimpsest/client';
import type { CorpusText } from '../evaluation/beir-folder.ts';
import { loadCorpus } from '../evaluation/evaluate.ts';
import type { Loaded, Step, Target } from '../evaluation/evaluate.ts';
import type { Session } from '../session.ts';
import { ensureKnowledgeBase } from './ingest.ts';

export type Preparation = Target &
  Readonly<{
    corpus: readonly CorpusText[];
    chunking: NewKnowledgeBase['chunking'] | undefined;
    concurrency: number;
    /** Precedes the labels of the bars. */
    label?: string;
  }>;

/** `failed`: how many of the documents could not be indexed. */
export type Prepared = Readonly<{ loaded: Loaded; failed: number }>;

/** A scope for each knowledge base: BM25 uses statistics of the whole scope, so other documents would change the figures. */
export const scopeOf = (knowledgeBase: string): string => `team:${knowledgeBase}`;

/** Loads a corpus into a knowledge base in a scope of its own, and waits until all of it is indexed. */
export const prepareCorpus = async (
  session: Session,
  client: PalimpsestClient,
  { knowledgeBase, mediaType, corpus, chunking, concurrency, label = '' }: Preparation,
): Promise<Prepared> => {
  await ensureKnowledgeBase(client, { knowledgeBase, scope: scopeOf(knowledgeBase), ...(chunking && { chunking }) }, session.signal);
  const loaded = await withBar(session, `${label}sent`, corpus.length, concurrency, (step) =>
    loadCorpus(client, corpus, { knowledgeBase, mediaType }, step),
  );
  const bar = session.output.progress(`${label}indexed`, loaded.submitted.length);
  try {
    const { documents } = await client.waitFor(loaded.submitted, {
      signal: session.signal,
      onProgress: ({ settled, failed }) => bar.update(settled, failed === 0 ? '' : `${failed} failed`),
    });
    return { loaded, failed: documents.filter(({ status }) => status === 'failed').length };
  } finally {
    bar.stop();
  }
};

/** Does work under a bar. */
export const withBar = async <Result>(
  { output, signal }: Session,
  label: string,
  total: number,
  concurrency: number,
  work: (step: Step) => Promise<Result>,
): Promise<Result> => {
  const bar = output.progress(label, total);
  let done = 0;
  try {
    return await work({ signal, concurrency, onStep: () => bar.update(++done) });
  } finally {
    bar.stop();
  }
};
