import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInput, parsePath } from '@palimpsest/contracts';
import type { InputOf, RouteContract } from '@palimpsest/contracts/http';
import { InvalidValue } from '@palimpsest/knowledge/errors';

type Given = Pick<FastifyRequest, 'params' | 'query' | 'headers' | 'body'>;

/** Parses a request by the contract of its route. @throws InvalidValue naming the first invalid value */
export const inputOf = <Contract extends RouteContract>(contract: Contract, request: Given): InputOf<Contract> => {
  const { params, query, headers, body } = contract;
  const input: InputOf<RouteContract> = {
    params: params && parsePath(params, request.params),
    query: query && parseInput(query, listed(query, request.query)),
    headers: headers && parseInput(headers, namedAs(headers, request.headers)),
    body: body && bodyOf(body, request),
  };
  // The schemas are those of the contract, which the compiler cannot follow through the general type.
  return input as InputOf<Contract>;
};

const innermost = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodReadonly
    ? innermost(schema.unwrap())
    : schema;

/** A parameter that is given once is not parsed as a list. */
const listed = ({ shape }: z.ZodObject, query: unknown): unknown =>
  Object.fromEntries(
    Object.entries(query ?? {}).map(([name, given]: [string, unknown]) => {
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, schema && typeof given === 'string' && innermost(schema) instanceof z.ZodArray ? [given] : given];
    }),
  );

/** The headers of the contract, under the names that it uses. */
const namedAs = ({ shape }: z.ZodObject, headers: FastifyRequest['headers']): unknown =>
  Object.fromEntries(
    Object.keys(shape).flatMap((name) => (headers[name.toLowerCase()] === undefined ? [] : [[name, headers[name.toLowerCase()]]])),
  );

const bodyOf = (body: NonNullable<RouteContract['body']>, request: Given): unknown => {
  if (body.kind === 'lines') return bytesOf(request.body);
  // The handler reads the parts of a form as they arrive.
  if (body.kind === 'documents' && request.headers['content-type']?.trim().toLowerCase().startsWith('multipart/form-data') === true)
    return undefined;
  if (body.kind === 'command' && body.optional === true) return parseInput(body.json, request.body === undefined ? {} : request.body);
  return parseInput(body.json, request.body);
};

/** The unparsed body: the parser for this content type does not read it. @throws InvalidValue */
const bytesOf = (body: unknown): AsyncIterable<Uint8Array> => {
  // Keep the connection open when reading stops early: it still has to carry the response.
  if (body instanceof Readable) return body.iterator({ destroyOnReturn: false });
  throw new InvalidValue('content-type', 'application/x-ndjson', body === undefined || body === null ? 'no body' : 'JSON');
};
