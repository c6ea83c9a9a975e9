/**
 * Runs the examples of the documentation on their own platform, and compares their output with the documents.
 * With `--write`, the documents are updated with the printed output. Needs a build.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { runOnPinnedNode } from '../run-on-pinned-node.mjs';
import { inRoot } from '../../setup/workspace.mjs';
import { examplesIn, withOutputs } from './blocks.mjs';
import { fits, updated } from './compare.mjs';
import { ExampleSession } from './session.mjs';

/** Each list is one platform, starting with its start; `sections`: only those. */
const RUNS = [
  [
    { file: 'README.md', sections: ['Start'], onlyWithOutput: true },
    { file: 'docs/how-to/back-up-and-recover.md', sections: ['Verify and rebuild'] },
  ],
  [{ file: 'docs/tutorial/first-hour.md' }],
];

const START = { script: 'npm start\n' };
/** `npm start` prints these lines before the platform starts; they depend on what was already installed. */
const withoutSetup = (text) => text.replaceAll(/^setup: .*\n/gm, '');

const isRun =
  ({ sections, onlyWithOutput }) =>
  ({ section, expected }) =>
    (sections === undefined || sections.includes(section)) && (!onlyWithOutput || expected !== undefined);

const runFile = async (session, document, write) => {
  const text = readFileSync(inRoot(document.file), 'utf8');
  const findings = [];
  const changes = [];
  for (const { line, script, expected } of examplesIn(text).filter(isRun(document))) {
    const printed = await session.run(script);
    if (expected === undefined) continue;
    const shown = withoutSetup(expected.text);
    if (fits(shown, printed)) continue;
    const setup = expected.text.slice(0, expected.text.length - shown.length);
    changes.push({ start: expected.start, end: expected.end, output: setup + updated(shown, printed) });
    findings.push(
      `${document.file}:${line}: \`${script.trim().split('\n')[0]}\` prints\n${printed.replaceAll(/^/gm, '  | ')}\nbut the document shows\n${shown.replaceAll(/^/gm, '  | ')}`,
    );
  }
  if (write && changes.length > 0) writeFileSync(inRoot(document.file), withOutputs(text, changes));
  return findings;
};

await runOnPinnedNode(async () => async () => {
  const write = process.argv.includes('--write');
  const findings = [];
  for (const documents of RUNS) {
    const session = new ExampleSession();
    try {
      if (documents[0].sections !== undefined) await session.run(START.script);
      for (const document of documents) findings.push(...(await runFile(session, document, write)));
    } finally {
      await session.close();
    }
  }
  for (const finding of findings) process.stderr.write(`${finding}\n`);
  process.stderr.write(
    findings.length === 0
      ? 'docs: the output of every example matches\n'
      : `docs: the output of ${findings.length} examples differs${write ? '; the documents were updated' : '; run `npm run docs:examples` and check the diff'}\n`,
  );
  return findings.length === 0 || write ? 0 : 1;
});
