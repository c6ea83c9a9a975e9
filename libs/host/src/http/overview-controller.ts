import { Controller, Inject } from '@nestjs/common';
import { getOverview } from '@palimpsest/contracts/http';
import { Route, type Call } from '@palimpsest/runtime';
import { ReadOverview } from '../operations/read-overview.ts';

/** Counts and figures for the console. A tenant sees its own, an operator those of the installation. */
@Controller()
export class OverviewController {
  readonly #overview: ReadOverview;

  constructor(@Inject(ReadOverview) overview: ReadOverview) {
    this.#overview = overview;
  }

  @Route(getOverview)
  overview({ access }: Call<typeof getOverview>) {
    return this.#overview.run(access);
  }
}
