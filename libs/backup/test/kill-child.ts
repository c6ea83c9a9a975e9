import { writeSync } from 'node:fs';
import { backUp } from '../src/back-up.ts';
import { restoreBackup } from '../src/restore-backup.ts';
import { passphrase } from '../src/sealed/secret.ts';
import { COSTS } from './a-folder.ts';

/** `kill-child.ts <backup|restore> <data> <file>`: prints a line for each step, so that a parent can kill it at any step. */
const [what, data = '', file = ''] = process.argv.slice(2);
const secret = passphrase('correct horse battery');
const reportStep = (): void => void writeSync(1, '.\n');

if (what === 'backup')
  await backUp({
    data,
    target: file,
    secret,
    by: 'test',
    costs: COSTS,
    onProgress: reportStep,
    sink: (sink) => ({ write: async (bytes) => (reportStep(), sink.write(bytes)) }),
  });
else await restoreBackup({ file, data, secret, onProgress: reportStep });
