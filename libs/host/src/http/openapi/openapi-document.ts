import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '@palimpsest/runtime';
import { ANSWER_SCHEMAS, type JsonSchema } from './answer-schemas.ts';
import { answersOf } from './answers.ts';
import { NOTES, TAGS } from './notes/index.ts';
import { problemCodesOf } from './problem-codes.ts';
import { exampleOf, problemSchemas } from './problems.ts';
import { bodyOf, parametersOf, type Operation } from './requests.ts';
import { HEADERS, PARAMETERS } from './shared-parts.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
type PathItem = OpenAPIObject['paths'][string];

const DESCRIPTION = `Store documents, search them, and read the event log. Every route under \`/v1\` requires an API key. For a caller, anything that it may not read does not exist.
Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`. Unknown fields are refused. A method that a path does not support returns \`405\` (code \`MethodNotAllowed\`) with the header \`Allow\`.`;

const BEARER = { type: 'http', scheme: 'bearer', bearerFormat: 'plk_…', description: 'An API key. It belongs to one tenant and has roles, teams and a user. Nothing in a request can extend these rights.' };

/** The document at /openapi.json: routes from the controllers, descriptions from `notes`. */
export const openApiDocument = (app: INestApplication): OpenAPIObject => {
  const operationIdFactory = (controller: string, method: string): string => `${controller.replace('Controller', '')}.${method}`;
  const { paths: generatedPaths } = SwaggerModule.createDocument(app, new DocumentBuilder().build(), { operationIdFactory });
  const paths = Object.fromEntries(Object.entries(generatedPaths).map(([path, item]) => [path, describedPath(path, item)]));
  const codes = [...new Set(routesOf(paths).flatMap(([method, path]) => problemCodesOf(method, path)))];
  const components = {
    securitySchemes: { bearer: BEARER },
    parameters: PARAMETERS,
    headers: HEADERS,
    examples: Object.fromEntries(codes.map((code) => [code, { summary: exampleOf(code).title, value: exampleOf(code) }])),
    schemas: referencedSchemas(paths, { ...ANSWER_SCHEMAS, ...problemSchemas(codes) }),
  };
  const tags = [...new Set(routesOf(paths).map(([, , { tags: [tag = ''] = [] }]) => tag))].map((name) => ({ name, description: (TAGS as Readonly<Record<string, string>>)[name] ?? '' }));
  const info = { title: 'Palimpsest', version: VERSION, description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } };
  return { openapi: '3.1.1', info, servers: [{ url: '/' }], security: [{ bearer: [] }], tags, paths, components } as unknown as OpenAPIObject;
};

const routesOf = (paths: OpenAPIObject['paths']): readonly (readonly [method: string, path: string, operation: Operation])[] =>
  Object.entries(paths).flatMap(([path, item]) => METHODS.flatMap((method) => (item[method] ? [[method, path, item[method]] as const] : [])));

const describedPath = (path: string, item: PathItem): PathItem =>
  Object.fromEntries(METHODS.flatMap((method) => (item[method] ? [[method, described(method, path, item[method])]] : [])));

const described = (method: string, path: string, operation: Operation): JsonSchema => {
  const note = NOTES[`${method.toUpperCase()} ${path}`];
  const body = bodyOf(operation, note);
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    ...(note === undefined ? {} : { description: note.description }),
    tags: operation.tags,
    ...(note?.role === undefined ? {} : { 'x-palimpsest-role': note.role }),
    parameters: parametersOf(path, operation, note),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: answersOf(method, path, Object.keys(operation.responses), note),
    ...(path.startsWith('/v1/') ? {} : { security: [] }),
  };
};

/** The schemas that the paths reference, directly or indirectly. */
const referencedSchemas = (paths: OpenAPIObject['paths'], schemas: Readonly<Record<string, JsonSchema>>): JsonSchema => {
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
