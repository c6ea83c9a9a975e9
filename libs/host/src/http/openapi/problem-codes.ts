/** Codes of individual routes, in addition to those of every route. */
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

/** Codes of every request that may have a body, even if the route does not read it. */
const BODY = ['TooLarge', 'UnsupportedMediaType'];

/** Codes of requests that are refused before routing. */
const BEFORE_ROUTING = ['InvalidValue', 'MisdirectedRequest', 'HeadersTooLarge'];

/** The problem codes that a route can return. */
export const problemCodesOf = (method: string, path: string): readonly string[] => {
  if (!path.startsWith('/v1/')) return [...BEFORE_ROUTING, ...(path === '/health/rag' ? ['Internal'] : [])];
  return [
    ...new Set([
      ...BEFORE_ROUTING,
      'Unauthenticated',
      'Forbidden',
      ...(path.includes('{') ? ['NotFound'] : []),
      ...(FURTHER[`${method} ${path}`] ?? []),
      ...(method === 'get' ? [] : BODY),
      // Every request may ask for a minimum position.
      'NotCaughtUp',
      'Overloaded',
      'Unavailable',
      'Corrupt',
      'Internal',
    ]),
  ];
};
