import type { Projected } from '@palimpsest/projections';
import { ageOf } from '../observer.ts';
import { tracer } from './spans.ts';
import { originOf, spanContextIn } from './trace-context.ts';

/**
 * Tells each append of a projected batch that its events are in the read models: a span of the batch's time, below the
 * append's. A replay tells nothing in the traces of then.
 */
export const projectionSpans = ({ facts, ms }: Projected): void => {
  const [endTime, startTime] = [Date.now(), Date.now() - ms];
  const news = facts.filter((fact) => ageOf(fact, endTime) !== undefined);
  for (const [traceparent, events] of Map.groupBy(news, ({ metadata }) => metadata.traceparent)) {
    if (spanContextIn(traceparent) === undefined) continue;
    const attributes = {
      'palimpsest.events': events.length,
      'palimpsest.event.types': [...new Set(events.map(({ event }) => event.type))],
      'palimpsest.batch.events': facts.length,
    };
    tracer().startSpan('project', { startTime, attributes }, originOf({ traceparent })).end(endTime);
  }
};
