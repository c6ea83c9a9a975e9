import type { z } from 'zod';
import type { Operation } from '@palimpsest/knowledge/messages';
import type { ProblemCode } from './problems.ts';
import type { Tag } from './tags.ts';

/** The service that owns a route when the features run as services. Routes of `every` service describe the process that responds. */
export const SERVICES = ['ingestion', 'reembedding', 'query'] as const;
export type Service = (typeof SERVICES)[number];

/** Kind of request body: a small JSON command, a large one, documents (JSON or a form), or streamed lines of JSON. */
export type BodyKind = 'command' | 'large-command' | 'documents' | 'lines';

/** `optional`: a request without a body counts as one with an empty object. */
type JsonBody = Readonly<{ kind: 'command'; json: z.ZodType; optional?: true }> | Readonly<{ kind: 'large-command'; json: z.ZodType }>;
/** `form`: the fields of a multipart form, which come before its files. */
type DocumentsBody = Readonly<{ kind: 'documents'; json: z.ZodType; form: z.ZodObject }>;
/** `line`: describes one line. The handler reads the lines, since they may be larger than the memory. */
type LinesBody = Readonly<{ kind: 'lines'; line: z.ZodType }>;
export type Body = JsonBody | DocumentsBody | LinesBody;

type Example = Readonly<{
  /** Values for the path's parameters, query parameters and headers, by their names in the OpenAPI document. */
  parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  /** By content type. Lines of JSON and forms are given as objects. */
  body?: Readonly<Record<string, unknown>>;
}>;

/** What concerns only HTTP. */
type HttpContract = Readonly<{
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** In the notation of OpenAPI: `/v1/documents/{id}`. */
  path: `/${string}`;
  service: Service | 'every';
  tag: Tag;
  summary: string;
  /** In addition to the summary: when to use the route, and what it guarantees. */
  description: string;
  /** Requires no API key. */
  public?: true;
  /** For the operators of the installation: a public ingress does not serve it. */
  internal?: true;
  params?: z.ZodObject;
  /** Each parameter is a string, or a list of strings if it may be repeated. */
  query?: z.ZodObject;
  /** By name in its usual form: `If-Match`. */
  headers?: z.ZodObject;
  body?: Body;
  /** Status of the successful response. */
  status: 200 | 201 | 202 | 204;
  /** The body of the successful response, or one item of a stream. Missing if there is no body. */
  response?: z.ZodType;
  /** If the response is a stream of server-sent events or of lines of JSON, each of which is a `response`. */
  stream?: 'text/event-stream' | 'application/x-ndjson';
  /** Further responses that are not problems, by status. */
  also?: Readonly<Record<number, z.ZodType>>;
  /** Problem codes, in addition to those that follow from the rest of the contract. */
  problems?: readonly ProblemCode[];
  example?: Example;
}>;

/**
 * All that is known of a route: the compiler, the HTTP edge, the OpenAPI document and the route tables of gateways use this value. The
 * command or query behind the route is described by the same value.
 */
export type RouteContract = Operation & HttpContract;

export const route = <const Contract extends RouteContract>(contract: Contract): Contract => contract;

export const json = <Schema extends z.ZodType>(schema: Schema) => ({ kind: 'command', json: schema }) as const;
export const optionalJson = <Schema extends z.ZodType>(schema: Schema) => ({ kind: 'command', json: schema, optional: true }) as const;
export const largeJson = <Schema extends z.ZodType>(schema: Schema) => ({ kind: 'large-command', json: schema }) as const;
export const documents = <Schema extends z.ZodType, Form extends z.ZodObject>(schema: Schema, form: Form) =>
  ({ kind: 'documents', json: schema, form }) as const;
export const lines = <Schema extends z.ZodType>(line: Schema) => ({ kind: 'lines', line }) as const;
