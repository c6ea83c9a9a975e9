import { Controller, Inject } from '@nestjs/common';
import { rebuildReadModels, verifyReadModels } from '@palimpsest/contracts/routes/operation';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { Rebuild, Verify } from '../administer-read-models.ts';

/** Maximum number of differences in a response; `differenceCount` is always complete. */
const MAX_LISTED = 1_000;

@Controller()
export class AdminController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(rebuildReadModels)
  async rebuild({ caller }: Call<typeof rebuildReadModels>) {
    const { position, ...rebuilt } = await this.#buses.execute(new Rebuild(caller));
    return { ...rebuilt, position: String(position) };
  }

  @Route(verifyReadModels)
  async verify({ caller }: Call<typeof verifyReadModels>) {
    const { position, differences, ...verified } = await this.#buses.execute(new Verify(caller));
    return { ...verified, position: String(position), differenceCount: differences.length, differences: differences.slice(0, MAX_LISTED) };
  }
}
