import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { VERSION } from '../../version.ts';
import { ANSWER_SCHEMAS, type JsonSchema } from './answer-schemas.ts';
import { answersOf } from './answers.ts';
import { NOTES, TAGS } from './notes/index.ts';
import { problemCodesOf } from './problem-codes.ts';
import { exampleOf, problemSchemas } from './problems.ts';
import { bodyOf, parametersOf, type Operation } from './requests.ts';
import { HEADERS, PARAMETERS } from './shared-parts.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
type PathItem = OpenAPIObject['paths'][string];

const DESCRIPTION = `Documents in, passages out, every fact on a log. Everything under \`/v1\` needs an API key; what a caller may not read does not exist for it.
Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`. Fields that are not known are refused. A path that is asked with a method it does not have answers \`405\` (code \`MethodNotAllowed\`) with the header \`Allow\`.`;

const BEARER = { type: 'http', scheme: 'bearer', bearerFormat: 'plk_…', description: 'An API key. It belongs to one tenant and holds roles, teams and a user; nothing in a request can widen that.' };

/** What /openapi.json says: what the controllers take, and what `notes` tell of them. */
export const openApiDocument = (app: INestApplication): OpenAPIObject => {
  const operationIdFactory = (controller: string, method: string): string => `${controller.replace('Controller', '')}.${method}`;
  const { paths: taken } = SwaggerModule.createDocument(app, new DocumentBuilder().build(), { operationIdFactory });
  const paths = Object.fromEntries(Object.entries(taken).map(([path, item]) => [path, describedPath(path, item)]));
  const codes = [...new Set(routesOf(paths).flatMap(([method, path]) => problemCodesOf(method, path)))];
  const components = {
    securitySchemes: { bearer: BEARER },
    parameters: PARAMETERS,
    headers: HEADERS,
    examples: Object.fromEntries(codes.map((code) => [code, { summary: exampleOf(code).title, value: exampleOf(code) }])),
    schemas: mentioned(paths, { ...ANSWER_SCHEMAS, ...problemSchemas(codes) }),
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

/** Of the schemas, those that what is described leads to. */
const mentioned = (paths: OpenAPIObject['paths'], schemas: Readonly<Record<string, JsonSchema>>): JsonSchema => {
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
