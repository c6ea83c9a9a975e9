/** Adds up the tests of many projects: a jest reporter prints one marked line per project on stdout. */
import { fileURLToPath } from 'node:url';

export const COUNTING_REPORTER = fileURLToPath(new URL('./counting-reporter.mjs', import.meta.url));
const MARK = 'palimpsest-tests';
const LINE = new RegExp(`${MARK} (\\d+) passed (\\d+) failed (\\d+) skipped`);

/** A suite that could not run counts as one failed test; jest itself counts none. */
export const countLine = (results) => {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  return `${MARK} ${results.numPassedTests} passed ${failed} failed ${skipped} skipped`;
};

/** The counts in a line, or undefined for any other line. */
export const countFrom = (line) => {
  const found = LINE.exec(line);
  return found ? { passed: Number(found[1]), failed: Number(found[2]), skipped: Number(found[3]) } : undefined;
};

export const addCounts = (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped });
