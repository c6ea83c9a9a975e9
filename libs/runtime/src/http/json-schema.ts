import { applyDecorators } from '@nestjs/common';
import { ApiQuery, type ApiBodyOptions } from '@nestjs/swagger';
import { z } from 'zod';

type SchemaObject = Extract<ApiBodyOptions, { schema: unknown }>['schema'];

/** The JSON schema (that of OpenAPI 3.1) of a request, as a caller writes it (before defaults and parsing). */
export const jsonSchema = (schema: z.ZodType): SchemaObject => {
  const { $schema: _dialect, ...told } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    // Left out by zod where a value is parsed further; ours read the same before and after.
    override: ({ zodSchema, jsonSchema: told }) => {
      if (zodSchema instanceof z.ZodDefault) told.default = zodSchema.def.defaultValue;
      // Of TypeScript's kind; to OpenAPI it would mean that no caller may send it.
      delete told.readOnly;
    },
  });
  return told as SchemaObject;
};

/** Describes every query parameter of a route by the schema that reads them. */
export const ApiQueries = (schema: z.ZodObject): MethodDecorator => {
  const { properties = {}, required = [] } = jsonSchema(schema) as { properties?: Record<string, SchemaObject>; required?: string[] };
  // A parameter is the caller's to leave out when it has a default.
  return applyDecorators(...Object.entries(properties).map(([name, each]) => ApiQuery({ name, required: required.includes(name), schema: each })));
};
