import { resolve } from 'node:path';
import { z } from 'zod';
import {
  embeddingOf,
  embeddingSettings,
  httpOf,
  httpSettings,
  ingestionOf,
  ingestionSettings,
  reembeddingOf,
  reembeddingSettings,
  queryOf,
  querySettings,
  readSettings,
} from '../settings/process-settings.ts';

/** Every setting of the embedded platform, as environment variables; `docs/reference/configuration.md` is generated from it. */
export const settingsSchema = z.object({
  ...httpSettings,
  PALIMPSEST_DATA: z.string().min(1).default('.palimpsest').describe('folder that holds all data'),
  PALIMPSEST_SAMPLES: z.enum(['true', 'false']).default('true').describe('load the sample documents on the first start'),
  ...ingestionSettings,
  ...reembeddingSettings,
  ...embeddingSettings,
  ...querySettings,
});

const configOf = (env: z.output<typeof settingsSchema>, environment: Readonly<Record<string, string | undefined>>) => ({
  ...httpOf(env),
  ...ingestionOf(env),
  ...reembeddingOf(env),
  ...queryOf(env),
  data: resolve(env.PALIMPSEST_DATA),
  samples: env.PALIMPSEST_SAMPLES === 'true',
  embedding: embeddingOf(env, environment, resolve(env.PALIMPSEST_DATA, 'models')),
});

export type PlatformConfig = ReturnType<typeof configOf>;

/** @throws InvalidValue naming the variable */
export const platformConfig = (env: Readonly<Record<string, string | undefined>>): PlatformConfig =>
  readSettings(settingsSchema, configOf, env);
