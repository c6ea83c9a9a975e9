import { z } from 'zod';

/** A schema with a name: the name of its type in the client and of its schema in the OpenAPI document. */
export const named = <Schema extends z.ZodType>(id: string, schema: Schema, description?: string): Schema =>
  schema.meta({ id, ...(description === undefined ? {} : { description }) });

/** An object without a name of its own. Callers get it read-only. */
export const part = <Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodReadonly<z.ZodObject<Shape, z.core.$strip>> =>
  z.object(shape).readonly();

/** An object that responses contain. */
export const view = <Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape, description?: string) =>
  named(id, part(shape), description);

export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** The fields of a view, for another view that has them too. */
export const fieldsOf = <Shape extends z.core.$ZodLooseShape>(of: z.ZodReadonly<z.ZodObject<Shape, z.core.$strip>>): Shape =>
  of.unwrap().shape;
