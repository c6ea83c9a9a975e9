import type { MessageBus } from '@palimpsest/knowledge/ports';
import { feature } from '@palimpsest/runtime';
import { FailedJobs } from './failed-jobs.ts';
import { DeadLettersController } from './dead-letters-controller.ts';
import { HealthController } from './health-controller.ts';
import { OverviewController } from './overview-controller.ts';
import { StatusController } from './status-controller.ts';
import { ReadHealth, type HealthPorts } from './read-health.ts';
import { ReadOverview, type OverviewPorts } from './read-overview.ts';
import { ReadStatus, type StatusPorts } from './read-status.ts';

/** The root and the health checks, served by every process. */
export const health = feature('health', (ports: HealthPorts) => ({
  // Without a key, so not through the buses: nothing in it belongs to a tenant.
  shared: [new ReadHealth(ports)],
  routes: [HealthController],
}));

/** Status of the installation, served by a process that has access to all of it. */
export const status = feature('status', (ports: StatusPorts & OverviewPorts) => ({
  useCases: [new ReadStatus(ports), new ReadOverview(ports)],
  routes: [StatusController, OverviewController],
}));

/** Jobs that failed after all attempts. */
export const failedJobs = feature('failed-jobs', ({ bus }: Readonly<{ bus: MessageBus }>) => ({
  useCases: [new FailedJobs(bus)],
  routes: [DeadLettersController],
}));
