import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { NotFound, requireRole } from '@palimpsest/knowledge';
import type { Access, DeadLetter, MessageBus } from '@palimpsest/knowledge';

export const deadLetterQuery = z.strictObject({
  topic: z.string().min(1).max(200).exactOptional().describe('only dead letters of this topic'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('maximum number of dead letters, oldest first'),
});

/** Dead letters, for operators only: they contain document ids of all tenants. */
export class FailedJobs {
  readonly #bus: MessageBus;

  constructor(bus: MessageBus) {
    this.#bus = bus;
  }

  /** @throws Forbidden, InvalidValue */
  async list(access: Access, query: unknown) {
    requireRole(access, 'operator');
    return (await this.#bus.deadLetters(parseInput(deadLetterQuery, query))).map(viewOf);
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
  id, topic, group, attempts, error, failedAt, key: message.key, work: workIn(message.body),
});

const workIn = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body.slice(0, 1_000);
  }
};
