import type { Logger } from 'pino';
import { listen, type ListeningApp } from '../serve/create-app.ts';
import { openTelemetry, type Telemetry } from '@palimpsest/telemetry';
import type { Running } from '../process/run-main.ts';
import { DEFAULT_TENANT } from '@palimpsest/knowledge/values';
import type { Platform } from '../platform.ts';
import type { Task } from '@palimpsest/runtime';
import { createPlatform } from '../create-platform.ts';
import { INGESTION_SERVICE, QUERY_SERVICE, REEMBEDDING_SERVICE } from '../features.ts';
import { openIngestionAdapters, openQueryAdapters, openReembeddingAdapters, type Context, type QueryAdapters } from './open-adapters.ts';
import type { IngestionServiceConfig, QueryServiceConfig, ReembeddingServiceConfig, ServiceConfig } from './settings.ts';
import { SnapshotWriter } from './snapshot-writer.ts';

/** What a service starts, on adapters that it opened. `afterwards`: started once it listens. */
type Service = Readonly<{ platform: Platform; afterwards?: Task | undefined; close: () => Promise<void> }>;

export const startIngestionService = (config: IngestionServiceConfig, log: Logger): Promise<Running> =>
  start('ingestion', config, log, async (context) => {
    const { ports, close } = await openIngestionAdapters(config, context);
    return { platform: createPlatform(INGESTION_SERVICE, ports), close };
  });

export const startReembeddingService = (config: ReembeddingServiceConfig, log: Logger): Promise<Running> =>
  start('reembedding', config, log, async (context) => {
    const { ports, sources, close } = await openReembeddingAdapters(config, context);
    const platform = createPlatform(REEMBEDDING_SERVICE, ports);
    const { canaries, fleets, swaps } = platform.offers;
    context.telemetry.watch({ ...sources, canaries, fleets: fleets.figures, swaps: swaps.figures });
    return { platform, close };
  });

export const startQueryService = (config: QueryServiceConfig, log: Logger): Promise<Running> =>
  start('query', config, log, async (context) => {
    const adapters = await openQueryAdapters(config, context);
    const { ports, sources, restored, close } = adapters;
    if (restored !== undefined) log.info({ position: String(restored) }, 'started from a snapshot');
    const platform = createPlatform(QUERY_SERVICE, ports);
    const { retrievalRecords, rebuild, verifications } = platform.offers;
    context.telemetry.watch({
      ...sources,
      retrievalRecordsDropped: () => retrievalRecords.dropped,
      rebuild: rebuild.status,
      verifications: verifications.figures,
    });
    return { platform, afterwards: snapshotWriter(config, adapters), close };
  });

/** Connects a service to its servers, starts its features and listens. If a step fails, everything opened so far is closed. */
const start = async (
  name: string,
  config: ServiceConfig,
  log: Logger,
  open: (context: Context & Readonly<{ telemetry: Telemetry }>) => Promise<Service>,
): Promise<Running> => {
  const onFault = (error: unknown, about: string): void => log.error({ err: error, about }, 'fault');
  // Errors from which clients recover automatically: a restarted broker, a resumed subscription.
  const onNotice = (error: unknown, about: string): void => log.warn({ err: error, about }, 'recoverable error');
  const telemetry = await openTelemetry({ ...config, service: name });
  let service: Service | undefined;
  let listening: ListeningApp | undefined;
  const stop = async (): Promise<void> => {
    await service?.afterwards?.stop();
    await listening?.close();
    await service?.platform.stop();
    await service?.close();
    await telemetry.stop();
  };
  try {
    service = await open({ onFault, onNotice, telemetry });
    const { platform, afterwards } = service;
    await platform.start();
    if (config.adminKey !== undefined)
      await platform.apiKeys.ensure(
        DEFAULT_TENANT,
        config.adminKey,
        { name: 'first', teams: ['*'], user: 'local', roles: ['admin', 'operator'] },
        name,
      );
    listening = await listen(platform, config, log, telemetry);
    await afterwards?.start();
    return { url: listening.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const snapshotWriter = (
  { indexes: { snapshotMinutes } }: QueryServiceConfig,
  { snapshots, catalog, lexicalFolder, ports: { readModels: runner, leases: shares, onFault } }: QueryAdapters,
): SnapshotWriter | undefined =>
  snapshotMinutes === 0
    ? undefined
    : new SnapshotWriter({ snapshots, runner, catalog, lexicalFolder, shares, onFault }, snapshotMinutes * 60_000);
