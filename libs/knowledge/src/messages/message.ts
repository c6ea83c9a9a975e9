import type { Access, Role } from '../access/access.ts';
import type { Location } from '../access/assert-visible.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Operation } from './operation.ts';

/** Who sends a message. */
export type Caller = Readonly<{
  /** The result of authentication. */
  access: Access;
  /** Recorded with all events that the message causes. */
  correlationId: string;
  /** The process itself. Quotas apply; rate limits, which protect the process from callers, do not. */
  internal?: true;
}>;

/** What the pipeline around the buses checks, in addition to the description of the operation. */
export type Checks<Input, Result> = Readonly<{
  /** A role that depends on the input, in addition to that of the operation. */
  role?: (input: Input, access: Access) => Role | undefined;
  /** The scopes that the input names: one that the caller may not read is refused like one that does not exist. */
  scopes?: (input: Input) => readonly VectorScope[];
  /** The rows of the result, each of which must be visible to the caller. */
  shows?: (result: Result) => Iterable<Location>;
}>;

/** A query says which rows its result has, or `NO_ROWS`: a forgotten check does not compile. */
export type QueryChecks<Input, Result> = Checks<Input, Result> & Required<Pick<Checks<Input, Result>, 'shows'>>;

/** For results without rows of a scope, and for streams, which check each row when they send it. */
export const NO_ROWS = { shows: (): readonly Location[] => [] } as const;

declare const RESULT: unique symbol;

/** A command or a query with the caller who sends it. */
export abstract class Message<Input, Result> {
  readonly access: Access;
  readonly correlationId: string;
  readonly internal: boolean;
  readonly input: Input;
  /** Only a type: what the handler returns. */
  declare readonly [RESULT]: Result;

  constructor({ access, correlationId, internal }: Caller, input: Input) {
    this.access = access;
    this.correlationId = correlationId;
    this.internal = internal === true;
    this.input = input;
  }
}

/** The class of a message, with its description. */
export type MessageClass<Input, Result> = Readonly<{
  kind: 'command' | 'query';
  operation: Operation;
  checks: Checks<Input, Result>;
}> &
  (new (caller: Caller, input: Input) => Message<Input, Result>);

/** The class of any message. */
export type AnyMessageClass = Readonly<{ name: string; kind: 'command' | 'query'; operation: Operation; checks: Checks<never, never> }> &
  (new (caller: Caller, input: never) => Message<unknown, unknown>);

/** The base of a command: something changes. `class DeleteDocument extends command<Input, Result>(deleteDocument) {}` */
export const command = <Input, Result>(operation: Operation, checks: Checks<Input, Result> = {}): MessageClass<Input, Result> =>
  class extends Message<Input, Result> {
    static readonly kind = 'command';
    static readonly operation = operation;
    static readonly checks = checks;
  };

/** The base of a query: nothing changes, except that retrievals are recorded. */
export const query = <Input, Result>(operation: Operation, checks: QueryChecks<Input, Result>): MessageClass<Input, Result> =>
  class extends Message<Input, Result> {
    static readonly kind = 'query';
    static readonly operation = operation;
    static readonly checks = checks;
  };
