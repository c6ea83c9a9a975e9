import { Controller, Inject } from '@nestjs/common';
import { getStatus } from '@palimpsest/contracts/http';
import { Route, type Call } from '@palimpsest/runtime';
import { ReadStatus } from '../operations/read-status.ts';

/** Status of the installation, served by a process that has access to all of it. */
@Controller()
export class StatusController {
  readonly #status: ReadStatus;

  constructor(@Inject(ReadStatus) status: ReadStatus) {
    this.#status = status;
  }

  @Route(getStatus)
  status({ access }: Call<typeof getStatus>) {
    return this.#status.run(access);
  }
}
