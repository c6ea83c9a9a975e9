import type { CallerView } from '@palimpsest/client';

/** What the console shows of itself. The server decides by itself, whatever is shown. */
export type Rights = Readonly<{ reads: boolean; writes: boolean; operates: boolean }>;

/** A writer is a reader, an admin is a writer; an operator is neither by itself. */
export const rightsOf = ({ roles }: Pick<CallerView, 'roles'>): Rights => {
  const has = (...some: string[]): boolean => roles.some((role) => some.includes(role));
  return { reads: has('reader', 'writer', 'admin'), writes: has('writer', 'admin'), operates: has('operator') };
};
