import type { Journal, Loaded } from '@palimpsest/contracts';
import { Conflict, Corrupt } from '@palimpsest/knowledge/errors';
import type { EventMetadata } from '@palimpsest/knowledge/events';
import {
  goldenQueriesStream,
  goldenSets as decider,
  goldenSetsStream,
  type GoldenSets,
  type GoldenVersion,
  type JudgedQuery,
} from '@palimpsest/knowledge/golden';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import { sha256, type Digest, type TenantScope } from '@palimpsest/knowledge/values';
import { sizeOf } from './parse-queries.ts';

/** Maximum size of the queries in one event, unless it is a single one. Sealed and encoded, it is a third of an append, at most half. */
const PART_BYTES = 256 * 1024;
/** Part of the digest: another way to divide queries into parts gets other streams. */
const FORMAT = 1;

/** The queries of an import, divided into parts that fit into an event each. */
export type Content = Readonly<{ digest: Digest; parts: readonly (readonly JudgedQuery[])[]; bytes: number }>;

export const contentOf = (cipher: ScopeCipher, queries: readonly JudgedQuery[]): Content => {
  const parts: JudgedQuery[][] = [];
  let [bytes, inPart] = [0, 0];
  for (const query of queries) {
    const size = sizeOf(query);
    const part = parts.at(-1);
    if (part === undefined || inPart + size > PART_BYTES) [parts[parts.length], inPart] = [[query], size];
    else {
      part.push(query);
      inPart += size;
    }
    bytes += size;
  }
  return { digest: sha256(cipher.digest(JSON.stringify([FORMAT, queries]), 'golden queries')), parts, bytes };
};

/** The golden sets of scopes on the log. */
export class GoldenLog {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  load(scope: TenantScope): Promise<Loaded<GoldenSets>> {
    return this.#journal.load(decider, goldenSetsStream(scope));
  }

  /**
   * Stores the queries of a version; nothing shows them yet. Continues where an earlier attempt stopped. @throws Conflict if the stream
   * holds something else
   */
  async store(scope: TenantScope, { digest, parts }: Content, metadata: EventMetadata): Promise<void> {
    for (const [part, queries] of parts.entries()) {
      const event = { type: 'GoldenQueriesStored' as const, data: { scope: scope.scope, content: digest, part, queries } };
      const expected = part === 0 ? 'no-stream' : part - 1;
      // The same event at the same place is appended once.
      const { outcome } = await this.#journal.append(goldenQueriesStream(scope, digest), [event], expected, metadata);
      if (outcome === 'conflict') throw new Conflict('the queries could not be stored; try again');
    }
  }

  /**
   * The queries of a version, part by part; no parts if the key of the scope was destroyed.
   * @throws Corrupt if a part is missing
   */
  async *parts(scope: TenantScope, { content, parts }: GoldenVersion): AsyncGenerator<readonly JudgedQuery[]> {
    let read = 0;
    for await (const { event } of this.#journal.readStream(goldenQueriesStream(scope, content), { limit: parts })) {
      if (event.type !== 'GoldenQueriesStored') throw new Corrupt(`a stream of golden queries contains ${event.type}`);
      // The placeholder of sealed queries: a stored part has at least one.
      if (event.data.queries.length === 0) return;
      yield event.data.queries;
      read++;
    }
    if (read < parts) throw new Corrupt(`${parts - read} of ${parts} parts of a golden set are missing`);
  }
}
