import { openDatabase, temporaryDatabase } from './open-database.ts';
import { SqliteCatalog, type OnCatalogDamage } from './sqlite-catalog.ts';

export type SqliteCatalogOptions = Readonly<{
  file: string;
  /** Called when a page changed while the file was open. All reads and writes are then refused until `reset`. */
  onDamage?: OnCatalogDamage;
  /** Called when the file was damaged and its content was deleted; the log still has all data. Called before the opening resolves. */
  onEmptied?: OnCatalogDamage;
  /** Whether others use the catalog now. While they do not, several calls of `apply` are one transaction, until `commit`. Default: always. */
  isServing?: () => boolean;
  /** The file is deleted after use: it begins empty, nothing is durable, and no page has a checksum. Default: false. */
  isTemporary?: boolean;
}>;

/** Empties a file that is damaged or of another version. @throws when the folder cannot be created or the file cannot be opened */
export const openSqliteCatalog = async ({
  file,
  onDamage = ignored,
  onEmptied = ignored,
  isServing = always,
  isTemporary = false,
}: SqliteCatalogOptions): Promise<SqliteCatalog> => {
  const of = { path: file, isTemporary };
  if (isTemporary) return new SqliteCatalog(temporaryDatabase(file), of, onDamage, isServing);
  const { db, emptied } = openDatabase(file);
  if (emptied !== undefined) onEmptied(emptied);
  return new SqliteCatalog(db, of, onDamage, isServing);
};

const always = (): boolean => true;
const ignored = (): void => undefined;
