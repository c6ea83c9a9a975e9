/** Faults planted in memory in the README of a real project. The check of READMEs must find each of them, and nothing without them. */
import { findingsInReadme, projects } from './project-readmes.mjs';

const FAULTS = [
  ['no README', (project) => ({ ...project, text: undefined }), /missing/],
  [
    'a file that does not exist',
    (project) => ({ ...project, text: `${project.text}\n| file | what |\n|---|---|\n| \`gone.ts\` | |\n` }),
    /has no gone\.ts/,
  ],
  [
    'a folder that nobody lists',
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

/** One line for each planted fault that the check does not find. */
export const unnoticedFaults = () => {
  const flow = projects().find(({ folder }) => folder === 'e2e/flow');
  return FAULTS.filter(([, plant, expected]) => !findingsInReadme(plant(flow)).some((finding) => expected.test(finding))).map(
    ([name]) => `check of READMEs: did not notice ${name}`,
  );
};
