/** What only some routes can answer with, beside what every route can. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  'post /v1/documents': ['NotFound', 'Conflict', 'TooLarge', 'UnsupportedMediaType', 'QuotaExceeded', 'RateLimited'],
  'put /v1/documents/{id}': ['Conflict', 'TooLarge', 'UnsupportedMediaType', 'QuotaExceeded', 'RateLimited'],
  'delete /v1/documents/{id}': ['Conflict', 'NotCaughtUp', 'RateLimited'],
  'get /v1/documents': ['NotFound'],
  'get /v1/documents/live': ['NotFound', 'QuotaExceeded'],
  'get /v1/events': ['NotFound'],
  'get /v1/events/live': ['NotFound', 'QuotaExceeded'],
  'post /v1/documents/{id}/retry': ['Conflict', 'QuotaExceeded', 'RateLimited'],
  'post /v1/knowledge-bases': ['NotFound', 'Conflict', 'QuotaExceeded', 'RateLimited'],
  'patch /v1/knowledge-bases/{id}': ['Conflict', 'RateLimited'],
  'post /v1/knowledge-bases/{id}/archive': ['Conflict', 'RateLimited'],
  'post /v1/knowledge-bases/{id}/pause': ['Conflict', 'RateLimited'],
  'post /v1/knowledge-bases/{id}/resume': ['Conflict', 'RateLimited'],
  'post /v1/search': ['NotFound', 'EmbeddingModelMismatch', 'NotCaughtUp', 'Unavailable', 'QuotaExceeded', 'RateLimited'],
  'post /v1/context': ['NotFound', 'EmbeddingModelMismatch', 'NotCaughtUp', 'Unavailable', 'QuotaExceeded', 'RateLimited'],
  'post /v1/scopes/{scope}/reembed': ['Conflict', 'NotCaughtUp', 'RateLimited'],
  'post /v1/scopes/{scope}/generations/{generation}/retire': ['Conflict', 'RateLimited'],
  'post /v1/imports/{scope}': ['Conflict', 'EmbeddingModelMismatch', 'QuotaExceeded', 'RateLimited'],
  'post /v1/imports/{scope}/documents': ['EmbeddingModelMismatch', 'UnsupportedMediaType', 'RateLimited'],
  'post /v1/admin/rebuild': ['Unavailable'],
  'post /v1/admin/verify': ['Unavailable'],
};

/** What every request that may have a body can be refused for, whether the route reads it or not. */
const BODY = ['TooLarge', 'UnsupportedMediaType'];

/** What is refused before it comes to any route. */
const ANY = ['InvalidValue', 'MisdirectedRequest', 'HeadersTooLarge'];

/** The codes with which a route may refuse, by what it takes and where it lies. */
export const problemCodesOf = (method: string, path: string): readonly string[] => {
  if (!path.startsWith('/v1/')) return [...ANY, ...(path === '/health/rag' ? ['Internal'] : [])];
  return [
    ...new Set([
      ...ANY,
      'Unauthenticated',
      'Forbidden',
      ...(path.includes('{') ? ['NotFound'] : []),
      ...(FURTHER[`${method} ${path}`] ?? []),
      ...(method === 'get' ? [] : BODY),
      // Any request may ask for at least a position.
      'NotCaughtUp',
      'Overloaded',
      'Unavailable',
      'Corrupt',
      'Internal',
    ]),
  ];
};
