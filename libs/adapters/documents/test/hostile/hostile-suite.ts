import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DocumentParser, ParseInput, ParseOutcome } from '@palimpsest/knowledge/ports';
import { openDocumentParser } from '../../src/open-document-parser.ts';
import { file, type Expected, type HostileKind } from './hostile-kind.ts';

/**
 * A long timeout for files that can be read, however busy the machine is. For endless files, a second of CPU time shows as much as a
 * minute. The memory limit is that of the platform.
 */
const PATIENT_MS = 240_000;
const PATIENT = { processes: 1, timeoutMs: PATIENT_MS, slowTimeoutMs: PATIENT_MS, filesPerProcess: 1_000 };
const HASTY = { ...PATIENT, computeMs: 1_500, computeMsPerMb: 1 };

const NOTE = file('note.md', '# Still here\n\nThe lamp burns.\n');

/** Everything that could reach an index or a model. */
const allOf = (outcome: Extract<ParseOutcome, { outcome: 'parsed' }>): string => {
  const { text, title = '', headings, sheets, metadata } = outcome.document;
  return [text, title, JSON.stringify([headings, sheets, metadata])].join('\n');
};

/** Short enough for a failure report. */
const brief = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text);

function expectOutcome(outcome: ParseOutcome, expected: Expected): void {
  if ('refused' in expected) {
    expect(outcome).toMatchObject({ outcome: 'rejected' });
    if (outcome.outcome !== 'rejected') return;
    expect(expected.refused).toContain(outcome.reason);
    expect(outcome.detail).toMatch(expected.detail ?? /^[A-Z].{5,}\.$/s);
    return;
  }
  if (outcome.outcome === 'rejected') throw new Error(`rejected as ${outcome.reason}: ${outcome.detail}`);
  const { text, warnings } = outcome.document;
  if (!expected.indexed.test(text)) throw new Error(`no ${expected.indexed} in: ${brief(text)}`);
  if (expected.without?.test(allOf(outcome)) === true) throw new Error(`${expected.without} in: ${brief(text)}`);
  if (expected.warning !== undefined) expect(warnings).toContainEqual(expect.stringMatching(expected.warning));
}

/** Checks the outcome of each of these kinds, and of a good file after all of them. */
export const describeHostileFiles = (name: string, kinds: Readonly<Record<string, readonly HostileKind[]>>): void =>
  describe(`hostile files: ${name}`, () => {
    let patient: DocumentParser;
    let hasty: DocumentParser;
    beforeAll(async () => {
      patient = await openDocumentParser(PATIENT);
      hasty = await openDocumentParser(HASTY);
    });
    afterAll(async () => {
      // Both pools still work.
      for (const parser of [patient, hasty]) {
        expect(await parser.parse(NOTE)).toMatchObject({ outcome: 'parsed', document: { title: 'Still here' } });
        await parser.close();
      }
    });

    const read = async ({ make, endless }: HostileKind): Promise<ParseOutcome> => {
      const input: ParseInput = await make();
      return (endless === true ? hasty : patient).parse(input);
    };

    describe.each(Object.entries(kinds))('%s', (_, list) => {
      it.each(list.map((hostile) => [hostile.name, hostile] as const))(
        '%s',
        async (_name, hostile) => expectOutcome(await read(hostile), hostile.expected),
        PATIENT_MS + 60_000,
      );
    });
  });
