import type { z } from 'zod';
import { jsonSchemaOf, referenceTo, type JsonSchema, type RouteContract } from '@palimpsest/contracts/http';
import { FORM_TYPE, JSON_TYPE, LINES_TYPE } from '../bodies/body-rules.ts';
import { componentRef, itemsOf } from './shared-parts.ts';

type Properties = Readonly<{ properties?: Readonly<Record<string, JsonSchema>>; required?: readonly string[] }>;

const parametersIn = (
  place: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
  examples: Readonly<Record<string, unknown>>,
): readonly JsonSchema[] => {
  if (schema === undefined) return [];
  const { properties = {}, required = [] }: Properties = jsonSchemaOf(schema);
  return Object.entries(properties).map(([given, { description, ...property }]) => {
    // The names of headers have no case; the document has them in lower case.
    const name = place === 'header' ? given.toLowerCase() : given;
    const example = examples[name];
    // Parameters with a default are optional.
    return {
      name,
      in: place,
      required: required.includes(given),
      schema: property,
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example }),
    };
  });
};

/** The parameters of a route, and the headers that every request may have. */
export const parametersOf = (contract: RouteContract): readonly JsonSchema[] => {
  const examples = contract.example?.parameters ?? {};
  return [
    ...parametersIn('path', contract.params, examples),
    ...parametersIn('query', contract.query, examples),
    ...parametersIn('header', contract.headers, examples),
    componentRef('parameters', 'RequestId'),
    ...(contract.public === true ? [] : [componentRef('parameters', 'AtLeast')]),
  ];
};

const FILES = { type: 'array', items: { type: 'string', format: 'binary' }, description: 'the files, after all other fields' };

const formOf = (form: z.ZodObject): JsonSchema => {
  const { properties, ...schema }: Properties = jsonSchemaOf(form);
  return { ...schema, required: ['file'], properties: { ...properties, file: FILES } };
};

const withExample = (schema: JsonSchema, example: unknown): JsonSchema => ({ schema, ...(example === undefined ? {} : { example }) });

const textOf = (lines: unknown): string | undefined =>
  Array.isArray(lines) ? lines.map((line) => `${JSON.stringify(line)}\n`).join('') : undefined;

/** For each content type: the schema and a working example. */
export const bodyOf = ({ body, example }: RouteContract): JsonSchema | undefined => {
  if (body === undefined) return undefined;
  const examples = example?.body ?? {};
  const content =
    body.kind === 'lines'
      ? { [LINES_TYPE]: withExample(itemsOf(LINES_TYPE, referenceTo(body.line)), textOf(examples[LINES_TYPE])) }
      : {
          [JSON_TYPE]: withExample(jsonSchemaOf(body.json), examples[JSON_TYPE]),
          ...(body.kind === 'documents' ? { [FORM_TYPE]: withExample(formOf(body.form), examples[FORM_TYPE]) } : {}),
        };
  return { required: !(body.kind === 'command' && body.optional === true), content };
};
