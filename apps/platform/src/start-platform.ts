import type { Logger } from 'pino';
import { listen, openTelemetry, type ListeningApp } from '@palimpsest/host';
import { SubmitDocument, KnowledgeBases } from '@palimpsest/ingestion';
import { START } from '@palimpsest/knowledge';
import { RetrievalRecordQueue } from '@palimpsest/query';
import { openEmbeddedAdapters, type OpenAdapters } from './adapters.ts';
import type { PlatformConfig } from './config.ts';
import type { ConsoleAddress } from './console-address.ts';
import { openDataFolder } from './data-folder.ts';
import { ensureLocalKey } from './local-key.ts';
import { LocalServer } from './local-server.ts';
import { PlatformModule } from './platform.module.ts';
import { loadSamples } from './samples.ts';

export type RunningPlatform = Readonly<{
  url: string;
  /** The address of the console, if it is served. */
  console: Omit<ConsoleAddress, 'isTerminal'> | undefined;
  samples: Promise<number>;
  stop: () => Promise<void>;
}>;

/** Opens the folder, starts the features and listens. On an error, everything that was opened is closed. */
export const startPlatform = async (config: PlatformConfig, log: Logger): Promise<RunningPlatform> => {
  const folder = await openDataFolder(config.data);
  const onFault = (error: unknown, about: string): void => log.error({ err: error, about }, 'fault');
  const telemetry = await openTelemetry({ service: 'platform', otlpEndpoint: config.otlpEndpoint, metrics: config.metrics });
  let adapters: OpenAdapters | undefined;
  let listening: ListeningApp | undefined;
  const closeAll = async (): Promise<void> => {
    await listening?.close();
    await adapters?.apiKeys.stop();
    await adapters?.quotaPolicy.stop();
    await adapters?.close();
    await telemetry.stop();
  };
  try {
    adapters = await openEmbeddedAdapters(config, folder, onFault, telemetry);
    await adapters.apiKeys.start(START, (error) => onFault(error, 'following API keys'));
    await adapters.quotaPolicy.limits.start(START, (error) => onFault(error, 'following the limits of tenants'));
    await LocalServer.forget(folder.server);
    // Before listening: a client that sees the platform ready must be able to sign in.
    const key = await ensureLocalKey(folder.localKey, adapters.apiKeys, (why) => log.warn({ file: folder.localKey }, why));
    const localServer = new LocalServer(folder.server, key);
    const module = PlatformModule.on({ ...adapters, localServer }, (error, request) => log.error({ err: error, ...request }, 'request failed'));
    listening = await listen(module, config, adapters.apiKeys, log, telemetry);
    const { app, url } = listening;
    telemetry.watch({ ...adapters.sources, retrievalRecordsDropped: () => app.get(RetrievalRecordQueue, { strict: false }).dropped });
    await localServer.announce(url);
    const samples = config.samples ? loadSamples(app.get(KnowledgeBases), app.get(SubmitDocument), adapters.journal) : Promise.resolve(0);
    samples.catch((error: unknown) => onFault(error, 'loading the samples'));
    const stop = async (): Promise<void> => {
      await localServer.withdraw();
      await samples.catch(() => undefined);
      await closeAll();
    };
    return { url, console: config.console ? { url, host: config.host, key, keyFile: folder.localKey } : undefined, samples, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
};
