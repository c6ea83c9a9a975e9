export { runCli } from './run-cli.ts';
export type { Surroundings } from './session.ts';
export { readConfig } from './config.ts';
export type { CliConfig } from './config.ts';
export { EXIT } from './failure.ts';
