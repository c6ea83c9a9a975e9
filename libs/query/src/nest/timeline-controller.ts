import { Controller, Inject } from '@nestjs/common';
import { listTimeline } from '@palimpsest/contracts/routes/timeline';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { ListTimeline } from '../timeline/list-timeline.ts';

@Controller()
export class TimelineController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(listTimeline)
  async list({ caller, params: { scope }, query }: Call<typeof listTimeline>) {
    const { rows, ...page } = await this.#buses.execute(new ListTimeline(caller, { scope, ...query }));
    return { entries: rows.map(({ entry }) => entry), ...page };
  }
}
