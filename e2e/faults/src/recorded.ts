import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { PARSE_FAILURES } from '@palimpsest/knowledge/ports';

export type Recorded = Readonly<{ stream: string; type: string; data: Readonly<Record<string, unknown>> }>;

/** All events on the log of an installation, without sealed texts and vectors. */
export const recorded = async (connectionString: string, namespace: string): Promise<readonly Recorded[]> => {
  const log = await openEventStoreLog({ connectionString, namespace });
  try {
    const events: Recorded[] = [];
    for await (const { stream, type, data } of log.readAll()) {
      const { sealedText: _text, sealedVector: _vector, ...rest } = data;
      events.push({ stream, type, data: rest });
    }
    return events;
  } finally {
    await log.close();
  }
};

/** The values of `of` that occur more than once on one stream among events of these types. */
export const duplicates = (
  events: readonly Recorded[],
  types: readonly string[],
  of: (data: Recorded['data']) => string,
): readonly string[] => {
  const seen = new Set<string>();
  return events.flatMap(({ stream, type, data }) => {
    if (!types.includes(type)) return [];
    const value = `${stream}: ${of(data)}`;
    if (seen.has(value)) return [value];
    seen.add(value);
    return [];
  });
};

export const isParseFailure = (reason: unknown): boolean => (PARSE_FAILURES as readonly unknown[]).includes(reason);
