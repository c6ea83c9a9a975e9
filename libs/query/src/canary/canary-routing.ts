import { createHash } from 'node:crypto';
import { scopeKey } from '@palimpsest/knowledge/values';
import type { Access } from '@palimpsest/knowledge/access';
import type { GenerationId, Position, TenantScope } from '@palimpsest/knowledge/values';
import type { SearchRequest } from '../search/search-request.ts';

/** Decides which callers are served by a generation before its cut-over. */
export interface CanaryRouting {
  /** The generation that serves this caller instead of the active one, for a view at this position. Undefined: the active one does. */
  generationFor(scope: TenantScope, caller: string, at: Position): GenerationId | undefined;
}

export const NO_CANARIES: CanaryRouting = { generationFor: () => undefined };

/**
 * Who stays on one side of a canary: a conversation if the search names one, else the user of the key, else the key. Never the request:
 * a person would then see two models in turn.
 */
export const callerOf = (access: Pick<Access, 'user' | 'actor'>, { conversation }: Pick<SearchRequest, 'conversation'>): string => {
  if (conversation !== undefined) return `conversation:${conversation}`;
  return access.user === undefined ? access.actor : `user:${access.user}`;
};

/**
 * The place of a caller among all callers of a generation, from 0 up to but not including 100. It depends on nothing else, so every replica
 * computes the same, and a larger share contains every smaller one. Another generation has another order, so that not always the same
 * callers come first.
 */
export const placeOf = (scope: TenantScope, generation: GenerationId, caller: string): number => {
  const digest = createHash('sha256')
    .update(JSON.stringify([scopeKey(scope), generation, caller]))
    .digest();
  return (digest.readUIntBE(0, 6) / 2 ** 48) * 100;
};
