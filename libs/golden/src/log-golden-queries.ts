import type { Journal } from '@palimpsest/contracts';
import type { GoldenVersion, JudgedQuery } from '@palimpsest/knowledge/golden';
import type { GoldenQueries, GoldenQuery, GoldenSet } from '@palimpsest/knowledge/ports';
import type { TenantScope } from '@palimpsest/knowledge/values';
import { GoldenLog } from './golden-log.ts';

/** The golden queries of scopes, from the log. Judgements of documents that do not exist are included. */
export class LogGoldenQueries implements GoldenQueries {
  readonly #log: GoldenLog;

  constructor(journal: Journal) {
    this.#log = new GoldenLog(journal);
  }

  async ofScope(scope: TenantScope): Promise<readonly GoldenSet[]> {
    const sets: GoldenSet[] = [];
    for (const version of versionsOf((await this.#log.load(scope)).state)) {
      const queries: GoldenQuery[] = [];
      for await (const part of this.#log.parts(scope, version)) queries.push(...part.map(goldenQuery));
      if (queries.length > 0) sets.push({ name: version.set, version: version.version, queries });
    }
    return sets;
  }
}

/** The latest versions, sorted by name. */
export const versionsOf = ({ current }: Readonly<{ current: ReadonlyMap<string, GoldenVersion> }>): readonly GoldenVersion[] =>
  [...current.values()].sort((a, b) => (a.set < b.set ? -1 : 1));

const goldenQuery = ({ id, text, synthetic, judgements }: JudgedQuery): GoldenQuery => ({
  id,
  text,
  synthetic,
  relevant: new Map(judgements.map(({ documentId, grade }) => [documentId, grade])),
});
