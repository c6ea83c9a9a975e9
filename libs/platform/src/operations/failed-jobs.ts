import { discardDeadLetter, listDeadLetters, retryDeadLetter } from '@palimpsest/contracts/routes/operation';
import { NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { DeadLetter, MessageBus } from '@palimpsest/knowledge/ports';

type Listed = Readonly<{ topic?: string; limit: number }>;
type FailedJob = Pick<DeadLetter, 'id' | 'topic' | 'group' | 'attempts' | 'error' | 'failedAt'> & Readonly<{ key: string; work: unknown }>;

/** The oldest ones, at most `limit`. */
export class ListDeadLetters extends query<Listed, readonly FailedJob[]>(listDeadLetters, NO_ROWS) {}
/** Queues a job again, with a new attempt count. `input`: its id. */
export class RetryDeadLetter extends command<string, void>(retryDeadLetter) {}
/** The document of the job does not change. `input`: the id of the job. */
export class DiscardDeadLetter extends command<string, void>(discardDeadLetter) {}

/** Dead letters, for operators only: they contain document ids of all tenants. */
export class FailedJobs implements UseCase {
  readonly handlers = [
    on(ListDeadLetters, ({ input }) => this.#list(input)),
    on(RetryDeadLetter, ({ input }) => this.#retry(input)),
    on(DiscardDeadLetter, ({ input }) => this.#discard(input)),
  ];
  readonly #bus: MessageBus;

  constructor(bus: MessageBus) {
    this.#bus = bus;
  }

  async #list(listed: Listed): Promise<readonly FailedJob[]> {
    return (await this.#bus.deadLetters(listed)).map(viewOf);
  }

  /** @throws NotFound */
  async #retry(id: string): Promise<void> {
    if (!(await this.#bus.retryDeadLetter(id))) throw new NotFound('dead letter', id);
  }

  /** @throws NotFound */
  async #discard(id: string): Promise<void> {
    if (!(await this.#bus.discardDeadLetter(id))) throw new NotFound('dead letter', id);
  }
}

/** Shows the ids in a message. Messages contain no document contents. */
const viewOf = ({ id, topic, group, attempts, error, failedAt, message }: DeadLetter): FailedJob => ({
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
