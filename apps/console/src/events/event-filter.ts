import type { EventFilter } from '@palimpsest/client';

/** Names of the filters in the page's address. */
export const FILTERS = ['type', 'stream', 'document', 'kb', 'scope'] as const;
export type FilterName = (typeof FILTERS)[number];

const textOf = (parameters: URLSearchParams, name: FilterName): string | undefined => parameters.get(name)?.trim() || undefined;

/** Types are entered as a list: `DocumentIndexed, DocumentFailed`. */
export const eventFilterOf = (parameters: URLSearchParams): EventFilter => {
  const types =
    parameters
      .get('type')
      ?.split(/[\s,]+/)
      .filter((type) => type !== '') ?? [];
  return {
    ...(types.length === 0 ? {} : { types }),
    stream: textOf(parameters, 'stream'),
    document: textOf(parameters, 'document'),
    knowledgeBase: textOf(parameters, 'kb'),
    scope: textOf(parameters, 'scope'),
  };
};
