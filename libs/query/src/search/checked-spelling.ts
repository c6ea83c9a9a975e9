import type { Access } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { SearchRequest } from './search-request.ts';

/** @throws InvalidValue if a search with a key that sees only documents with certain labels asks for corrections, which need all words */
export const refuseSpelling = ({ requiredLabels }: Pick<Access, 'requiredLabels'>, { spelling }: Pick<SearchRequest, 'spelling'>): void => {
  if (spelling === true && requiredLabels !== undefined)
    throw new InvalidValue(
      'spelling',
      'false or missing, since this key has required labels: corrections would show words of documents that it does not see',
      spelling,
    );
};
