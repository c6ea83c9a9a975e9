export { platformConfig, type PlatformConfig } from './config.ts';
export { startPlatform, type RunningPlatform } from './start-platform.ts';
export { createLogger } from './logger.ts';
