export { createLogger } from './logger.ts';
export { runMain, type MainProgram, type Running } from './run-main.ts';
