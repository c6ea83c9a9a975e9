import type { Role } from '@palimpsest/knowledge';

type Example = Readonly<{
  /** Values for the path's parameters, query parameters and headers, by their names. */
  parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  /** By content type; lines of JSON and forms are told as the objects that they are made of. */
  body?: Readonly<Record<string, unknown>>;
}>;

/** What a description says of a route beside what its controller knows: what it answers, who may ask, and an example that works. */
export type OperationNote = Readonly<{
  /** The name of a type of the client; `nothing`: there is no body. */
  answer: string;
  /** Unless JSON: a stream of server-sent events, or lines, each of which is an `answer`. */
  stream?: 'text/event-stream' | 'application/x-ndjson';
  /** The least role without which it refuses. Missing: every key is answered, by what it may see. */
  role?: Role;
  /** More than the summary: when to use it, what it promises. */
  description: string;
  /** Another answer of the route's own, beside problems. */
  also?: Readonly<Record<number, string>>;
  example?: Example;
}>;

/** By method and path, as OpenAPI writes it: `GET /v1/documents/{id}`. */
export type OperationNotes = Readonly<Record<string, OperationNote>>;
