import { UuidFactory, UuidFactoryMode } from '@nestjs/core/inspector/uuid-factory.js';

const refuse = (name: string) => (): never => {
  throw new Error(`${name} was used: a simulation repeats only what goes through the ports of \`System\``);
};

const GLOBALS = ['setTimeout', 'setInterval', 'setImmediate', 'performance'] as const;

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` while the global clock, chance and timers refuse to work, so that code that bypasses the ports is noticed. Runs wait for
 * each other: they could not restore what another one has replaced.
 */
export const withoutAmbient = <T>(work: () => Promise<T>): Promise<T> => {
  const run = before.then(() => refused(work));
  before = run.catch(() => undefined);
  return run;
};

const refused = async <T>(work: () => Promise<T>): Promise<T> => {
  const { now } = Date;
  const { random } = Math;
  const saved = GLOBALS.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  // Nest gives each of its wrappers an id that nothing here reads.
  UuidFactory.mode = UuidFactoryMode.Deterministic;
  Date.now = refuse('Date.now');
  Math.random = refuse('Math.random');
  for (const name of GLOBALS)
    Object.defineProperty(globalThis, name, {
      value: name === 'performance' ? { now: refuse('performance.now') } : refuse(name),
      configurable: true,
      writable: true,
    });
  try {
    return await work();
  } finally {
    UuidFactory.mode = UuidFactoryMode.Random;
    Date.now = now;
    Math.random = random;
    for (const [name, descriptor] of saved) if (descriptor) Object.defineProperty(globalThis, name, descriptor);
  }
};
