import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { NO_TIERS } from '@palimpsest/knowledge/limits';
import { readTiers } from './tiers.ts';

describe('the file of tiers', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'tiers-'))));
  afterAll(() => rm(folder, { recursive: true }));
  const file = async (text: string): Promise<string> => {
    await writeFile(join(folder, 'tiers.json'), text);
    return join(folder, 'tiers.json');
  };

  it('is optional', () => expect(readTiers(undefined)).toBe(NO_TIERS));
  it('holds the limits of each tier', async () =>
    expect(readTiers(await file('{ "default": "free", "tiers": { "free": { "quotas": { "documents": 5 } }, "pro": {} } }'))).toEqual({
      default: 'free',
      tiers: { free: { quotas: { documents: 5 } }, pro: {} },
    }));
  it('has a valid example in the repository', () => {
    const { tiers } = readTiers(new URL('../../../../deploy/tiers.example.json', import.meta.url).pathname);
    expect(Object.keys(tiers)).toEqual(['free', 'starter', 'pro', 'enterprise']);
    expect(readFileSync(new URL('../../../../docs/how-to/limit-tenants.md', import.meta.url), 'utf8')).toContain(
      'deploy/tiers.example.json',
    );
  });
  it('is refused with the name of the invalid field', async () => {
    expect(() => readTiers(join(folder, 'none.json'))).toThrow(
      /^PALIMPSEST_TIERS: expected a file that can be read, got ".*none\.json \(ENOENT\)"/,
    );
    const broken = await file('{ "tiers": ');
    expect(() => readTiers(broken)).toThrow(/^PALIMPSEST_TIERS: expected a JSON file/);
    const misspelt = await file('{ "tiers": { "free": { "quotas": { "document": 5 } } } }');
    expect(() => readTiers(misspelt)).toThrow('PALIMPSEST_TIERS.tiers.free.quotas.document: expected a known field, got "document"');
  });
});
