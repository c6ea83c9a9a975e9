/** Everything as `port` does it, apart from what `over` does instead; also what a technology adds to its port stays there. */
export const delegating = <Port extends object>(port: Port, over: Partial<Port>): Port =>
  new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(over, name)) return over[name as keyof Port];
      const found: unknown = Reflect.get(target, name);
      // Methods read private fields, which the proxy does not have.
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
