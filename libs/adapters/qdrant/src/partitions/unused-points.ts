import type { Schemas } from '@qdrant/js-client-rest';
import type { Connection } from '../connection/connection.ts';
import type { Layout } from '../connection/options.ts';

/**
 * Removes the points of a collection whose partition is not in use there. Writers register a partition before its first point, so one that
 * is found before `inUse` is read and is not in it has no writer, and no point of another partition is removed.
 */
export const removeUnusedPoints = async (
  { connection, layout }: Readonly<{ connection: Connection; layout: Layout }>,
  collection: string,
  inUse: () => Promise<ReadonlySet<string>>,
): Promise<void> => {
  const kept = new Set(await inUse());
  for (;;) {
    const filter: Schemas['Filter'] = kept.size === 0 ? {} : { must_not: [{ key: 'partition', match: { any: [...kept] } }] };
    const page = await connection.read(`reading ${collection}`, (client) =>
      client.scroll(collection, { filter, limit: 1, with_payload: ['partition'], with_vector: false }),
    );
    const [point] = page?.points ?? [];
    if (point === undefined) return;
    const partition: unknown = point.payload?.['partition'];
    if (typeof partition === 'string' && (await inUse()).has(partition)) {
      kept.add(partition);
      continue;
    }
    // Not written by this adapter if it has none.
    const unused: Schemas['Condition'] =
      typeof partition === 'string' ? { key: 'partition', match: { value: partition } } : { has_id: [point.id] };
    await connection.update(`removing from ${collection}`, (client) =>
      client.delete(collection, {
        wait: true,
        ordering: layout.ordering,
        filter: { must: [unused] },
      }),
    );
  }
};
