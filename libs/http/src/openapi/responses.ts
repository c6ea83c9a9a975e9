import { nameOf, problemCodesOf, referenceTo, RESPONSE_EXAMPLES, type JsonSchema, type RouteContract } from '@palimpsest/contracts/http';
import type { z } from 'zod';
import { exampleOf, problemName } from './problems.ts';
import { componentRef, headersOf, itemsOf } from './shared-parts.ts';

const SUCCESS: Readonly<Record<RouteContract['status'], string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted: the request is on the event log and is being processed',
  204: 'Done; the response has no body',
};

/** OpenAPI 3.1 treats a stream of lines or messages as one text; `contentSchema` describes one of them. */
const contentOf = (contract: RouteContract, response: z.ZodType): JsonSchema => {
  const example = RESPONSE_EXAMPLES[nameOf(contract)];
  const withExample = example === undefined ? {} : { example };
  const { stream } = contract;
  if (stream === undefined) return { 'application/json': { schema: referenceTo(response), ...withExample } };
  return { [stream]: { schema: itemsOf(stream, referenceTo(response)), ...withExample } };
};

const successOf = (contract: RouteContract): JsonSchema => {
  const { status, response } = contract;
  return {
    description: SUCCESS[status],
    headers: headersOf(contract, status),
    ...(response === undefined ? {} : { content: contentOf(contract, response) }),
  };
};

/** Several codes may share a status; the response of that status then documents all of them. */
const problemsOf = (contract: RouteContract): JsonSchema => {
  const byStatus = Map.groupBy(problemCodesOf(contract).map(exampleOf), ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => {
      const refs = same.map(({ code }) => componentRef('schemas', problemName(code)));
      const schema = refs.length === 1 ? refs[0] : { oneOf: refs };
      const examples = Object.fromEntries(same.map(({ code }) => [code, componentRef('examples', code)]));
      const description = same.map(({ code, title }) => `${code}: ${title}`).join('; ');
      return [status, { description, headers: headersOf(contract, status), content: { 'application/problem+json': { schema, examples } } }];
    }),
  );
};

/** All responses of a route, by status. */
export const responsesOf = (contract: RouteContract): JsonSchema => {
  const also = Object.entries(contract.also ?? {}).map(([status, schema]) => [
    status,
    {
      description: 'Not available at the moment',
      headers: headersOf(contract, Number(status)),
      content: { 'application/json': { schema: referenceTo(schema) } },
    },
  ]);
  return { [contract.status]: successOf(contract), ...Object.fromEntries(also), ...problemsOf(contract) };
};
