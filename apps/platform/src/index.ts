export { platformConfig, type PlatformConfig } from './config.ts';
export { startPlatform, type RunningPlatform } from './start-platform.ts';
