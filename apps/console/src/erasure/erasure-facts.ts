import type { ScopeErasure } from '@palimpsest/client';

type State = ScopeErasure['state'];

/** It goes on automatically, so the page looks again soon. */
export const isUnderWay = ({ state }: Readonly<{ state: State }>): boolean => state === 'requested' || state === 'erased';

/** First what is being erased, then what can be, then what is erased. */
export const ordered = (scopes: readonly ScopeErasure[]): readonly ScopeErasure[] =>
  scopes.toSorted((a, b) => rank(a) - rank(b) || a.scope.localeCompare(b.scope));

const rank = (view: ScopeErasure): number => (isUnderWay(view) ? 0 : 1 + Number(view.state === 'completed'));

export const STATE_TEXT: Readonly<Record<State, string>> = {
  none: '',
  requested: 'The key is about to be destroyed. This cannot be stopped.',
  erased:
    'The key is destroyed: searches find nothing, and nothing that is stored can be read. What was derived is being removed from the files.',
  completed: 'The key is destroyed, and what was derived is removed from the files. There is a signed receipt.',
};
