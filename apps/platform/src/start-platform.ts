import { rm, writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { listen, openTelemetry, type ListeningApp } from '@palimpsest/host';
import { SubmitDocument, KnowledgeBases } from '@palimpsest/ingestion';
import { START } from '@palimpsest/knowledge';
import { TraceQueue } from '@palimpsest/query';
import { openEmbeddedAdapters, type OpenAdapters } from './adapters.ts';
import type { PlatformConfig } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { ensureLocalKey } from './local-key.ts';
import { PlatformModule } from './platform.module.ts';
import { loadSamples } from './samples.ts';

export type RunningPlatform = Readonly<{
  url: string;
  key: string;
  /** Where a person looks at it, when the console is served. */
  console: string | undefined;
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
    // Before anybody is let in: who asks whether the platform is ready gets an answer only when clients can sign in.
    const key = await ensureLocalKey(folder.localKey, adapters.apiKeys, (why) => log.warn({ file: folder.localKey }, why));
    const module = PlatformModule.on(adapters, (error, request) => log.error({ err: error, ...request }, 'request failed'));
    listening = await listen(module, config, adapters.apiKeys, log, telemetry);
    const { app, url } = listening;
    telemetry.watch({ ...adapters.sources, tracesDropped: () => app.get(TraceQueue, { strict: false }).dropped });
    await writeFile(folder.server, `${JSON.stringify({ url, pid: process.pid, startedAt: new Date().toISOString() })}\n`, { mode: 0o600 });
    const samples = config.samples ? loadSamples(app.get(KnowledgeBases), app.get(SubmitDocument), adapters.journal) : Promise.resolve(0);
    samples.catch((error: unknown) => onFault(error, 'loading the samples'));
    const stop = async (): Promise<void> => {
      await rm(folder.server, { force: true });
      await samples.catch(() => undefined);
      await letGo();
    };
    return { url, key, console: config.console ? consoleAddress(url, key, config.host) : undefined, samples, stop };
  } catch (error) {
    await letGo();
    throw error;
  }
};

const LOOPBACK = /^(?:127\.|localhost$|::1$)/;

/**
 * With the local key behind the `#`, which a browser keeps to itself. Only where nobody else reaches the port: a service's output ends in
 * logs that others read.
 */
const consoleAddress = (url: string, key: string, host: string): string => (LOOPBACK.test(host) ? `${url}/#key=${key}` : `${url}/ (and sign in with an API key)`);
