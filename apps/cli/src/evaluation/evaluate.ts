import type { PalimpsestClient, Strategy } from '@palimpsest/client';
import { runAll } from '../run-all.ts';
import type { TestSet } from './beir-folder.ts';
import { meanOf, metricsOf } from './metrics.ts';
import type { Metrics } from './metrics.ts';

const DEPTH = 100;

export type Loaded = Readonly<{
  knowledgeBase: string;
  /** The test set's ID of each document, by the server's ID. */
  idOf: ReadonlyMap<string, string>;
  submitted: readonly Readonly<{ documentId: string; version: number }>[];
}>;

type Step = Readonly<{ signal: AbortSignal; concurrency: number; onStep: () => void }>;

/**
 * Submits each document of the corpus to the knowledge base; documents that have not changed since an earlier run are skipped.
 * Documents without text (Cranfield has two) are left out: no search can find them, and the server refuses them.
 */
export const loadCorpus = async (client: PalimpsestClient, { corpus }: TestSet, knowledgeBase: string, step: Step): Promise<Loaded> => {
  const idOf = new Map<string, string>();
  const submitted: { documentId: string; version: number }[] = [];
  const submit = async ({ id, text }: TestSet['corpus'][number]): Promise<void> => {
    if (text.trim() === '') return step.onStep();
    const document = { knowledgeBase, sourceId: id, text, mediaType: 'text/plain' };
    const { documents } = await client.documents.submitText(document, { signal: step.signal });
    for (const submission of documents) {
      if (submission.status === 'rejected') throw new Error(`${id} was rejected: ${submission.error.detail}`);
      idOf.set(submission.documentId, id);
      if (submission.status === 'accepted') submitted.push(submission);
    }
    step.onStep();
  };
  await runAll(corpus, step.concurrency, submit);
  return { knowledgeBase, idOf, submitted };
};

/** Runs every query; a document counts once, at its best chunk. */
export const runQueries = async (
  client: PalimpsestClient,
  { queries }: TestSet,
  { knowledgeBase, idOf }: Loaded,
  strategy: Strategy,
  step: Step,
): Promise<Metrics> => {
  const measured = await runAll(queries, step.concurrency, async ({ text, judgements }) => {
    const request = { query: text, knowledgeBases: [knowledgeBase], topK: DEPTH, strategy };
    const { hits } = await client.search(request, { signal: step.signal });
    const ranking = [...new Set(hits.map(({ documentId }) => idOf.get(documentId) ?? documentId))];
    step.onStep();
    return metricsOf(ranking, judgements);
  });
  return meanOf(measured);
};
