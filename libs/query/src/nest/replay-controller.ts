import { Controller, Inject } from '@nestjs/common';
import { replayRetrieval, replayWindow } from '@palimpsest/contracts/routes/replay';
import { filter } from '@palimpsest/knowledge/access';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { CausingEvent } from '../replay/cause.ts';
import { ReplayWindow, type ReplayedWindow } from '../replay/replay-window.ts';
import { ReplayRetrieval, type Against, type Replay } from '../replay/replay-retrieval.ts';

@Controller()
export class ReplayController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(replayRetrieval)
  async replay({ caller, params: { traceId }, body: { query, terms, against } }: Call<typeof replayRetrieval>) {
    const request = {
      traceId,
      ...(query === undefined ? {} : { query }),
      ...(terms === undefined ? {} : { terms }),
      ...(against === undefined ? {} : { against: refined(against) }),
    };
    return shown(await this.#buses.execute(new ReplayRetrieval(caller, request)));
  }

  @Route(replayWindow)
  async window({ caller, body: { against, ...window } }: Call<typeof replayWindow>) {
    return summarised(await this.#buses.execute(new ReplayWindow(caller, { ...window, against: refined(against) })));
  }
}

/** Parses the filter, whose fields the domain knows. @throws InvalidValue */
const refined = ({ filter: given, ...rest }: NonNullable<Call<typeof replayRetrieval>['body']['against']>): Against => ({
  ...rest,
  ...(given === undefined ? {} : { filter: filter(given, 'against.filter') }),
});

const shown = ({ record, then, identical, sameHits, differences, compared }: Replay) => ({
  traceId: record.traceId,
  position: record.position,
  retrievedAt: record.retrievedAt,
  identical,
  sameHits,
  differences: differences.map(withEvents),
  recorded: record.hits.map(({ chunkId, documentId, score }, i) => ({ rank: i + 1, score, chunkId, documentId })),
  hits: then.hits.map(hitOf),
  ...(compared === undefined
    ? {}
    : {
        against: {
          position: String(compared.side.position),
          hits: compared.side.hits.map(hitOf),
          changes: compared.changes.map(({ hit, causes, ...rest }) => ({ ...rest, hit: hitOf(hit), causes: causes.map(withEvents) })),
          unchanged: compared.unchanged,
          lexicalOnly: compared.side.lexicalOnly,
          truncated: compared.truncated,
        },
      }),
});

const summarised = ({ retrievals, skipped, ...rest }: ReplayedWindow) => {
  const sum = (of: (one: ReplayedWindow['retrievals'][number]) => number): number => retrievals.reduce((all, one) => all + of(one), 0);
  const mean = (of: (one: ReplayedWindow['retrievals'][number]) => number): number => sum(of) / retrievals.length;
  const causes = totals(retrievals.flatMap((one) => one.causes.map(({ kind, changes }) => [kind, changes] as const)));
  return {
    summary: {
      replayed: retrievals.length,
      identical: retrievals.filter(({ identical }) => identical).length,
      changed: retrievals.filter(({ gained, lost, moved }) => gained + lost + moved > 0).length,
      ...{ gained: sum(({ gained }) => gained), lost: sum(({ lost }) => lost), moved: sum(({ moved }) => moved) },
      ...(retrievals.length === 0 ? {} : { overlap: mean(({ overlap }) => overlap), rbo: mean(({ rbo }) => rbo) }),
      causes: causes.map(([kind, changes]) => ({ kind, changes })),
      skipped: totals(skipped.map(({ reason }) => [reason, 1] as const)).map(([reason, count]) => ({ reason, count })),
    },
    ...{ retrievals, skipped },
    ...rest,
  };
};

/** The largest first. */
const totals = <Key>(counts: readonly (readonly [Key, number])[]): readonly (readonly [Key, number])[] => {
  const all = new Map<Key, number>();
  for (const [key, count] of counts) all.set(key, (all.get(key) ?? 0) + count);
  return [...all].sort(([, a], [, b]) => b - a);
};

const withEvents = <Caused extends Readonly<{ events: readonly CausingEvent[] }>>({ events, ...rest }: Caused) => ({
  ...rest,
  events: events.map(({ position, type, at }) => ({ position: String(position), type, at })),
});

const hitOf = ({ rank, score, chunkId, documentId, scope, source, title, citation, text }: SearchHit) => ({
  ...{ rank, score, chunkId, documentId, scope, source, title, citation, text },
});
