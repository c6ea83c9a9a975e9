import { applyDecorators } from '@nestjs/common';
import { ApiQuery, type ApiBodyOptions } from '@nestjs/swagger';
import { z } from 'zod';

type SchemaObject = Extract<ApiBodyOptions, { schema: unknown }>['schema'];

/** JSON schema (OpenAPI 3.1) of a request as sent by the caller, before defaults and parsing. */
export const jsonSchema = (schema: z.ZodType): SchemaObject => {
  const { $schema: _dialect, ...converted } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    // Zod omits defaults of transformed values. Our transforms do not change the form of a default.
    override: ({ zodSchema, jsonSchema: node }) => {
      if (zodSchema instanceof z.ZodDefault) node.default = zodSchema.def.defaultValue;
      // `readonly` of TypeScript; in OpenAPI it would mean that callers must not send the value.
      delete node.readOnly;
    },
  });
  return converted as SchemaObject;
};

/** Documents the query parameters of a route from the schema that parses them. */
export const ApiQueries = (schema: z.ZodObject): MethodDecorator => {
  const { properties = {}, required = [] } = jsonSchema(schema) as { properties?: Record<string, SchemaObject>; required?: string[] };
  // Parameters with a default are optional.
  return applyDecorators(...Object.entries(properties).map(([name, each]) => ApiQuery({ name, required: required.includes(name), schema: each })));
};
