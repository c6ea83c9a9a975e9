import type { FleetPlanView } from '@palimpsest/client';
import { counted } from '../format/format.ts';
import { spaceOf } from '../swaps/plan-facts.ts';
import { duration } from '../swaps/swap-actions.ts';

type Sums = FleetPlanView['total'];

/** What a plan says in total, as pairs of name and value. */
export const sumsOf = ({
  scopes,
  documents,
  chunks,
  tokens,
  reusable,
  cost,
  seconds,
  bytes,
}: Sums): readonly (readonly [string, string])[] => [
  ['Contents', `${counted(scopes, 'scope')}, ${counted(documents, 'document')}, ${counted(chunks, 'chunk')}`],
  ['To embed', `${counted(tokens, 'token')}; ${counted(reusable, 'chunk')} with a vector of this model already`],
  ['Cost', costOf(cost) ?? 'unknown: the model has no price'],
  ['Time', seconds === undefined ? 'unknown: no sample was embedded' : `about ${duration(seconds)}, one scope after the other`],
  ['Space', spaceOf(bytes)],
];

export const costOf = (cost: number | undefined): string | undefined => (cost === undefined ? undefined : `$${cost.toFixed(4)}`);
