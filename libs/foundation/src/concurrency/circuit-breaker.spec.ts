import { CircuitBreaker, type CircuitOptions } from './circuit-breaker.ts';

const aCircuit = (options: Partial<CircuitOptions> = {}) => {
  let now = 0;
  const circuit = new CircuitBreaker({ restMs: 1_000, ...options }, { elapsed: () => now });
  const enter = () => {
    const call = circuit.enter();
    if (call === undefined) throw new Error('the circuit is open');
    return call;
  };
  return {
    circuit,
    enter,
    pass: (ms: number) => void (now += ms),
    fail: (times: number) => Array.from({ length: times }, () => enter().failed()).at(-1),
    isOpen: () => circuit.enter() === undefined,
  };
};

describe('a circuit breaker', () => {
  it('stays closed after two failures in a row', () => {
    const { circuit, fail, enter } = aCircuit();
    expect(fail(2)).toBe(false);
    enter().succeeded();
    expect(fail(2)).toBe(false);
    expect(circuit.opened).toBeUndefined();
  });

  it('opens after three, and says for how long', () => {
    const { circuit, fail, pass, isOpen } = aCircuit();
    expect(fail(3)).toBe(true);
    expect(isOpen()).toBe(true);
    pass(999);
    expect(isOpen()).toBe(true);
    expect(circuit.opened).toEqual({ failures: 3, forMs: 999, leftMs: 1 });
    pass(1);
    expect(circuit.opened).toEqual({ failures: 3, forMs: 1_000, leftMs: 0 });
  });

  it('lets one call find out after the pause, and closes if it succeeds', () => {
    const { circuit, fail, pass, enter, isOpen } = aCircuit();
    fail(3);
    pass(1_000);
    const probe = enter();
    expect(isOpen()).toBe(true);
    probe.succeeded();
    expect(circuit.opened).toBeUndefined();
    expect(fail(2)).toBe(false);
  });

  it('pauses twice as long each time that this call fails, up to a maximum', () => {
    const { fail, pass, isOpen, circuit } = aCircuit({ maxRestMs: 3_000 });
    fail(3);
    for (const rest of [1_000, 2_000, 3_000, 3_000]) {
      expect(circuit.opened?.leftMs).toBe(rest);
      pass(rest - 1);
      expect(isOpen()).toBe(true);
      pass(1);
      expect(fail(1)).toBe(true);
    }
  });

  it('lets another call find out if the first one was abandoned', () => {
    const { fail, pass, enter } = aCircuit();
    fail(3);
    pass(1_000);
    enter().left();
    enter().succeeded();
  });

  it('is neither extended nor closed by calls that began before it opened', () => {
    const { circuit, enter, pass, fail, isOpen } = aCircuit();
    const [failing, succeeding] = [enter(), enter()];
    fail(3);
    pass(500);
    expect(failing.failed()).toBe(false);
    succeeding.succeeded();
    expect(isOpen()).toBe(true);
    expect(circuit.opened?.leftMs).toBe(500);
  });

  it('opens at once for as long as the server says', () => {
    const { circuit, enter, pass } = aCircuit();
    expect(enter().failed(5_000)).toBe(true);
    expect(circuit.opened).toEqual({ failures: 1, forMs: 0, leftMs: 5_000 });
    pass(5_000);
    enter().succeeded();
    expect(circuit.opened).toBeUndefined();
  });
});
