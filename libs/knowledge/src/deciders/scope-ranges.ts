import { Conflict } from '../errors.ts';
import { DOCUMENT_RANGES } from '../values/document-range.ts';
import type { VectorScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';
import type { Scope } from './scope-state.ts';

/** What an event says about ranges: nothing, if there are as many as always. */
export const divided = (ranges = DOCUMENT_RANGES): Readonly<{ ranges?: number }> => (ranges === DOCUMENT_RANGES ? {} : { ranges });

/** What keeps a generation from being activated. */
export const notBuilt = (state: Scope, generation: GenerationId, scope: VectorScope): Conflict => {
  const swap = state.swap?.generation === generation ? state.swap : undefined;
  const { ranges, rangeCount } = swap ?? { ranges: new Map(), rangeCount: DOCUMENT_RANGES };
  const missing =
    ranges.size < rangeCount
      ? `${rangeCount - ranges.size} of ${rangeCount} ranges of documents are not embedded yet`
      : 'the final check for missing vectors is not complete';
  return new Conflict(`generation ${generation} of scope "${scope}" is not built: ${missing}${swap?.paused ? '; the swap is paused' : ''}`);
};
