import { Controller, Inject } from '@nestjs/common';
import { getHealth, getLiveness, getReadiness, getRoot } from '@palimpsest/contracts/routes/health';
import { Route, type Call } from '@palimpsest/http';
import { VERSION } from '@palimpsest/foundation/version';
import { ReadHealth } from './read-health.ts';

/** The root and the health checks, served by every process. */
@Controller()
export class HealthController {
  readonly #health: ReadHealth;

  constructor(@Inject(ReadHealth) health: ReadHealth) {
    this.#health = health;
  }

  @Route(getRoot)
  root() {
    return { name: 'palimpsest' as const, version: VERSION, openapi: '/openapi.json', health: '/health/ready', search: 'POST /v1/search' };
  }

  @Route(getLiveness)
  live() {
    return { status: 'ok' as const };
  }

  @Route(getReadiness)
  async ready({ reply }: Call<typeof getReadiness>) {
    const { ready, ...body } = await this.#health.readiness();
    if (!ready) void reply.status(503);
    return body;
  }

  @Route(getHealth)
  rag({ request }: Call<typeof getHealth>) {
    return this.#health.retrieval(request.headers.authorization);
  }
}
