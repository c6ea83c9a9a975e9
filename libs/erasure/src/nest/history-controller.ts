import { Controller, Inject } from '@nestjs/common';
import { getHistory, removeHistory } from '@palimpsest/contracts/routes/history';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { GetHistory, RemoveHistory, type HistoryState } from '../history/manage-history.ts';

@Controller()
export class HistoryController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(removeHistory)
  async remove({ caller, params, body }: Call<typeof removeHistory>) {
    return viewOf(await this.#buses.execute(new RemoveHistory(caller, { ...params, ...body })));
  }

  @Route(getHistory)
  async get({ caller, params }: Call<typeof getHistory>) {
    return viewOf(await this.#buses.execute(new GetHistory(caller, params)));
  }
}

const viewOf = ({ scope, state: { earliest, running, last }, position }: HistoryState) => ({
  scope,
  earliest: String(earliest),
  ...(running ? { running: without(running) } : {}),
  ...(last ? { last: without(last) } : {}),
  position: String(position),
});

/** What is said once for the scope. */
const without = <Removal extends Readonly<{ scope: string; earliest: string }>>({ scope: _s, earliest: _e, ...rest }: Removal) => rest;
