import { Circuit } from './circuit.ts';

const aCircuit = () => {
  let now = 0;
  const circuit = new Circuit(1_000, () => now);
  return {
    circuit,
    pass: (ms: number) => (now += ms),
    fail: (times: number) => Array.from({ length: times }, () => circuit.failed()).at(-1),
  };
};

describe('a circuit', () => {
  it('stays closed after two failures in a row', () => {
    const { circuit, fail } = aCircuit();
    expect(fail(2)).toBe(false);
    circuit.succeeded();
    expect(fail(2)).toBe(false);
    expect(circuit.closed).toBe(true);
  });

  it('opens after three, and allows a request after the pause', () => {
    const { circuit, fail, pass } = aCircuit();
    expect(fail(3)).toBe(true);
    expect(circuit.closed).toBe(false);
    pass(999);
    expect(circuit.closed).toBe(false);
    pass(1);
    expect(circuit.closed).toBe(true);
  });

  it('opens again after one more failure, and starts counting again after a success', () => {
    const { circuit, fail, pass } = aCircuit();
    fail(3);
    pass(1_000);
    expect(fail(1)).toBe(true);
    pass(1_000);
    circuit.succeeded();
    expect(fail(2)).toBe(false);
  });

  it('does not extend a pause for late failures', () => {
    const { circuit, fail, pass } = aCircuit();
    fail(3);
    pass(500);
    expect(fail(5)).toBe(false);
    pass(500);
    expect(circuit.closed).toBe(true);
  });
});
