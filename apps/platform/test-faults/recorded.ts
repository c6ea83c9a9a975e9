import { openEventStoreLog } from '@palimpsest/adapters-eventstore';
import { PARSE_FAILURES } from '@palimpsest/knowledge';

export type Recorded = Readonly<{ stream: string; type: string; data: Readonly<Record<string, unknown>> }>;

/** Everything on the log of an installation, without what makes it large. */
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

/** Of each event of these types what `of` says, where it says the same more than once on one stream. */
export const saidTwice = (events: readonly Recorded[], types: readonly string[], of: (data: Recorded['data']) => string): readonly string[] => {
  const seen = new Set<string>();
  return events.flatMap(({ stream, type, data }) => {
    if (!types.includes(type)) return [];
    const said = `${stream}: ${of(data)}`;
    if (seen.has(said)) return [said];
    seen.add(said);
    return [];
  });
};

export const isParseFailure = (reason: unknown): boolean => (PARSE_FAILURES as readonly unknown[]).includes(reason);
