import { countLine } from './count-tests.mjs';

/** On stdout, which nx caches and prints again when a project's tests need not run. */
export default class CountingReporter {
  onRunComplete(_contexts, results) {
    process.stdout.write(`${countLine(results)}\n`);
  }
}
