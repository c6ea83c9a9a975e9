/**
 * Proves that lint refuses forbidden code. Without a project graph, the boundary rule is silent, and its silence looks like
 * code without faults.
 */
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { allowed, refused } from './forbidden.mjs';

/** The configuration depends on the project's own folder, as when nx lints it. */
const projectOf = (file) => file.slice(0, file.indexOf('/src/'));

const rulesBroken = async (root, { file, code }) => {
  process.chdir(join(root, projectOf(file)));
  const [result] = await new ESLint({ cwd: process.cwd() }).lintText(code, { filePath: join(root, file) });
  return result.messages.map(({ ruleId, message }) => ruleId ?? message);
};

/** One line for each expectation that lint does not meet. */
export const checkBoundaries = async (root) => {
  // With CI=true, typescript-eslint would parse each file from disk, and never see the code of a trial.
  process.env.TSESTREE_SINGLE_RUN = 'false';
  const complaints = [];
  for (const trial of refused) {
    const broken = await rulesBroken(root, trial);
    if (!broken.includes(trial.rule)) complaints.push(`${trial.file}: lint accepts (${trial.rule}): ${trial.code.split('\n')[0]}`);
  }
  for (const trial of allowed) {
    const broken = await rulesBroken(root, trial);
    if (broken.length > 0) complaints.push(`${trial.file}: lint refuses (${broken.join(', ')}): ${trial.code.split('\n')[0]}`);
  }
  process.chdir(root);
  return complaints;
};
