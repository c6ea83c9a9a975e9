import type { Logger } from 'pino';
import { listen, openTelemetry, type ListeningApp } from '@palimpsest/host';
import { SubmitDocument, KnowledgeBases } from '@palimpsest/ingestion';
import { START } from '@palimpsest/knowledge';
import { TraceQueue } from '@palimpsest/query';
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
  /** Where a person looks at it, when the console is served. */
  console: Omit<ConsoleAddress, 'isTerminal'> | undefined;
  samples: Promise<number>;
  stop: () => Promise<void>;
}>;

/** Opens the folder, starts the features, listens. Whatever goes wrong on the way closes what was opened. */
export const startPlatform = async (config: PlatformConfig, log: Logger): Promise<RunningPlatform> => {
  const folder = await openDataFolder(config.data);
  const onFault = (error: unknown, about: string): void => log.error({ err: error, about }, 'fault');
  const telemetry = await openTelemetry({ service: 'platform', otlpEndpoint: config.otlpEndpoint, metrics: config.metrics });
  let adapters: OpenAdapters | undefined;
  let listening: ListeningApp | undefined;
  const letGo = async (): Promise<void> => {
    await listening?.close();
    await adapters?.apiKeys.stop();
    await adapters?.admission.stop();
    await adapters?.close();
    await telemetry.stop();
  };
  try {
    adapters = await openEmbeddedAdapters(config, folder, onFault, telemetry);
    await adapters.apiKeys.start(START, (error) => onFault(error, 'following API keys'));
    await adapters.admission.limits.start(START, (error) => onFault(error, 'following the limits of tenants'));
    await LocalServer.forget(folder.server);
    // Before anybody is let in: a client that asks whether the platform is ready gets an answer only when it can sign in.
    const key = await ensureLocalKey(folder.localKey, adapters.apiKeys, (why) => log.warn({ file: folder.localKey }, why));
    const localServer = new LocalServer(folder.server, key);
    const module = PlatformModule.on({ ...adapters, localServer }, (error, request) => log.error({ err: error, ...request }, 'request failed'));
    listening = await listen(module, config, adapters.apiKeys, log, telemetry);
    const { app, url } = listening;
    telemetry.watch({ ...adapters.sources, tracesDropped: () => app.get(TraceQueue, { strict: false }).dropped });
    await localServer.announce(url);
    const samples = config.samples ? loadSamples(app.get(KnowledgeBases), app.get(SubmitDocument), adapters.journal) : Promise.resolve(0);
    samples.catch((error: unknown) => onFault(error, 'loading the samples'));
    const stop = async (): Promise<void> => {
      await localServer.withdraw();
      await samples.catch(() => undefined);
      await letGo();
    };
    return { url, console: config.console ? { url, host: config.host, key, keyFile: folder.localKey } : undefined, samples, stop };
  } catch (error) {
    await letGo();
    throw error;
  }
};
