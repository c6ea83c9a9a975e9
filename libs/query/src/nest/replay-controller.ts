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
  async replay({ caller, params: { traceId }, body: { query, against } }: Call<typeof replayRetrieval>) {
    const request = {
      traceId,
      ...(query === undefined ? {} : { query }),
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

const summarised = ({ retrievals, ...rest }: ReplayedWindow) => {
  const mean = (of: (one: ReplayedWindow['retrievals'][number]) => number): number =>
    retrievals.reduce((sum, one) => sum + of(one), 0) / retrievals.length;
  return {
    summary: {
      replayed: retrievals.length,
      identical: retrievals.filter(({ identical }) => identical).length,
      changed: retrievals.filter(({ gained, lost, moved }) => gained + lost + moved > 0).length,
      ...(retrievals.length === 0 ? {} : { overlap: mean(({ overlap }) => overlap), rbo: mean(({ rbo }) => rbo) }),
    },
    retrievals,
    ...rest,
  };
};

const withEvents = <Caused extends Readonly<{ events: readonly CausingEvent[] }>>({ events, ...rest }: Caused) => ({
  ...rest,
  events: events.map(({ position, type, at }) => ({ position: String(position), type, at })),
});

const hitOf = ({ rank, score, chunkId, documentId, scope, source, title, citation, text }: SearchHit) => ({
  ...{ rank, score, chunkId, documentId, scope, source, title, citation, text },
});
