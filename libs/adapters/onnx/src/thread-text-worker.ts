import { EmbeddingModelMismatch } from '@palimpsest/knowledge/errors';
import { embeddingVersionOf } from '@palimpsest/knowledge/values';

import type { FromWorker, WorkerData } from './messages.ts';
import type { ModelFolder } from './model-folder.ts';
import type { TextWorker } from './text-worker.ts';
import { startThreadWorker, threadScript } from './thread-worker.ts';

type Ready = Extract<FromWorker, { type: 'ready' }>;
type Embedded = Extract<FromWorker, { type: 'embedded' }>;

/** Starts a thread that embeds texts. */
export const startThreadTextWorker = (model: WorkerData, script: URL = threadScript('embedding-worker')): TextWorker =>
  startThreadWorker({
    script,
    data: model,
    model: model.description.model,
    refusal: ({ width }: Ready) => widthMismatch(model, width),
    answerOf: ({ vector, tokens, truncated }: Embedded) => ({ vector: new Float32Array(vector), tokens, truncated }),
  });

const widthMismatch = ({ description }: ModelFolder, width: number): EmbeddingModelMismatch | undefined =>
  width === description.dimensions
    ? undefined
    : new EmbeddingModelMismatch(embeddingVersionOf(description), [embeddingVersionOf({ ...description, dimensions: width })]);
