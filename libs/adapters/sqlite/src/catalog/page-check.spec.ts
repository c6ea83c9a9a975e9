import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { PAGE_BYTES as PAGE } from './catalog-schema.ts';
import { changedPages } from './page-check.ts';
import { PageSums } from './page-sums.ts';

const BEFORE = 2 ** 30 / PAGE; // the page before the one that SQLite never uses
const PAGES = BEFORE + 3;

describe('a catalog of more than a gigabyte', () => {
  const folder = mkdtempSync(join(tmpdir(), 'page-check-'));
  const path = join(folder, 'catalog.db');
  let file: number;
  let sums: PageSums;

  beforeAll(() => {
    file = openSync(path, 'w+');
    // A sparse file with only the pages under test, so that it does not take a gigabyte.
    const crcs = new Uint32Array(PAGES);
    for (const page of [BEFORE, BEFORE + 2, BEFORE + 3]) {
      const bytes = Buffer.alloc(PAGE, page % 251);
      writeSync(file, bytes, 0, PAGE, (page - 1) * PAGE);
      crcs[page - 1] = crc32(bytes);
    }
    sums = new PageSums(crcs);
  });
  afterAll(() => {
    closeSync(file);
    rmSync(folder, { recursive: true });
  });

  const damage = () => changedPages(file, sums, new Map(), BEFORE, 4);

  it('does not report the page at 1 GiB, which SQLite never writes, as damaged', () => {
    expect(damage()).toBeUndefined();
  });

  it('detects damage on both sides of that page', () => {
    for (const page of [BEFORE, BEFORE + 2]) {
      const at = (page - 1) * PAGE + 77;
      writeSync(file, Buffer.from([255]), 0, 1, at);
      expect(damage()).toBe(`page ${page} of ${PAGES} was changed`);
      writeSync(file, Buffer.from([page % 251]), 0, 1, at);
    }
  });

  it('is truncated when it ends at that page', () => {
    ftruncateSync(file, BEFORE * PAGE);
    expect(damage()).toBe(`the file ends before page ${BEFORE + 2} of ${PAGES}`);
  });
});
