import { requireRole } from '@palimpsest/knowledge/access';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { Access } from '@palimpsest/knowledge/access';
import type { DeadLetter, MessageBus } from '@palimpsest/knowledge/ports';

/** Dead letters, for operators only: they contain document ids of all tenants. */
export class FailedJobs {
  readonly #bus: MessageBus;

  constructor(bus: MessageBus) {
    this.#bus = bus;
  }

  /** The oldest ones, at most `limit`. @throws Forbidden */
  async list(access: Access, query: Readonly<{ topic?: string; limit: number }>) {
    requireRole(access, 'operator');
    return (await this.#bus.deadLetters(query)).map(viewOf);
  }

  /** Queues a job again, with a new attempt count. @throws Forbidden, NotFound */
  async retry(access: Access, id: string): Promise<void> {
    requireRole(access, 'operator');
    if (!(await this.#bus.retryDeadLetter(id))) throw new NotFound('dead letter', id);
  }

  /** The document of the job does not change. @throws Forbidden, NotFound */
  async discard(access: Access, id: string): Promise<void> {
    requireRole(access, 'operator');
    if (!(await this.#bus.discardDeadLetter(id))) throw new NotFound('dead letter', id);
  }
}

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
