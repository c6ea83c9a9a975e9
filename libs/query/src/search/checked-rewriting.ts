import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Strategy } from '@palimpsest/knowledge/values';
import type { RecordedRewriting } from '../pipeline/rewriting.ts';

/** @throws InvalidValue if the search compares no vectors, which are all that a rewriting changes */
export const checkedRewriting = <Given extends Readonly<{ rewrite?: RecordedRewriting['by']; strategy?: Strategy }>>(
  given: Given,
): Given => {
  if (given.rewrite !== undefined && given.strategy === 'SparseOnly')
    throw new InvalidValue('rewrite', 'no rewriting of a search by words only', given.rewrite);
  return given;
};
