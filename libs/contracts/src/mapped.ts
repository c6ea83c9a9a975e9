/** The same keys with other values. */
export const mapped = <From, To>(record: Readonly<Record<string, From>>, to: (value: From, key: string) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value, key)]));
