import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type CallerContext } from '../access/caller.ts';
import { ApiQueries } from '../http/json-schema.ts';
import { deadLetterQuery, FailedJobs } from '../failed-jobs.ts';

@ApiTags('Operation')
@Controller('v1/dead-letters')
export class DeadLettersController {
  readonly #jobs: FailedJobs;

  constructor(@Inject(FailedJobs) jobs: FailedJobs) {
    this.#jobs = jobs;
  }

  @Get()
  @ApiQueries(deadLetterQuery)
  @ApiOperation({ summary: 'List jobs that failed after all attempts, with the last error' })
  async list(@Caller() { access }: CallerContext, @Query() query: unknown) {
    return { deadLetters: await this.#jobs.list(access, query) };
  }

  @Post(':id/retry')
  @HttpCode(202)
  @ApiOperation({ summary: 'Queue a failed job again, with a new attempt count' })
  async retry(@Caller() { access }: CallerContext, @Param('id') id: string) {
    await this.#jobs.retry(access, id);
    return { id, status: 'queued' };
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Discard a failed job; its document does not change' })
  async discard(@Caller() { access }: CallerContext, @Param('id') id: string): Promise<void> {
    await this.#jobs.discard(access, id);
  }
}
