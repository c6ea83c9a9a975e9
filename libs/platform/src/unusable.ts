/** A placeholder for a dependency that features only store while they are assembled. Every call of a method throws. */
export const unusable = <T>(name: string): T =>
  new Proxy(
    {},
    {
      get: (_, member) => {
        if (member === 'then') return undefined;
        return () => {
          throw new Error(`${name}.${String(member)} was called on a placeholder`);
        };
      },
    },
  ) as T;
