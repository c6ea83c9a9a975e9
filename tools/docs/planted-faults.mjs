/** Faults planted in memory in the README of a real project, and in stated limits. The checks must find each of them. */
import { findingsInReadme, projects } from './project-readmes.mjs';
import { wrongLimits } from './stated-limits.mjs';

const FAULTS = [
  ['no README', (project) => ({ ...project, text: undefined }), /missing/],
  [
    'a file that does not exist',
    (project) => ({ ...project, text: `${project.text}\n| file | what |\n|---|---|\n| \`gone.ts\` | |\n` }),
    /has no gone\.ts/,
  ],
  [
    'a folder that is not listed',
    (project) => ({ ...project, folders: [...project.folders, 'unlisted'] }),
    /does not name the folder unlisted/,
  ],
  [
    'a renamed file',
    (project) => ({ ...project, entries: project.entries.filter((entry) => !entry.endsWith('flow.spec.ts')) }),
    /has no flow\.spec\.ts/,
  ],
  ['a README without a list', (project) => ({ ...project, text: '# flow\n', folders: [] }), /lists no files/],
];

/** Each stated limit with another number in the code, or without its sentence in the docs. */
const unnoticedLimits = (limits) =>
  limits.flatMap(([file, sentence, ...numbers]) => [
    ...(wrongLimits([[file, sentence, ...numbers.map((number) => number + 1)]]).length === numbers.length
      ? []
      : [`${file}: another number`]),
    ...(wrongLimits([[file, sentence, ...numbers]], () => '').length > 0 ? [] : [`${file}: a sentence that is gone`]),
  ]);

/** One line for each planted fault that a check does not find. */
export const unnoticedFaults = (limits) => {
  const flow = projects().find(({ folder }) => folder === 'e2e/flow');
  return [
    ...FAULTS.filter(([, plant, expected]) => !findingsInReadme(plant(flow)).some((finding) => expected.test(finding))).map(
      ([name]) => name,
    ),
    ...unnoticedLimits(limits),
  ].map((name) => `check of the docs: did not notice ${name}`);
};
