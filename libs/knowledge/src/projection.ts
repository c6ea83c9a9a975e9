import { READERS, type DomainEvent, type DomainEventType, type EventOfType, type ReadBy } from './events/domain-event.ts';
import type { Fact } from './events/event.ts';
import type { ProjectionName } from './events/readers.ts';

/** What a projection does with a fact. `context`: what it needs besides the fact. */
type Handler<Type extends DomainEventType, Context, Result> = (fact: Fact<EventOfType<Type>>, context: Context) => Result;

/** A handler for each event type that names the projection among its readers: the compiler refuses one that is missing or not declared. */
export type Handlers<Name extends ProjectionName, Context, Result> = { readonly [Type in ReadBy<Name>]: Handler<Type, Context, Result> };

/** A value derived from the log, fact by fact. `handles`: the event types that it reads; no others are delivered to it. */
export type Projection<Context, Result> = Readonly<{
  name: ProjectionName;
  handles: readonly DomainEventType[];
  /** Result of the handler; undefined for a type that it does not read. */
  project: (fact: Fact<DomainEvent>, context: Context) => Result | undefined;
}>;

/** The event types that a projection reads. */
export const readBy = (name: ProjectionName): readonly DomainEventType[] =>
  (Object.keys(READERS) as DomainEventType[]).filter((type) => (READERS[type] as readonly ProjectionName[]).includes(name));

export const projection = <Name extends ProjectionName, Context = void, Result = void>(
  name: Name,
  handlers: Handlers<Name, Context, Result>,
): Projection<Context, Result> => {
  const byType = handlers as Readonly<Partial<Record<DomainEventType, Handler<never, Context, Result>>>>;
  return { name, handles: readBy(name), project: (fact, context) => byType[fact.event.type]?.(fact as never, context) };
};
