import { Controller, Inject } from '@nestjs/common';
import { getVerifications, repairReadModels, verifyReadModels } from '@palimpsest/contracts/routes/verification';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { GetVerifications, Repair, Verify } from '../verification/administer-verification.ts';
import { recordView } from '../verification/record-view.ts';
import type { Verification } from '../verification/verify-read-models.ts';

/** Maximum number of differences in a response; `differenceCount` is always complete. */
const MAX_LISTED = 1_000;
/** Maximum number of counts of a repair in a response. */
const MAX_COUNTS = 1_000;

@Controller()
export class VerificationController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(verifyReadModels)
  async verify({ caller, query }: Call<typeof verifyReadModels>) {
    return verifyView(await this.#buses.execute(new Verify(caller, query)));
  }

  @Route(getVerifications)
  async verifications({ caller }: Call<typeof getVerifications>) {
    const { verifications, repairs, ...settings } = await this.#buses.execute(new GetVerifications(caller));
    return {
      ...settings,
      verifications: verifications.map(recordView),
      repairs: repairs.map(({ event, by }) => ({ ...event, by })),
    };
  }

  @Route(repairReadModels)
  async repair({ caller, body }: Call<typeof repairReadModels>) {
    const { after, counts, ...repair } = await this.#buses.execute(new Repair(caller, body));
    return { ...repair, counts: counts.slice(0, MAX_COUNTS), after: verifyView(after) };
  }
}

const verifyView = ({ position, differences, rows: _rows, ...verified }: Verification) => ({
  ...verified,
  position: String(position),
  differenceCount: differences.length,
  differences: differences.slice(0, MAX_LISTED),
});
