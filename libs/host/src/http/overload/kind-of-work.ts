import type { RoutePolicy } from '@palimpsest/runtime';

/** What a request costs most of: a search the model and the indexes, a write the disk and memory for its body, a read little. */
export const KINDS_OF_WORK = ['search', 'write', 'read'] as const;
export type KindOfWork = (typeof KINDS_OF_WORK)[number];

/** Methods whose bodies nobody reads. */
export const isBodyless = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Of the matched route. Undefined for what is never refused: probes, and streams that are open for hours, of which each tenant may have so many. */
export const kindOfWork = (method: string, { work }: RoutePolicy): KindOfWork | undefined => {
  if (work === 'none') return undefined;
  return work ?? (isBodyless(method) ? 'read' : 'write');
};
