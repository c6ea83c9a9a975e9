/**
 * Generates the JSON schemas of the HTTP API's answers from the types that the client declares: one source for both. A schema
 * describes the present fields; later versions may add more.
 */
import { createGenerator } from 'ts-json-schema-generator';
import { inRoot } from '../setup/workspace.mjs';

const FILES = 'libs/client/src/views/*.ts';

/** Names a generic type with its argument: `Rates<null>` becomes RatesOrNull. */
const plain = (name) => name.replace(/<(\w)(\w*)>$/, (_, first, rest) => `Or${first.toUpperCase()}${rest}`);

/** Converts to the dialect of OpenAPI 3.1: tuples, references, open objects. */
const modern = (schema) => {
  if (Array.isArray(schema)) return schema.map(modern);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { items, additionalProperties, $ref, const: only, type, ...rest } = schema;
  const tuple = Array.isArray(items);
  return {
    ...($ref === undefined ? {} : { $ref: `#/components/schemas/${plain(decodeURIComponent($ref.replace('#/definitions/', '')))}` }),
    ...(type === undefined ? {} : { type }),
    ...(only === undefined ? {} : { enum: [only] }),
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, key === 'properties' ? mapped(value) : modern(value)])),
    ...(items === undefined ? {} : tuple ? { prefixItems: modern(items), items: false } : { items: modern(items) }),
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties: modern(additionalProperties) }),
  };
};

const mapped = (properties) => Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, modern(schema)]));

/** Keyed by the name of the type. */
export const answerSchemas = () => {
  const generator = createGenerator({
    path: inRoot(FILES), tsconfig: inRoot('libs/client/tsconfig.json'), type: '*', expose: 'export', jsDoc: 'extended', topRef: true, sortProps: false, additionalProperties: false, skipTypeCheck: true,
  });
  const { definitions } = generator.createSchema('*');
  const named = Object.entries(definitions).map(([name, schema]) => [plain(name), schema]).filter(([name]) => /^[A-Z]\w+$/.test(name) && name !== 'FileContent');
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => [name, modern(schema)]));
};

/** One type a line, so that diffs show changes. */
export const page = () =>
  [
    '/** Made by `npm run docs` out of the types in libs/client/src/views; change them there. */',
    'export type JsonSchema = Readonly<Record<string, unknown>>;',
    '',
    'export const ANSWER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {',
    ...Object.entries(answerSchemas()).map(([name, schema]) => `  ${name}: ${JSON.stringify(schema)},`),
    '};',
  ].join('\n');
