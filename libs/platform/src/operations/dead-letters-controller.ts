import { Controller, Inject } from '@nestjs/common';
import { discardDeadLetter, listDeadLetters, retryDeadLetter } from '@palimpsest/contracts/routes/operation';
import { Buses } from '@palimpsest/runtime';
import { DiscardDeadLetter, ListDeadLetters, RetryDeadLetter } from './failed-jobs.ts';
import { Route, type Call } from '@palimpsest/http';

@Controller()
export class DeadLettersController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(listDeadLetters)
  async list({ caller, query }: Call<typeof listDeadLetters>) {
    return { deadLetters: await this.#buses.execute(new ListDeadLetters(caller, query)) };
  }

  @Route(retryDeadLetter)
  async retry({ caller, params: { id } }: Call<typeof retryDeadLetter>) {
    await this.#buses.execute(new RetryDeadLetter(caller, id));
    return { id, status: 'queued' as const };
  }

  @Route(discardDeadLetter)
  async discard({ caller, params }: Call<typeof discardDeadLetter>): Promise<void> {
    await this.#buses.execute(new DiscardDeadLetter(caller, params.id));
  }
}
