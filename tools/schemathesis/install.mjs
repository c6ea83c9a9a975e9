/** Installs schemathesis into its own environment: about ten seconds the first time, then nothing. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../setup/python-environment.mjs';

/** The path of its command. @throws Error with a single line if Python is missing, or the package cannot be installed */
export const schemathesis = () =>
  join(pythonEnvironment('schemathesis', fileURLToPath(new URL('./requirements.txt', import.meta.url))), 'st');
