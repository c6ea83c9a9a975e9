import { runMain } from '@palimpsest/platform/process';
import { consoleAddress } from './console-address.ts';
import { platformConfig, type PlatformConfig } from '@palimpsest/platform/settings';
import type { RunningPlatform } from './start-platform.ts';

await runMain<PlatformConfig, RunningPlatform>({
  name: 'platform',
  config: () => platformConfig(process.env),
  starting: ({ data }) => `Starting Palimpsest on ${data}`,
  start: async (config, log) => (await import('./start-platform.ts')).startPlatform(config, log),
  afterwards: async ({ samples, console }) => {
    if (console !== undefined) process.stdout.write(`${consoleAddress({ ...console, isTerminal: process.stdout.isTTY })}\n`);
    const loaded = await samples.catch(() => 0);
    if (loaded > 0)
      process.stdout.write(`Its own documentation (${loaded} files) is being indexed as the knowledge base "palimpsest-docs".\n`);
    process.stdout.write(`Try:  npx palimpsest search "what must be backed up?"\n      npx palimpsest ingest <a folder of yours>\n`);
  },
});
