import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const swc = JSON.parse(readFileSync(fileURLToPath(new URL('./.swcrc', import.meta.url)), 'utf8'));

/** Tests run from source: the condition makes `@palimpsest/<lib>` resolve to its `src/index.ts`. */
export default {
  testEnvironment: fileURLToPath(new URL('./tools/jest/plain-environment.mjs', import.meta.url)),
  testEnvironmentOptions: { customExportConditions: ['@palimpsest/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  // Only ends a test that hangs: no test may depend on speed, and a busy machine can be twenty times slower.
  testTimeout: 600_000,
};
