import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { problem } from '@palimpsest/runtime';
import { VERSION } from '../version.ts';
import { problemCodesOf } from './problem-codes.ts';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

const SUCCESS: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted: it is on the log, and being worked on',
  204: 'Done; there is no body',
};

const PROBLEM = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'urn:palimpsest:problem:<code>' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'one sentence for people' },
    code: { type: 'string', description: 'stable, for programs' },
    field: { type: 'string', description: 'of a value that is not valid: where it stands' },
    expected: { type: 'string', description: 'of a value that is not valid: what would be' },
    retryAfterSeconds: { type: 'integer', description: 'the same call may succeed after so many seconds' },
  },
};

/** What /openapi.json says. Everything under /v1 needs a key; every error is a problem. */
export const openApiDocument = (app: INestApplication): OpenAPIObject => {
  const about = new DocumentBuilder().setTitle('Palimpsest').setVersion(VERSION).addBearerAuth().addSecurityRequirements('bearer').build();
  const document = SwaggerModule.createDocument(app, about, { operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}.${method}` });
  const paths = Object.fromEntries(Object.entries(document.paths).map(([path, item]) => [path, withAnswers(path, item)]));
  return { ...document, paths, components: { ...document.components, schemas: { ...document.components?.schemas, Problem: PROBLEM } } };
};

const withAnswers = (path: string, item: OpenAPIObject['paths'][string]): OpenAPIObject['paths'][string] => {
  const answered = { ...item };
  for (const method of METHODS) {
    const operation = item[method];
    if (operation) answered[method] = withAnswersOf(method, path, operation);
  }
  return answered;
};

const withAnswersOf = (method: string, path: string, operation: Operation): Operation => {
  const successes = Object.entries(operation.responses).map(([status, answer]) => [status, { ...answer, description: SUCCESS[status] ?? 'Done' }]);
  const responses: Operation['responses'] = { ...Object.fromEntries(successes), ...problemAnswers(method, path, operation) };
  return { ...operation, ...withFiles(operation), responses, ...(path.startsWith('/v1/') ? {} : { security: [] }) };
};

/** A form has files where JSON has a text, and its fields are strings. */
const withFiles = ({ requestBody }: Operation): Pick<Operation, 'requestBody'> => {
  if (!requestBody || !('content' in requestBody) || !requestBody.content['multipart/form-data']) return {};
  const json = requestBody.content['application/json']?.schema;
  const { text: _text, ...fields } = json && 'properties' in json ? (json.properties ?? {}) : {};
  const form = {
    type: 'object',
    required: ['file'],
    properties: {
      ...fields,
      labels: { type: 'string', description: 'a JSON object of strings' },
      force: { type: 'string', enum: ['true', 'false'], default: 'false' },
      sourceId: { type: 'string', description: 'only with one file; else each file has its own name' },
      file: { type: 'array', items: { type: 'string', format: 'binary' }, description: 'behind the fields' },
    },
  };
  return { requestBody: { ...requestBody, content: { ...requestBody.content, 'multipart/form-data': { schema: form } } } };
};

/** Several codes may share a status: one answer then tells all of them. */
const problemAnswers = (method: string, path: string, operation: Operation): Operation['responses'] => {
  const problems = problemCodesOf(method, path, operation).map((code) => problem(code, ''));
  const byStatus = Map.groupBy(problems, ({ status }) => String(status));
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, { description: same.map(({ code, title }) => `${code}: ${title}`).join('; '), content }]));
};
