import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { parseInput } from '@palimpsest/contracts';
import { NotFound, requireRole } from '@palimpsest/knowledge';
import type { DeadLetter, MessageBus } from '@palimpsest/knowledge';
import { Caller, type CallerContext } from '../access/caller.ts';
import { ApiQueries } from '../http/json-schema.ts';
import { PORT } from './ports.ts';

const listing = z.strictObject({
  topic: z.string().min(1).max(200).exactOptional().describe('only dead letters of this topic'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('maximum number of dead letters, oldest first'),
});

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

/** Failed jobs, for operators only: they contain document ids of all tenants. */
@ApiTags('Operation')
@Controller('v1/dead-letters')
export class DeadLettersController {
  readonly #bus: MessageBus;

  constructor(@Inject(PORT.MessageBus) bus: MessageBus) {
    this.#bus = bus;
  }

  @Get()
  @ApiQueries(listing)
  @ApiOperation({ summary: 'List jobs that failed after all attempts, with the last error' })
  async list(@Caller() { access }: CallerContext, @Query() query: unknown) {
    requireRole(access, 'operator');
    const letters = await this.#bus.deadLetters(parseInput(listing, query));
    return { deadLetters: letters.map(viewOf) };
  }

  @Post(':id/retry')
  @HttpCode(202)
  @ApiOperation({ summary: 'Queue a failed job again, with a new attempt count' })
  async retry(@Caller() { access }: CallerContext, @Param('id') id: string) {
    requireRole(access, 'operator');
    if (!(await this.#bus.retryDeadLetter(id))) throw new NotFound('dead letter', id);
    return { id, status: 'queued' };
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Discard a failed job; its document does not change' })
  async discard(@Caller() { access }: CallerContext, @Param('id') id: string): Promise<void> {
    requireRole(access, 'operator');
    if (!(await this.#bus.discardDeadLetter(id))) throw new NotFound('dead letter', id);
  }
}
