/** Current time, ISO 8601 in UTC: the clock of all use cases. */
export const now = (): string => new Date().toISOString();
