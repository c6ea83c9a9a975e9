import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILT_IN, withPrefixes } from '../models.mjs';
import { CHANGED, CHANGED_RULE } from './contents.mjs';

const SCOPE = 'deployment';

const activeIn = ({ generations }) => generations.find(({ status }) => status === 'active')?.embeddingVersion;

/** If the gate does not decide, or finds the model worse, a person decides. */
const decide = async (story, { state, evaluation }) => {
  if (state === 'idle') return;
  console.log('\n  The gate leaves the decision to a person, who cuts over.');
  const force = evaluation?.verdict === 'worse' ? ['--force', '--reason', 'shown in the demo'] : [];
  await story.run('swap', 'cutover', SCOPE, ...force);
};

/** Changes a document and swaps the model. */
export const change = async (story, work, data) => {
  story.step(
    'This week',
    'The rule about holidays changes. Then another model is added, and the gate compares it with the one in use before it may serve: the network that comes with the platform, with words in front of queries and passages, so that every vector differs.',
  );
  await writeFile(join(work, CHANGED), CHANGED_RULE);
  await story.run('ingest', 'company');
  const before = activeIn(await story.read('swap', 'status', SCOPE));
  const folder = await withPrefixes(BUILT_IN, join(data, 'models', 'with-prefixes'));
  await story.run('models', 'add', '--onnx', folder);
  const added = (await story.read('models', 'list')).models.find(({ version }) => version.includes('with-prefixes'));
  await story.run('swap', 'start', SCOPE, '--model', added.version, '--gate');
  await story.run('swap', 'watch', SCOPE);
  const built = await story.read('swap', 'status', SCOPE);
  story.expect(`the gate compared both models: ${built.evaluation?.verdict}`, built.evaluation !== undefined);
  await decide(story, built);
  const after = activeIn(await story.read('swap', 'status', SCOPE));
  story.expect(`${after} serves instead of ${before}`, after === added.version && after !== before);
};
