/** Every problem code, with its status and title. Codes are stable. */
export const PROBLEMS = {
  InvalidValue: [400, 'Invalid request'],
  Unauthenticated: [401, 'API key required'],
  Forbidden: [403, 'Not allowed for this API key'],
  NotFound: [404, 'Not found'],
  MethodNotAllowed: [405, 'Method not allowed'],
  Conflict: [409, 'Conflict'],
  TooLarge: [413, 'Request body too large'],
  UnsupportedMediaType: [415, 'Unsupported media type'],
  RequestTimeout: [408, 'Request timeout'],
  MisdirectedRequest: [421, 'Misdirected request'],
  HeadersTooLarge: [431, 'Header fields too large'],
  EmbeddingModelMismatch: [409, 'Embedding model mismatch'],
  QuotaExceeded: [403, 'Quota exceeded'],
  Overloaded: [429, 'Overloaded'],
  RateLimited: [429, 'Too many requests'],
  NotCaughtUp: [503, 'Read models are behind'],
  Unavailable: [503, 'Service unavailable'],
  HistoryRemoved: [410, 'History removed'],
  ScopeKeyDestroyed: [410, 'Scope erased'],
  Corrupt: [500, 'Stored data is damaged'],
  Internal: [500, 'Internal error'],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);
