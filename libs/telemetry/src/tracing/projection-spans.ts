import { SYSTEM } from '@palimpsest/foundation';
import type { Projected } from '@palimpsest/projections';
import { ageOf } from '../observer.ts';
import { tracer } from './spans.ts';
import { originOf, spanContextIn } from './trace-context.ts';

/**
 * For each append in a projected batch, records a child span of the append with the time of the batch: its events are now in the
 * read models. Replays record no spans.
 */
export const projectionSpans = ({ facts, ms }: Projected): void => {
  const [endTime, startTime] = [SYSTEM.clock.now(), SYSTEM.clock.now() - ms];
  const fresh = facts.filter((fact) => ageOf(fact, endTime) !== undefined);
  for (const [traceparent, events] of Map.groupBy(fresh, ({ metadata }) => metadata.traceparent)) {
    if (spanContextIn(traceparent) === undefined) continue;
    const attributes = {
      'palimpsest.events': events.length,
      'palimpsest.event.types': [...new Set(events.map(({ event }) => event.type))],
      'palimpsest.batch.events': facts.length,
    };
    tracer().startSpan('project', { startTime, attributes }, originOf({ traceparent })).end(endTime);
  }
};
