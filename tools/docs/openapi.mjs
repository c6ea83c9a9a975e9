/** The platform's OpenAPI document, generated in this process: the application is assembled with ports that must not be used. */
import { inRoot } from '../setup/workspace.mjs';

export const openApi = async () => {
  await import('reflect-metadata');
  const { PORT } = await import(inRoot('libs/runtime/src/index.ts'));
  const { DIGESTS, EMBEDDING_CALLS } = await import(inRoot('libs/projections/src/index.ts'));
  const { describeApp, unusable } = await import(inRoot('libs/host/src/index.ts'));
  const { platformConfig } = await import(inRoot('apps/platform/src/config.ts'));
  const { PlatformModule } = await import(inRoot('apps/platform/src/platform.module.ts'));
  const bound = new Map([...Object.entries(PORT), ['Digests', DIGESTS], ['EmbeddingCalls', EMBEDDING_CALLS]].map(([name, token]) => [token, unusable(name)]));
  bound.set(PORT.Settings, platformConfig({}));
  return describeApp(PlatformModule.on({ bound, apiKeys: unusable('ApiKeys'), localServer: unusable('LocalServer') }, () => undefined));
};
