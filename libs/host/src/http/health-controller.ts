import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Policy, Public, VERSION } from '@palimpsest/runtime';
import { ReadHealth } from '../operations/read-health.ts';

/** Probes are answered under any load: a supervisor must not mistake a busy process for a dead one. */
const PROBE = { public: true, work: 'none' } as const;

/** The root and the health checks, served by every process. */
@ApiTags('Operation')
@Controller()
export class HealthController {
  readonly #health: ReadHealth;

  constructor(@Inject(ReadHealth) health: ReadHealth) {
    this.#health = health;
  }

  @Get()
  @Public()
  @ApiOperation({ summary: 'Name and version of the server, with links to its main resources' })
  root() {
    return { name: 'palimpsest', version: VERSION, openapi: '/openapi.json', health: '/health/ready', search: 'POST /v1/search' };
  }

  @Get('health/live')
  @Policy(PROBE)
  @ApiOperation({ summary: 'Check that the process is alive' })
  live() {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Policy(PROBE)
  @ApiOperation({ summary: 'Check that searches return complete results; 503 until the read models have caught up. `degraded`: writes fail' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const { ready, ...body } = await this.#health.readiness();
    if (!ready) void reply.status(503);
    return body;
  }

  @Get('health/rag')
  @Policy(PROBE)
  @ApiOperation({ summary: 'Health of retrieval and indexing, with reasons; with an operator’s key also the figures of the last 60 seconds' })
  rag(@Headers('authorization') authorization: string | undefined) {
    return this.#health.retrieval(authorization);
  }
}
