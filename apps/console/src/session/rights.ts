import type { CallerView } from '@palimpsest/client';

/** Which parts of the console are shown. The server checks every request, whatever is shown. */
export type Rights = Readonly<{ reads: boolean; writes: boolean; administers: boolean; operates: boolean }>;

/** A writer is also a reader, an admin is also a writer. The role operator includes neither. */
export const rightsOf = ({ roles }: Pick<CallerView, 'roles'>): Rights => {
  const has = (...some: string[]): boolean => roles.some((role) => some.includes(role));
  return { reads: has('reader', 'writer', 'admin'), writes: has('writer', 'admin'), administers: has('admin'), operates: has('operator') };
};
