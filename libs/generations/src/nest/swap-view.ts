import type { Canary } from '@palimpsest/knowledge/canary';
import type { Plan } from '@palimpsest/knowledge/plans';
import type { Recipe } from '@palimpsest/knowledge/values';
import type { SwapChanged } from '../swap-scope.ts';
import type { SwapStatus } from '../swap-status.ts';

/** The state of a swap as the API shows it. */
export const swapView = ({ scope, state, generations, plan, swap, evaluation, evaluationRun, canary, notRechunked }: SwapStatus) => ({
  scope,
  state,
  generations: generations.map(({ id, embeddingVersion, recipe, status }) => ({
    generation: id,
    embeddingVersion,
    status,
    ...chunkingOf(recipe),
  })),
  ...(plan ? { plan: planOf(plan) } : {}),
  ...(swap ? { swap: { ...swap, generation: swap.generation.id, embeddingVersion: swap.generation.embeddingVersion } } : {}),
  ...(evaluation ? { evaluation: verdictOf(evaluation) } : {}),
  ...(evaluationRun ? { evaluationRun } : {}),
  ...(canary ? { canary: canaryView(canary) } : {}),
  ...(notRechunked ? { notRechunked: keptView(notRechunked) } : {}),
});

/** The settings, if they are the same for all knowledge bases. */
export const chunkingOf = ({ chunking: { settings } }: Recipe) => (settings === 'knowledge-base' ? {} : { chunking: settings });

const keptView = ({ total, items }: NonNullable<SwapStatus['notRechunked']>) => ({
  total,
  documents: items.map(({ documentId, sourceId, reason }) => ({ documentId, source: sourceId, reason })),
});

export const swapChangedView = ({ position, freed, ...status }: SwapChanged) => ({
  ...swapView(status),
  ...(freed ? { freed } : {}),
  position: String(position),
});

export const canaryView = ({ generation, against, share, thresholds, startedAt, ended }: Canary) => ({
  ...{ generation, against, share, thresholds, startedAt },
  ...(ended === undefined ? {} : { ended: endOf(ended) }),
});

const endOf = ({ reason, evidence, endedAt }: NonNullable<Canary['ended']>) => ({
  ...{ reason, endedAt },
  ...(evidence === undefined ? {} : { evidence }),
});

const planOf = ({ plan, recipe, cutover, plannedAt, approved, started }: Plan) => ({
  ...chunkingOf(recipe),
  ...{ plan, embeddingVersion: recipe.embedding.version, cutover, plannedAt, approved: approved !== undefined },
  ...(started === undefined ? {} : { started }),
});

const verdictOf = ({ generation, against, verdict, reasons, evaluatedAt }: NonNullable<SwapStatus['evaluation']>) => ({
  ...{ generation, against, verdict, reasons, evaluatedAt },
});
