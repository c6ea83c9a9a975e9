import type { OpenAPIObject } from '@nestjs/swagger';
import type { JsonSchema } from './answer-schemas.ts';
import type { OperationNote } from './notes/operation-note.ts';
import { itemsOf, parameter } from './shared-parts.ts';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Parameter = Readonly<{ name: string; in: string; schema?: JsonSchema; description?: string }>;

/** Patterns of ids in paths, for routes that parse them in their own code. */
const PATH_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  'documents/{id}': { type: 'string', pattern: '^[0-9a-f]{32}$' },
  'knowledge-bases/{id}': { type: 'string', pattern: '^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$' },
  'events/{position}': { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' },
  'tenants/{tenant}': { type: 'string', pattern: '^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$' },
  'generations/{generation}': { type: 'string', pattern: '^g[1-9][0-9]{0,5}$' },
  '{scope}': { type: 'string', pattern: '^(platform|deployment|(team|user):[A-Za-z0-9]([A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?)$' },
};

const schemaOf = (path: string, { name, schema = {} }: Parameter): JsonSchema => {
  const known = Object.entries(PATH_PARAMETERS).find(([pathPattern]) => pathPattern.endsWith(`{${name}}`) && path.includes(pathPattern))?.[1];
  return known ?? schema;
};

/** The parameters of the controller, with examples, and the headers that every request may have. */
export const parametersOf = (path: string, operation: Operation, note: OperationNote | undefined): readonly JsonSchema[] => {
  const examples = note?.example?.parameters ?? {};
  const own = (operation.parameters ?? []).map((each) => {
    const declared = each as Parameter;
    const example = examples[declared.name];
    return { ...declared, ...(declared.in === 'path' ? { schema: schemaOf(path, declared) } : {}), ...(example === undefined ? {} : { example }) };
  });
  return [...own, parameter('RequestId'), ...(path.startsWith('/v1/') ? [parameter('AtLeast')] : [])];
};

/** A form has files instead of the text of JSON, and its fields are strings. */
const formOf = (json: JsonSchema): JsonSchema => {
  const { text: _text, ...fields } = (json['properties'] ?? {}) as Record<string, JsonSchema>;
  return {
    type: 'object',
    required: ['file'],
    properties: {
      ...fields,
      labels: { type: 'string', description: 'a JSON object of strings' },
      force: { type: 'string', enum: ['true', 'false'], default: 'false' },
      sourceId: { ...fields['sourceId'], description: 'only for a single file; several files are named by their file names' },
      file: { type: 'array', items: { type: 'string', format: 'binary' }, description: 'the files, after all other fields' },
    },
  };
};

/** For each content type: the schema and a working example. */
export const bodyOf = ({ requestBody }: Operation, note: OperationNote | undefined): JsonSchema | undefined => {
  if (!requestBody || !('content' in requestBody)) return undefined;
  const { content } = requestBody;
  const json = (content['application/json']?.schema ?? {}) as JsonSchema;
  const of = ([type, { schema = {} }]: readonly [string, { schema?: object }]): [string, JsonSchema] => {
    const example = note?.example?.body?.[type];
    const withExample = example === undefined ? {} : { example };
    if (type === 'application/x-ndjson') return [type, { schema: itemsOf(type, { $ref: '#/components/schemas/ExportRecord' }), ...textOf(example) }];
    return [type, { schema: type === 'multipart/form-data' ? formOf(json) : schema, ...withExample }];
  };
  return { ...requestBody, required: true, content: Object.fromEntries(Object.entries(content).map(of)) };
};

const textOf = (lines: unknown): JsonSchema => (Array.isArray(lines) ? { example: lines.map((line) => `${JSON.stringify(line)}\n`).join('') } : {});
