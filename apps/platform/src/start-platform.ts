import type { Logger } from 'pino';
import { listen, type ListeningApp, createPlatform, WHOLE_PLATFORM, type PlatformConfig } from '@palimpsest/platform';
import { openTelemetry } from '@palimpsest/telemetry';
import { openDataFolder, openEmbeddedAdapters, type EmbeddedAdapters } from '@palimpsest/platform/embedded';
import type { Platform } from '@palimpsest/platform';
import type { ConsoleAddress } from './console-address.ts';
import { ensureLocalKey } from './local-key.ts';
import { localServerFeature } from './local-server-controller.ts';
import { LocalServer } from './local-server.ts';
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
  const telemetry = await openTelemetry({ ...config, service: 'platform' });
  let adapters: EmbeddedAdapters | undefined;
  let running: Platform | undefined;
  let listening: ListeningApp | undefined;
  const closeAll = async (): Promise<void> => {
    await listening?.close();
    await running?.stop();
    await adapters?.close();
    await telemetry.stop();
  };
  try {
    adapters = await openEmbeddedAdapters(config, folder, onFault, telemetry);
    const localServer = new LocalServer(folder.server);
    const platform = createPlatform([...WHOLE_PLATFORM, localServerFeature(localServer)], adapters.ports);
    running = platform;
    await platform.start();
    await localServer.withdraw();
    // Before listening: a client that sees the platform ready must be able to sign in.
    const key = await ensureLocalKey(folder.localKey, platform.apiKeys, (why) => log.warn({ file: folder.localKey }, why));
    listening = await listen(platform, config, log, telemetry);
    const { url } = listening;
    const { buses, offers, journal } = platform;
    telemetry.watch({
      ...adapters.sources,
      retrievalRecordsDropped: () => offers.retrievalRecords.dropped,
      canaries: offers.canaries,
      fleets: offers.fleets.figures,
      swaps: offers.swaps.figures,
      rebuild: offers.rebuild.status,
      verifications: offers.verifications.figures,
    });
    await localServer.announce(url, key);
    const samples = config.samples ? loadSamples(buses, journal) : Promise.resolve(0);
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
