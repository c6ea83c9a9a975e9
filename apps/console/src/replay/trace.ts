import type { EventView } from '@palimpsest/client';

/** The page that runs a past search again. */
export const replayPath = (traceId: string): string => `/replay/${encodeURIComponent(traceId)}`;

/** The search that an event records, if the caller may read it. */
export const traceOf = ({ type, data }: Pick<EventView, 'type' | 'data'>): string | undefined => {
  if (type !== 'KnowledgeRetrieved' || typeof data !== 'object' || data === null) return undefined;
  const { traceId } = data as Readonly<{ traceId?: unknown }>;
  return typeof traceId === 'string' ? traceId : undefined;
};
