import { describePlatform } from '../describe-platform.ts';
import { WHOLE_PLATFORM } from '../features.ts';
import type { ServiceConfig } from './settings.ts';

/** API description of the whole installation, the same from every service: behind a gateway they share one address. */
export const wholeApi = (settings: ServiceConfig) => describePlatform(WHOLE_PLATFORM, { ...settings, ingestionConcurrency: 1, ingestionAttempts: 1, retrievalRecordRetentionSeconds: 1 });
