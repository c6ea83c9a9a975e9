import type { DomainEvent, DomainEventType, EventFamilies, EventOfType } from './events/domain-event.ts';
import type { Fact } from './events/event.ts';

/** Declares that a projection does not need an event type, or a whole family. */
export const IGNORED = 'ignored';
type Ignored = typeof IGNORED;

/** What a projection does with a fact. `context`: what it needs besides the fact. */
type Handler<Type extends DomainEventType, Context, Result> = (fact: Fact<EventOfType<Type>>, context: Context) => Result;

type HandlersOf<Type extends DomainEventType, Context, Result> = { readonly [T in Type]: Handler<T, Context, Result> | Ignored };

/**
 * A handler, or `IGNORED`, for every event type; a family that does not matter is ignored as a whole. A new event type does not compile
 * until every projection that reads its family has decided.
 */
export type Handlers<Context, Result> = {
  readonly [Family in keyof EventFamilies]: HandlersOf<EventFamilies[Family]['type'], Context, Result> | Ignored;
};

/** A value derived from the log, fact by fact. `handles`: the event types that it reads; no others are delivered to it. */
export type Projection<Context, Result> = Readonly<{
  name: string;
  handles: readonly DomainEventType[];
  /** Result of the handler; undefined for an ignored type. */
  project: (fact: Fact<DomainEvent>, context: Context) => Result | undefined;
}>;

export const projection = <Context = void, Result = void>(
  name: string,
  families: Handlers<Context, Result>,
): Projection<Context, Result> => {
  const entries = Object.values(families).flatMap((family) => (family === IGNORED ? [] : Object.entries(family)));
  const handlers = new Map(entries.filter((entry): entry is [DomainEventType, Handler<never, Context, Result>] => entry[1] !== IGNORED));
  return { name, handles: [...handlers.keys()], project: (fact, context) => handlers.get(fact.event.type)?.(fact as never, context) };
};
