import { PERSON, QUESTION, SECRETS } from './contents.mjs';
import { secretsIn } from './residue.mjs';

const RECEIPT = 'receipt.json';

/** Erases the person, and asks for what may be left. */
export const erase = async (story, traceId) => {
  story.step(
    'A person asks to be forgotten',
    'The key of their letters is destroyed, which makes every copy on the log unreadable, and what was derived from them is removed. The other documents stay, and the log is intact.',
  );
  await story.run('subject', 'find', PERSON);
  const { documents } = await story.read('documents', 'list', '--source', 'letters/');
  const erased = await story.run('subject', 'erase', PERSON, '--confirm', PERSON);
  await story.run('subject', 'receipt', /^erasure (\S+)/u.exec(erased)?.[1] ?? '', RECEIPT);
  const { hits } = await story.read('search', QUESTION, '--kb', 'default', '--top', '50');
  story.expect('a search finds the rules, and no letter', hits.length > 0 && hits.every(({ source }) => source.startsWith('company/')));
  const refusal = await story.refused('documents', 'version', documents[0].documentId, '1');
  story.expect('no version of a letter can be read any more', refusal.includes('ScopeKeyDestroyed'));
  await story.run('replay', traceId);
  const { differences } = await story.read('replay', traceId);
  story.expect(
    'the replay of last week names the erasure',
    differences.some(({ reason }) => reason === 'erased'),
  );
  await story.run('verify', '--log');
  story.expect('the signed log is intact', (await story.read('verify', '--log')).intact);
  await story.run('verify', '--full');
  story.expect('the read models match the log', (await story.read('verify')).clean);
};

/** What can be checked without a server. */
export const prove = async (story, data, publicKey) => {
  story.step(
    'Proof',
    'The platform has ended. Its receipt is checked without it, and every byte of its data folder is scanned for the letters.',
  );
  await story.run('receipt', 'check', RECEIPT, '--key', publicKey);
  const { valid, problems } = await story.read('receipt', 'check', RECEIPT, '--key', publicKey);
  story.expect(`the receipt is valid${problems.map((problem) => `; ${problem}`).join('')}`, valid);
  const found = await secretsIn(data);
  story.expect(`${found.length} of ${SECRETS.length} texts of the letters are in the data folder`, found.length === 0);
};
