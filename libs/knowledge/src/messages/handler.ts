import type { AnyMessageClass, Message, MessageClass } from './message.ts';

/** What a use case does with a message. */
export type Handler = Readonly<{ message: AnyMessageClass; run: (message: never) => unknown }>;

/** A use case says which messages it handles. */
export type UseCase = Readonly<{ handlers: readonly Handler[] }>;

/** The compiler checks that the handler returns what the message promises. */
export const on = <Input, Result>(
  message: MessageClass<Input, Result>,
  run: (message: Message<Input, Result>) => Result | Promise<Result>,
): Handler => ({ message, run });
