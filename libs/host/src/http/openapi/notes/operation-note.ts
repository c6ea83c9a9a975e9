import type { Role } from '@palimpsest/knowledge';

type Example = Readonly<{
  /** Values for the path's parameters, query parameters and headers, by their names. */
  parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  /** By content type. Lines of JSON and forms are given as objects. */
  body?: Readonly<Record<string, unknown>>;
}>;

/** Documentation of a route that is not in its controller: the response, the required role, and a working example. */
export type OperationNote = Readonly<{
  /** Name of a type of the client; `nothing` if there is no body. */
  answer: string;
  /** If the response is not JSON: a stream of server-sent events or lines, each of which is an `answer`. */
  stream?: 'text/event-stream' | 'application/x-ndjson';
  /** The minimum role. Without it, every key may call the route and sees what it may read. */
  role?: Role;
  /** In addition to the summary: when to use the route, and what it guarantees. */
  description: string;
  /** Further responses of the route that are not problems, by status. */
  also?: Readonly<Record<number, string>>;
  example?: Example;
}>;

/** By method and path in OpenAPI notation: `GET /v1/documents/{id}`. */
export type OperationNotes = Readonly<Record<string, OperationNote>>;
