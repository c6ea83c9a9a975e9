import { ANSWER_EXAMPLES } from './answer-examples.ts';
import type { JsonSchema } from './answer-schemas.ts';
import type { OperationNote } from './notes/operation-note.ts';
import { problemCodesOf } from './problem-codes.ts';
import { exampleOf, problemName } from './problems.ts';
import { headersOf, itemsOf } from './shared-parts.ts';

const SUCCESS: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted: the request is on the event log and is being processed',
  204: 'Done; the response has no body',
};

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** OpenAPI 3.1 treats a stream of lines or messages as one text; `contentSchema` describes one of them. */
const contentOf = (route: string, { answer, stream }: OperationNote): JsonSchema => {
  const example = ANSWER_EXAMPLES[route];
  const withExample = example === undefined ? {} : { example };
  if (stream === undefined) return { 'application/json': { schema: ref(answer), ...withExample } };
  return { [stream]: { schema: itemsOf(stream, ref(answer)), ...withExample } };
};

const successOf = (route: string, path: string, status: string, note: OperationNote | undefined): JsonSchema => ({
  description: SUCCESS[status] ?? 'Done',
  headers: headersOf(path, Number(status)),
  ...(note === undefined || note.answer === 'nothing' ? {} : { content: contentOf(route, note) }),
});

/** Several codes may share a status; the response of that status then documents all of them. */
const problemsOf = (method: string, path: string): JsonSchema => {
  const byStatus = Map.groupBy(problemCodesOf(method, path).map(exampleOf), ({ status }) => status);
  return Object.fromEntries([...byStatus].map(([status, same]) => {
    const [first] = same;
    const schema = same.length === 1 && first !== undefined ? ref(problemName(first.code)) : { oneOf: same.map(({ code }) => ref(problemName(code))) };
    const examples = Object.fromEntries(same.map(({ code }) => [code, { $ref: `#/components/examples/${code}` }]));
    const description = same.map(({ code, title }) => `${code}: ${title}`).join('; ');
    return [status, { description, headers: headersOf(path, status), content: { 'application/problem+json': { schema, examples } } }];
  }));
};

/** All responses of a route. `statuses`: the success statuses that the controller declares. */
export const answersOf = (method: string, path: string, statuses: readonly string[], note: OperationNote | undefined): JsonSchema => {
  const route = `${method.toUpperCase()} ${path}`;
  const also = Object.entries(note?.also ?? {}).map(([status, name]) => [status, { description: 'Not available at the moment', headers: { ...headersOf(path, Number(status)) }, content: { 'application/json': { schema: ref(name) } } }]);
  return { ...Object.fromEntries(statuses.map((status) => [status, successOf(route, path, status, note)])), ...Object.fromEntries(also), ...problemsOf(method, path) };
};
