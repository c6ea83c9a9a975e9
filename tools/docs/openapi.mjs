/** The platform's OpenAPI document, generated in this process: the features are put together on ports that must not be used. */
import { inRoot } from '../setup/workspace.mjs';

export const openApi = async () => {
  await import('reflect-metadata');
  const { describePlatform, WHOLE_PLATFORM } = await import(inRoot('libs/platform/src/index.ts'));
  const { platformConfig } = await import(inRoot('libs/platform/src/settings.ts'));
  return describePlatform(WHOLE_PLATFORM, platformConfig({}));
};
