import { namedSchemas, problemCodesOf, ROUTES, TAGS, type JsonSchema, type RouteContract } from '@palimpsest/contracts/http';
import { VERSION } from '@palimpsest/foundation/version';
import { exampleOf, problemSchemas } from './problems.ts';
import { bodyOf, parametersOf } from './requests.ts';
import { responsesOf } from './responses.ts';
import { HEADERS, PARAMETERS } from './shared-parts.ts';

type Operation = Readonly<{ operationId: string; summary: string; description: string; tags: readonly string[] } & JsonSchema>;
/** The document, as far as this program reads it. */
export type OpenApiDocument = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }> & JsonSchema;

const DESCRIPTION = `Store documents, search them, and read the event log. Every route under \`/v1\` requires an API key. For a caller, anything that it may not read does not exist.
Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`. Unknown fields are refused. A method that a path does not support returns \`405\` (code \`MethodNotAllowed\`) with the header \`Allow\`.`;

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'plk_…',
  description: 'An API key. It belongs to one tenant and has roles, teams and a user. Nothing in a request can extend these rights.',
};

/** The document at /openapi.json. */
export const openApiDocument = (routes: readonly RouteContract[] = ROUTES): OpenApiDocument => {
  const paths = Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, same]) => [
      path,
      Object.fromEntries(same.map((contract) => [contract.method, operationOf(contract)])),
    ]),
  );
  const codes = [...new Set(routes.flatMap(problemCodesOf))];
  const components = {
    securitySchemes: { bearer: BEARER },
    parameters: PARAMETERS,
    headers: HEADERS,
    examples: Object.fromEntries(codes.map((code) => [code, { summary: exampleOf(code).title, value: exampleOf(code) }])),
    schemas: referencedSchemas(paths, { ...namedSchemas(), ...problemSchemas(codes) }),
  };
  const tags = [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] }));
  const info = {
    title: 'Palimpsest',
    version: VERSION,
    description: DESCRIPTION,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  };
  return { openapi: '3.1.1', info, servers: [{ url: '/' }], security: [{ bearer: [] }], tags, paths, components };
};

const operationOf = (contract: RouteContract): Operation => {
  const body = bodyOf(contract);
  const { id, summary, description, tag, role, orRole, limitedByLabels } = contract;
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    ...(role === undefined ? {} : { 'x-palimpsest-role': role }),
    ...(limitedByLabels === true ? { 'x-palimpsest-limited-by-labels': true } : {}),
    ...(orRole === undefined ? {} : { 'x-palimpsest-or-role': orRole }),
    parameters: parametersOf(contract),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(contract),
    ...(contract.public === true ? { security: [] } : {}),
  };
};

/** The schemas that the paths reference, directly or indirectly. */
const referencedSchemas = (paths: OpenApiDocument['paths'], schemas: Readonly<Record<string, JsonSchema>>): JsonSchema => {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name] ?? {});
    }
  };
  visit(paths);
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name]]));
};
