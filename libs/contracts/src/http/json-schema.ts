import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

const refTo = (id: string): string => `#/components/schemas/${id}`;

/** Conversions that apply to requests and responses. `input`: the form that is sent, before defaults and parsing. */
const OPTIONS = {
  target: 'draft-2020-12',
  io: 'input',
  unrepresentable: 'any',
  // Zod omits defaults of transformed values. Our transforms do not change the form of a default.
  override: ({ zodSchema, jsonSchema: node }: Readonly<{ zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }>) => {
    if (zodSchema instanceof z.ZodDefault) node.default = zodSchema.def.defaultValue;
    // `readonly` of TypeScript; in OpenAPI it would mean that callers must not send the value.
    delete node.readOnly;
  },
} as const;

/** The JSON schema (OpenAPI 3.1) of a schema without a name. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema => {
  const { $schema: _dialect, $defs: _named, ...converted } = z.toJSONSchema(schema, OPTIONS);
  // Named schemas are components of the document.
  return JSON.parse(JSON.stringify(converted).replaceAll('"#/$defs/', `"${refTo('')}`)) as JsonSchema;
};

/** A named schema as a reference, any other one in full. */
export const referenceTo = (schema: z.ZodType): JsonSchema => {
  const id = schema.meta()?.id;
  return id === undefined ? jsonSchemaOf(schema) : { $ref: refTo(id) };
};

/** All named schemas, by name. */
export const namedSchemas = (): Readonly<Record<string, JsonSchema>> => {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...OPTIONS, uri: refTo });
  return Object.fromEntries(Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [name, schema]));
};
