/** The moment in the past that a page shows: a position of the log, or a time (RFC 3339). Undefined: now. */
export type AsOf = string | undefined;

export const AS_OF = 'asOf';

/** Every page has the moment in its address, so that what it shows can be bookmarked and shared. */
export const asOfIn = (parameters: URLSearchParams): AsOf => parameters.get(AS_OF)?.trim() || undefined;

/** The address of a page that shows the same moment. */
export const inTime = (path: string, asOf: AsOf): string => {
  if (asOf === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ [AS_OF]: asOf }).toString()}`;
};

export const isPosition = (asOf: string): boolean => /^\d+$/.test(asOf);

/** Whether something that was recorded at this place is part of what the moment shows. */
export const isShown = ({ position, at }: Readonly<{ position: string; at: string }>, asOf: AsOf): boolean => {
  if (asOf === undefined) return true;
  return isPosition(asOf) ? BigInt(position) <= BigInt(asOf) : Date.parse(at) <= Date.parse(asOf);
};

/** The position before, which shows what an event changed as it was. */
export const justBefore = (position: string): string => String(BigInt(position) - 1n);
