import type { PalimpsestClient, Strategy } from '@palimpsest/client';
import { measureNamed } from '@palimpsest/evaluation';
import { runAll } from '../run-all.ts';
import type { CorpusText, TestSet } from './beir-folder.ts';
import type { DocumentExplanation, ExplainedRun } from './explanations.ts';
import type { Run } from './trec-run.ts';

const DEPTH = 100;
/** The first documents, which are explained even without a judgement: they take the place of others. */
const EXPLAINED = 10;

/** The measures by their names in the JSON output. */
const MEASURES = {
  ndcg10: measureNamed('nDCG@10'),
  recall10: measureNamed('R@10'),
  recall100: measureNamed('R@100'),
  mrr10: measureNamed('RR@10'),
};

/** Means over all queries; zeros when there are none. */
export type Metrics = Readonly<Record<keyof typeof MEASURES, number>>;

export type Loaded = Readonly<{
  knowledgeBase: string;
  /** The test set's ID of each document, by the server's ID. */
  idOf: ReadonlyMap<string, string>;
  submitted: readonly Readonly<{ documentId: string; version: number }>[];
}>;

export type Step = Readonly<{ signal: AbortSignal; concurrency: number; onStep: () => void }>;

/** Where the texts of a corpus go, and as what. */
export type Target = Readonly<{ knowledgeBase: string; mediaType: string }>;

/**
 * Submits each document of the corpus to the knowledge base; documents that have not changed since an earlier run are skipped.
 * Documents without text (Cranfield has two) are left out: no search can find them, and the server refuses them.
 */
export const loadCorpus = async (
  client: PalimpsestClient,
  corpus: readonly CorpusText[],
  { knowledgeBase, mediaType }: Target,
  step: Step,
): Promise<Loaded> => {
  const idOf = new Map<string, string>();
  const submitted: { documentId: string; version: number }[] = [];
  const submit = async ({ id, text }: CorpusText): Promise<void> => {
    if (text.trim() === '') return step.onStep();
    const document = { knowledgeBase, sourceId: id, text, mediaType };
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

export type Questions = Readonly<{
  strategy: Strategy;
  /** Whether to explain the first ten documents, and the judged ones. */
  explain?: boolean;
}>;

/** Runs every query; a document counts once, at its best chunk. */
export const runQueries = async (
  client: PalimpsestClient,
  { queries }: TestSet,
  { knowledgeBase, idOf }: Loaded,
  { strategy, explain = false }: Questions,
  step: Step,
): Promise<ExplainedRun> => {
  const results = await runAll(queries, step.concurrency, async ({ id: query, text, judgements }) => {
    const request = { query: text, knowledgeBases: [knowledgeBase], topK: DEPTH, strategy, explain };
    const { hits } = await client.search(request, { signal: step.signal });
    const documents = new Map<string, Found>();
    for (const { documentId, score, explain: why } of hits) {
      const id = idOf.get(documentId) ?? documentId;
      if (documents.has(id)) continue;
      const isKept = why !== undefined && (documents.size < EXPLAINED || judgements.has(id));
      documents.set(id, { id, score, ...(isKept ? { explain: why } : {}) });
    }
    step.onStep();
    return [query, [...documents.values()]] as const;
  });
  return new Map(results);
};

type Found = Readonly<{ id: string; score: number; explain?: DocumentExplanation }>;

/** Measures a run in the order in which the server returned the documents. */
export const metricsOf = ({ queries }: TestSet, run: Run): Metrics => {
  const mean = (measure: (typeof MEASURES)[keyof Metrics]): number => {
    const values = queries.map(({ id, judgements }) =>
      measure.of(
        (run.get(id) ?? []).map((document) => document.id),
        judgements,
      ),
    );
    return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const { ndcg10, recall10, recall100, mrr10 } = MEASURES;
  return { ndcg10: mean(ndcg10), recall10: mean(recall10), recall100: mean(recall100), mrr10: mean(mrr10) };
};
