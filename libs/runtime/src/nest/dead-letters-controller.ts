import { Controller, Inject } from '@nestjs/common';
import { discardDeadLetter, listDeadLetters, retryDeadLetter } from '@palimpsest/contracts/http';
import { FailedJobs } from '../failed-jobs.ts';
import { Route, type Call } from '../http/route.ts';

@Controller()
export class DeadLettersController {
  readonly #jobs: FailedJobs;

  constructor(@Inject(FailedJobs) jobs: FailedJobs) {
    this.#jobs = jobs;
  }

  @Route(listDeadLetters)
  async list({ access, query }: Call<typeof listDeadLetters>) {
    return { deadLetters: await this.#jobs.list(access, query) };
  }

  @Route(retryDeadLetter)
  async retry({ access, params: { id } }: Call<typeof retryDeadLetter>) {
    await this.#jobs.retry(access, id);
    return { id, status: 'queued' as const };
  }

  @Route(discardDeadLetter)
  async discard({ access, params }: Call<typeof discardDeadLetter>): Promise<void> {
    await this.#jobs.discard(access, params.id);
  }
}
