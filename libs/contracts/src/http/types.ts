import type { z } from 'zod';
import type { RouteContract } from './route.ts';

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** `undefined` for a form: the handler reads its parts. */
type BodyOf<Body> = Body extends { kind: 'lines' }
  ? AsyncIterable<Uint8Array>
  : Body extends { kind: 'documents'; json: infer Json }
    ? OutputOf<Json> | undefined
    : Body extends { json: infer Json }
      ? OutputOf<Json>
      : undefined;

/** What a handler receives of a request: parsed by the contract. */
export type InputOf<Contract extends RouteContract> = Readonly<{
  params: OutputOf<Contract['params']>;
  query: OutputOf<Contract['query']>;
  headers: OutputOf<Contract['headers']>;
  body: BodyOf<Contract['body']>;
}>;

/** What a handler returns. A stream is sent by the handler itself. */
export type ResponseOf<Contract extends RouteContract> = Contract extends { stream: string }
  ? void
  : Contract extends { response: infer Response }
    ? Response extends z.ZodType
      ? z.input<Response>
      : never
    : void;

type Primitive = string | number | boolean | bigint | null | undefined;
type KeysOf<Value> = Value extends unknown ? keyof Value : never;
type At<Value, Key> = Value extends unknown ? (Key extends keyof Value ? Value[Key] : never) : never;

/**
 * The names of fields that a value has and its declared type does not, at any place in it (down to a depth that types which contain
 * themselves never exceed). `never` if there are none. Otherwise a handler could return, for example, the tenant of a row by accident.
 */
export type Undeclared<Given, Declared, Depth extends readonly unknown[] = []> = Depth['length'] extends 6
  ? never
  : unknown extends Declared
    ? never
    : Given extends Primitive
      ? never
      : Given extends readonly (infer Item)[]
        ? Undeclared<Item, Extract<Declared, readonly unknown[]>[number], [...Depth, unknown]>
        : {
            [Name in keyof Given]-?: Name extends KeysOf<Exclude<Declared, Primitive>>
              ? Undeclared<Given[Name], At<Exclude<Declared, Primitive>, Name>, [...Depth, unknown]>
              : Name;
          }[keyof Given];

/** An optional field may also be given as `undefined`. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: object extends Pick<Value, Name> ? Sent<Value[Name]> | undefined : Sent<Value[Name]> }
    : Value;

/** A JSON body as a caller sends it, before defaults and parsing. */
export type BodySentTo<Contract extends RouteContract> = Contract['body'] extends { json: infer Json }
  ? Json extends z.ZodType
    ? Sent<z.input<Json>>
    : never
  : never;

/** A line of a body of lines, as a caller sends it. */
export type LineSentTo<Contract extends RouteContract> = Contract['body'] extends { line: infer Line }
  ? Line extends z.ZodType
    ? Sent<z.input<Line>>
    : never
  : never;

type Flags<Query> = {
  readonly [Name in keyof Query]: Exclude<Query[Name], undefined> extends 'true' | 'false' ? boolean | undefined : Query[Name];
};

/** Query parameters as a caller gives them to a client, which writes them into the address. */
export type QuerySentTo<Contract extends RouteContract> = Contract['query'] extends z.ZodType
  ? Flags<Sent<z.input<Contract['query']>>>
  : never;
