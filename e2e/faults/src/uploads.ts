import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { realData } from '@palimpsest/e2e-support/real-data';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';

/** The tenants: two that are searched all the time, one whose scope moves to another model, and one for probes. */
export const TENANTS = ['north', 'south', 'moving', 'watch'] as const;
export type Tenant = (typeof TENANTS)[number];

export type Upload = Readonly<{ tenant: Tenant; sourceId: string; content: () => Uint8Array<ArrayBuffer> }>;

export const REAL_DOCUMENTS = 500;
const MARKERS = 10;
const MOVING_DOCUMENTS = 30;
const SEED = 4;

/** Consonants only, so that every format and analyser keeps the word intact, and no two words share a stem. */
const word = (n: number): string =>
  `zq${String(n)
    .padStart(5, '0')
    .replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? '')}x`;

/** Words that occur only in documents of this tenant. */
export const markersOf = (tenant: Tenant): readonly string[] =>
  Array.from({ length: MARKERS }, (_, i) => word(1_000 * (1 + TENANTS.indexOf(tenant)) + i));

/** The word of a document that is sent to check that everything works again. */
export const probeWord = (n: number): string => word(90_000 + n);

/** All have the same text except for one word, so a search for the plan would find documents of other tenants if isolation failed. */
const markedText = (tenant: Tenant, marker: string): string =>
  `The common plan of the spring festival. Only ${tenant} knows the word ${marker}, and what ${marker} means.\n`;

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const markedUploads = (tenant: Tenant): readonly Upload[] =>
  markersOf(tenant).map((marker) => ({ tenant, sourceId: `${marker}.txt`, content: () => bytes(markedText(tenant, marker)) }));

export const probeUpload = (n: number): Upload => ({
  tenant: 'watch',
  sourceId: `${probeWord(n)}.txt`,
  content: () => bytes(`A probe that holds the word ${probeWord(n)}.\n`),
});

/** @throws if there are not enough files, so that the suite never tests fewer documents than it claims */
const realFiles = (): readonly string[] => {
  const folder = realData('documents');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== 'MANIFEST.tsv',
  );
  const files = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
  if (files.length < REAL_DOCUMENTS + MOVING_DOCUMENTS)
    throw new Error(`${folder} contains ${files.length} documents, expected at least ${REAL_DOCUMENTS + MOVING_DOCUMENTS}`);
  return files;
};

const fromFile = (tenant: Tenant, path: string): Upload => {
  // Copied, because the underlying memory of a pooled Buffer contains bytes of other files.
  const content = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(join(realData('documents'), path)));
  return { tenant, sourceId: path.split(sep).join('/'), content };
};

/** The uploads during the faults, alternating between two tenants; and the uploads before them, of the tenant that moves. */
export const allUploads = (): Readonly<{ duringFaults: readonly Upload[]; before: readonly Upload[] }> => {
  const random = new SeededRandom(SEED);
  const files = random.shuffled(realFiles());
  const [real, rest] = [files.slice(0, REAL_DOCUMENTS), files.slice(REAL_DOCUMENTS)];
  const alternating = real.map((path, i) => fromFile(i % 2 === 0 ? 'north' : 'south', path));
  const marked = [...markedUploads('north'), ...markedUploads('south')];
  return {
    duringFaults: random.shuffled([...alternating, ...marked]),
    before: [...rest.slice(0, MOVING_DOCUMENTS).map((path) => fromFile('moving', path)), ...markedUploads('moving')],
  };
};
