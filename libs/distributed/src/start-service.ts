import type { DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import type { SqliteCatalog } from '@palimpsest/adapters-sqlite';
import { listen, openTelemetry, type ListeningApp, type Running } from '@palimpsest/host';
import { DEFAULT_TENANT, START } from '@palimpsest/knowledge';
import type { PartitionLeases } from '@palimpsest/knowledge';
import type { ReadModelRunner } from '@palimpsest/projections';
import { RetrievalRecordQueue } from '@palimpsest/query';
import { PORT, type FaultLog } from '@palimpsest/runtime';
import { openDistributedAdapters, type OpenAdapters } from './open-adapters.ts';
import type { ServiceConfig } from './settings.ts';
import { SnapshotWriter } from './snapshot-writer.ts';

export type ServiceModule = (adapters: OpenAdapters, log: FaultLog) => DynamicModule;

/** Connects a service to its servers, starts its features and listens. If a step fails, everything opened so far is closed. */
export const startService = async (service: string, config: ServiceConfig, log: Logger, moduleOn: ServiceModule): Promise<Running> => {
  const onFault = (error: unknown, about: string): void => log.error({ err: error, about }, 'fault');
  // Errors from which clients recover automatically: a restarted broker, a resumed subscription.
  const onNotice = (error: unknown, about: string): void => log.warn({ err: error, about }, 'recoverable error');
  const telemetry = await openTelemetry({ service, otlpEndpoint: config.otlpEndpoint, metrics: config.metrics });
  const adapters = await openDistributedAdapters(service, config, { onFault, onNotice, telemetry }).catch(async (error: unknown) => {
    await telemetry.stop();
    throw error;
  });
  const { apiKeys, quotaPolicy, restored } = adapters;
  if (restored !== undefined) log.info({ position: String(restored) }, 'started from a snapshot');
  let listening: ListeningApp | undefined;
  const end = async (): Promise<void> => {
    await listening?.close();
    await apiKeys.stop();
    await quotaPolicy.stop();
    await adapters.close();
    await telemetry.stop();
  };
  try {
    await apiKeys.start(START, (error) => onFault(error, 'following API keys'));
    await quotaPolicy.limits.start(START, (error) => onFault(error, 'following tenant limits'));
    if (config.adminKey !== undefined)
      await apiKeys.ensure(DEFAULT_TENANT, config.adminKey, { name: 'first', teams: ['*'], user: 'local', roles: ['admin', 'operator'] }, service);
    listening = await listen(moduleOn(adapters, (error, request) => log.error({ err: error, ...request }, 'request failed')), config, apiKeys, log, telemetry);
    const { app, url } = listening;
    if ('retrievalRecordRetentionSeconds' in config) telemetry.watch({ ...adapters.sources, retrievalRecordsDropped: () => app.get(RetrievalRecordQueue, { strict: false }).dropped });
    const snapshots = snapshotWriter(config, adapters, onFault);
    await snapshots?.start();
    const stop = async (): Promise<void> => {
      await snapshots?.stop();
      await end();
    };
    return { url, stop };
  } catch (error) {
    await end();
    throw error;
  }
};

const snapshotWriter = (config: ServiceConfig, { snapshots, bound }: OpenAdapters, onFault: (error: unknown, about: string) => void): SnapshotWriter | undefined => {
  if (!snapshots || !('indexes' in config) || config.indexes.snapshotMinutes === 0) return undefined;
  const ports = {
    snapshots,
    onFault,
    runner: bound.get(PORT.ReadModels) as ReadModelRunner,
    catalog: bound.get(PORT.Catalog) as SqliteCatalog,
    shares: bound.get(PORT.PartitionLeases) as PartitionLeases,
  };
  return new SnapshotWriter(ports, config.indexes.snapshotMinutes * 60_000);
};
