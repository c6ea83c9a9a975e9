/**
 * A proxy for `port` in which the members of `overrides` replace the originals. Members that an adapter adds to its port stay available.
 */
export const delegating = <Port extends object>(port: Port, overrides: Partial<Port>): Port =>
  new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(overrides, name)) return overrides[name as keyof Port];
      const found: unknown = Reflect.get(target, name);
      // Methods are bound to the target because they read private fields, which the proxy does not have.
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
