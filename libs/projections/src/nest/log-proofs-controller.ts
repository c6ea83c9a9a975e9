import { Controller, Inject } from '@nestjs/common';
import { getSigningKey, verifyLog } from '@palimpsest/contracts/routes/proofs';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { GetSigningKey, VerifyLog } from '../checkpoints/verify-log.ts';

@Controller()
export class LogProofsController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(getSigningKey)
  signingKey({ caller }: Call<typeof getSigningKey>) {
    return this.#buses.execute(new GetSigningKey(caller));
  }

  @Route(verifyLog)
  verifyLog({ caller, body }: Call<typeof verifyLog>) {
    return this.#buses.execute(new VerifyLog(caller, body));
  }
}
