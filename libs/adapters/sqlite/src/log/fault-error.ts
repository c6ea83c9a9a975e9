import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { WorkerFault, type Fault } from './worker-protocol.ts';

/** Converts a fault to the domain error of the same code. */
export const errorOf = (fault: Fault): Error => {
  switch (fault.code) {
    case 'Corrupt':
      return new Corrupt(fault.message);
    case 'Unavailable':
      return new Unavailable(fault.message);
    case 'InvalidValue':
      return new InvalidValue(fault.field, fault.expected, fault.got);
  }
};

/** Runs worker code outside of a worker and converts its faults to domain errors. */
export const inDomainErrors = <Result>(act: () => Result): Result => {
  try {
    return act();
  } catch (error) {
    throw error instanceof WorkerFault ? errorOf(error.fault) : error;
  }
};
