import { Controller, Inject } from '@nestjs/common';
import { discardDeadLetter, listDeadLetters, retryDeadLetter } from '@palimpsest/contracts/http';
import { NotFound } from '@palimpsest/knowledge';
import type { DeadLetter, MessageBus } from '@palimpsest/knowledge';
import { Route, type Call } from '../http/route.ts';
import { PORT } from './ports.ts';

/** Shows the ids in a message. Messages contain no document contents. */
const viewOf = ({ id, topic, group, attempts, error, failedAt, message }: DeadLetter) => ({
  id,
  topic,
  group,
  attempts,
  error,
  failedAt,
  key: message.key,
  work: workIn(message.body),
});

const workIn = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body.slice(0, 1_000);
  }
};

/** Failed jobs, for operators only: they contain document ids of all tenants. */
@Controller()
export class DeadLettersController {
  readonly #bus: MessageBus;

  constructor(@Inject(PORT.MessageBus) bus: MessageBus) {
    this.#bus = bus;
  }

  @Route(listDeadLetters)
  async list({ query }: Call<typeof listDeadLetters>) {
    const letters = await this.#bus.deadLetters(query);
    return { deadLetters: letters.map(viewOf) };
  }

  @Route(retryDeadLetter)
  async retry({ params: { id } }: Call<typeof retryDeadLetter>) {
    if (!(await this.#bus.retryDeadLetter(id))) throw new NotFound('dead letter', id);
    return { id, status: 'queued' as const };
  }

  @Route(discardDeadLetter)
  async discard({ params: { id } }: Call<typeof discardDeadLetter>): Promise<void> {
    if (!(await this.#bus.discardDeadLetter(id))) throw new NotFound('dead letter', id);
  }
}
